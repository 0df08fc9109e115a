"""How many more rows a group may take under its CARDINALITY LIMIT: one bounded read, outside of any write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from piql.errors import ConstraintViolation, InvalidParameter
from piql.runtime.writing.table_rules.constraints import GroupCount
from piql.runtime.writing.table_rules.records import keeper
from piql.schema.catalog import CardinalityLimit
from piql.schema.words import folded
from piql.store.base import Batch, Consistency, ReadShape, Store
from piql.store.rows import Row


class Headroom:
    """The headroom of the groups under one limit."""

    def __init__(self, check: GroupCount, store: Store) -> None:
        table, self._limit = check.table, check.limit
        self._store = store
        shape = ReadShape(table, check.index, (), len(check.columns))
        self._read = store.prepare(shape)
        self._tail = () if shape.is_get else (self._limit.limit,)
        self._keep: list[tuple[str, Callable[[Any], Any]]] = []
        if self._limit.is_token:
            self._keep.append((self._limit.columns[0], lambda word: folded(str(word))))
        for name in () if self._limit.is_token else check.columns:
            column = table.column(name)
            assert column is not None
            self._keep.append((name, keeper(table, column, store)))

    def of(self, group: Mapping[str, object], consistency: Consistency | None) -> int:
        """Return how many more rows a group may take; the group is given by the values of the limit's columns.

        Raises InvalidParameter for values that do not fit the columns, and for NULL: such rows have no limit.
        """
        try:
            key: Row = tuple(keep(group[name]) for name, keep in self._keep)
        except ConstraintViolation as mismatch:
            raise InvalidParameter(str(mismatch)) from None
        if None in key:
            raise InvalidParameter("rows with NULL in the columns of a limit are not counted")
        entries = self._store.read_many([Batch(self._read, [key + self._tail])], consistency)[0][0]
        return self._limit.limit - len(entries)


def limit_on(limits: list[GroupCount], table: str, columns: frozenset[str]) -> GroupCount:
    """Return the lowest limit of a table on exactly these columns; raise InvalidParameter if there is none."""
    first = next((limit for limit in limits if _group_columns(limit.limit) == columns), None)
    if first is None:
        names = "; ".join(limit.limit.counted or "the whole table" for limit in limits) or "none"
        on = f"on {', '.join(sorted(columns))}" if columns else "of the whole table"
        raise InvalidParameter(f"{table} has no CARDINALITY LIMIT {on}; it has: {names}")
    return min(
        (limit for limit in limits if _counts_alike(limit.limit, first.limit)), key=lambda limit: limit.limit.limit
    )


def _counts_alike(one: CardinalityLimit, other: CardinalityLimit) -> bool:
    """Return whether two limits count the same groups."""
    return one.is_token == other.is_token and set(one.columns) == set(other.columns)


def _group_columns(limit: CardinalityLimit) -> frozenset[str]:
    """Return the columns by which a group is named; a group of words is named by the first of its texts."""
    return frozenset(limit.columns[:1] if limit.is_token else limit.columns)
