"""Tables that are the same but for the numbers of their limits, and the places of their declarations.

What rests on such tables alone and asks for no number is the same over both, once the objects of the one stand in the
place of those of the other: a `Template` whose swapped objects are `objects_of` the tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from piql.schema.catalog import Check, ForeignKey, Table, UniqueKey
from piql.trees.caches import Cached


@dataclass(frozen=True, slots=True, eq=False)
class _Objects:
    """What may be held of a table, in an order that depends on what it declares alone."""

    all: tuple[object, ...] = field(repr=False)


_are_same: Cached[tuple[bool]] = Cached(512)  # by two tables
_objects: Cached[_Objects] = Cached(512)  # by table


def are_same_but_limits(before: Sequence[Table], now: Sequence[Table]) -> bool:
    """Whether tables are equal, one by one, but for the numbers of their limits and for spans."""
    return len(before) == len(now) and all(
        old is new or _are_same.recall((old, new), lambda old=old, new=new: (_is_same(old, new),))[0]  # type: ignore[misc]
        for old, new in zip(before, now, strict=True)
    )


def _is_same(old: Table, new: Table) -> bool:
    if len(old.limits) != len(new.limits):
        return False
    limits = tuple(replace(limit, limit=now.limit) for limit, now in zip(old.limits, new.limits, strict=True))
    return replace(old, limits=limits) == new and list(map(type, _parts(old))) == list(map(type, _parts(new)))


def objects_of(tables: Sequence[Table]) -> list[object]:
    """Return the tables, and what they consist of, with all spans, in an order that is the same for such tables."""
    objects: list[object] = []
    for table in tables:
        objects += _objects.recall((table,), lambda table=table: _Objects(tuple(_parts(table)))).all  # type: ignore[misc]
    return objects


def _parts(table: Table) -> Iterator[object]:
    constraints: tuple[UniqueKey | ForeignKey | Check, ...]
    constraints = (*table.unique_keys, *table.foreign_keys, *table.implied_keys, *table.checks)
    yield from (table, table.span, table.name_span, table.key_span)
    for limit in table.limits:
        yield from (limit, limit.span, limit.limit_span)
    for column in table.columns:
        yield from (column, column.span)
    for constraint in constraints:
        yield from (constraint, constraint.span)
