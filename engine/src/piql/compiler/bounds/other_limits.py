"""A plan with other numbers for its limits, so that `bound_of` gives its bound under them.

Enters: a physical plan, and what gives the number of each limit, stop and list. Leaves: the same plan, with these
numbers. A prediction under other limits is made for the bound of this plan, so that it never exceeds what is proved.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol, assert_never

from piql.compiler.logical.expressions import Expression, Parameter
from piql.compiler.logical.operators import Count
from piql.compiler.physical.operators import (
    Dereference,
    IndexFKJoin,
    IndexScan,
    KeyPart,
    Local,
    LocalJoin,
    LocalSelection,
    PassingRows,
    PhysicalNode,
    RowLimit,
    SortedIndexJoin,
    Stopping,
    map_inputs,
)
from piql.schema.catalog import CardinalityLimit, Table, UniqueKey


class Numbers(Protocol):
    """Says which number each limit has; asked for the limits of a plan from its leaves up."""

    def of_stop(self, count: Count) -> int:
        """Return the most rows of a LIMIT or PAGINATE."""

    def of_limit(self, table: Table, limit: CardinalityLimit) -> int:
        """Return the most rows of a group of a CARDINALITY LIMIT."""

    def of_list(self, parameter: Parameter) -> int:
        """Return the most values of a list parameter."""


def with_numbers(plan: PhysicalNode, numbers: Numbers) -> PhysicalNode:
    """Return the plan with these numbers; a section in which none changes stays the same object."""
    node = map_inputs(plan, lambda below: with_numbers(below, numbers))
    changed: dict[str, Any] = {}
    match node:
        case IndexScan() | SortedIndexJoin():
            changed["prefix"] = _prefix(node.prefix, numbers)
            changed["limit"] = _row_limit(node.limit, node.table, numbers)
            if isinstance(node, SortedIndexJoin) and node.passing is not None:
                changed["passing"] = _passing(node.passing, numbers)
        case IndexFKJoin():
            changed["prefix"] = _prefix(node.prefix, numbers)
        case LocalSelection(passing=PassingRows() as passing) | LocalJoin(passing=PassingRows() as passing):
            changed["passing"] = _passing(passing, numbers)
        case Stopping():
            changed["count"] = _count(node.count, numbers)
        case Dereference() | Local():
            return node
        case _:
            assert_never(node)
    if all(getattr(node, name) is value for name, value in changed.items()):
        return node
    return replace(node, **changed)


def _count(count: Count, numbers: Numbers) -> Count:
    most = numbers.of_stop(count)
    return count if most == count.max else replace(count, max=most)


def _row_limit(limit: RowLimit, table: Table, numbers: Numbers) -> RowLimit:
    """Return the most rows of one read: the smallest of the stop and the fact that bound it."""
    count, because = limit.count, limit.because
    most: list[int] = []
    values = 1 if limit.within is None else limit.within.values
    if count is not None:
        count = _count(count, numbers)
        most.append(count.max)
    if isinstance(because, CardinalityLimit):
        number = numbers.of_limit(table, because)
        because = because if number == because.limit else replace(because, limit=number)
        most.append(number * values)
    elif isinstance(because, UniqueKey):
        most.append(values)
    elif limit.count is None or limit.max < limit.count.max:  # a key, which lets one row through
        most.append(limit.max)
    rows = min(most) if limit.max else 0
    if rows == limit.max and count is limit.count and because is limit.because:
        return limit
    return RowLimit(max=rows, count=count, because=because, within=limit.within)


def _passing(passing: PassingRows, numbers: Numbers) -> PassingRows:
    prefix = _prefix(passing.prefix, numbers)
    limit = _row_limit(passing.limit, passing.table, numbers) if passing.limit is not None else None
    return (
        passing if prefix is passing.prefix and limit is passing.limit else replace(passing, prefix=prefix, limit=limit)
    )


def _prefix(prefix: tuple[KeyPart, ...], numbers: Numbers) -> tuple[KeyPart, ...]:
    parts = tuple(_part(part, numbers) for part in prefix)
    return prefix if all(new is old for new, old in zip(parts, prefix, strict=True)) else parts


def _part(part: KeyPart, numbers: Numbers) -> KeyPart:
    values = tuple(_value(value, numbers) for value in part.values)
    return (
        part if all(new is old for new, old in zip(values, part.values, strict=True)) else replace(part, values=values)
    )


def _value(value: Expression, numbers: Numbers) -> Expression:
    if not isinstance(value, Parameter) or value.max_items is None:
        return value
    most = numbers.of_list(value)
    return value if most == value.max_items else replace(value, max_items=most)
