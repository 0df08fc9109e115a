"""Where a join could begin if a table had a CARDINALITY LIMIT: its tables, and the columns that it fixes of each.

… FROM statuses s JOIN follows f ON f.target = s.author WHERE f.owner = [me] AND s.visibility = 0
→ follows (owner), by a value      statuses (author), follows (target), by each other
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from piql.compiler.logical.expressions import Expression
from piql.compiler.logical.operators import DataStop, Join, LogicalNode, Relation, Selection
from piql.compiler.optimizer.analysis.equalities import Equalities
from piql.compiler.optimizer.analysis.predicates import equated_columns
from piql.compiler.optimizer.analysis.region import Region, read_region
from piql.compiler.optimizer.analysis.restrictions import Fixed, constant_columns, restrictions_on
from piql.compiler.physical.few_values import columns_for_limit
from piql.compiler.physical.planner.legs import is_leg, read_leg
from piql.schema.catalog import Table
from piql.text.source import Span
from piql.trees.caches import Cached


@dataclass(frozen=True, slots=True)
class JoinStart:
    """A table of a join, and the columns of it that the query fixes: by values, or by columns of one other table.

    It is written if the text compares one of the columns with a value; else an equality carries the value over to it.
    """

    table: Table
    columns: tuple[str, ...]
    is_by_value: bool
    is_written: bool = False


def join_starts(under: Sequence[LogicalNode]) -> tuple[JoinStart, ...]:
    """Return where a join could begin if a limit stood on the columns: those compared with values in the text first.

    `under` are the operators above one of the tables, nearest first. Empty where nothing is joined.
    """
    top: LogicalNode | None = None
    for node in under:
        if not isinstance(node, Join | Selection | DataStop):
            break
        top = node if isinstance(node, Join) or top is not None else None
    return () if top is None else _starts_below.recall((top,), lambda: _starts(read_region(top)))


_starts_below: Cached[tuple[JoinStart, ...]] = Cached(64)  # every gap of a join asks for the same


def _starts(region: Region) -> tuple[JoinStart, ...]:
    legs = [(*read_leg(leg.input, ())[:2], leg) for leg in region.legs if is_leg(leg.input)]
    equalities = Equalities(region.conditions)
    fixed = {relation: _fixed(relation, (*filters, *leg.filters, *leg.on)) for relation, filters, leg in legs}
    texts = [equality.predicate.span for columns in fixed.values() for equality in columns.values()]
    known = {
        (member.relation, member.name)
        for relation, columns in fixed.items()
        for name in columns
        for member in (*equalities.members((relation.alias, name)), *relation.columns((name,)))
    }
    starts: list[JoinStart] = []
    for relation, by_value in fixed.items():
        named = {name for alias, name in known if alias == relation.alias}
        columns = columns_for_limit(relation.table, named, constant_columns(by_value))
        is_written = any(_names(text, relation.alias, column) for column in columns for text in texts)
        starts.append(JoinStart(relation.table, columns, is_by_value=True, is_written=is_written))
    for relation, named in _joined(region, list(fixed)):
        columns = columns_for_limit(relation.table, named - fixed[relation].keys(), ())
        starts.append(JoinStart(relation.table, columns, is_by_value=False))
    in_order = sorted((start for start in starts if start.columns), key=lambda start: not start.is_written)
    return tuple(dict.fromkeys(in_order))


def _fixed(relation: Relation, tests: Sequence[Expression]) -> dict[str, Fixed]:
    """Return the columns of a relation that equal values."""
    equal = restrictions_on(relation.alias, tests, frozenset()).equal
    return {name: equality for name, equality in equal.items() if not equality.is_null}


def _joined(region: Region, relations: Sequence[Relation]) -> Iterator[tuple[Relation, set[str]]]:
    """Yield each relation with those of its columns that equal columns of one other relation."""
    by_alias = {relation.alias: relation for relation in relations}
    columns: dict[tuple[str, str], set[str]] = {}
    for pair in filter(None, map(equated_columns, region.conditions)):
        for column, partner in (pair, pair[::-1]):
            columns.setdefault((column.relation, partner.relation), set()).add(column.name)
    for (alias, _), names in columns.items():
        if alias in by_alias:
            yield by_alias[alias], names


def _names(text: Span | None, alias: str, column: str) -> bool:
    """Whether a text names a column of a relation, or names it without a relation."""
    pattern = rf"(?<![\w.])({re.escape(alias)}\s*\.\s*)?{re.escape(column)}\b"
    return text is not None and re.search(pattern, text.text, re.IGNORECASE) is not None
