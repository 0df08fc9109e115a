"""What the rows of a table may not break together: keys and limits, counted while the rows are made.

A constraint lets `most` rows share the values of its columns: 1 for a key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from piql.generating.choices import Values
from piql.schema.catalog import CardinalityLimit, SqlType, Table
from piql.schema.types import convert
from piql.schema.values import ValueMismatch
from piql.schema.words import words_of


class Constraint:
    """A key or a limit on columns: how many rows each group has. A row with NULL among the columns is in no group."""

    def __init__(self, columns: Sequence[str], most: int, limit: CardinalityLimit | None = None) -> None:
        self.columns, self.most, self.limit = tuple(columns), most, limit
        self._counts: dict[Values, int] = {}
        self.fullest = 0

    def group(self, row: Mapping[str, Any]) -> Values | None:
        values = tuple([row[name] for name in self.columns])
        return None if None in values else values

    def count(self, group: Values) -> int:
        return self._counts.get(group, 0)

    def has_room(self, row: Mapping[str, Any]) -> bool:
        group = self.group(row)
        return group is None or self._counts.get(group, 0) < self.most

    def add(self, row: Mapping[str, Any]) -> None:
        group = self.group(row)
        if group is not None:
            count = self._counts[group] = self._counts.get(group, 0) + 1
            self.fullest = max(self.fullest, count)


class WordLimit:
    """A limit on the rows that hold one word in some columns."""

    def __init__(self, limit: CardinalityLimit) -> None:
        self.limit, self.columns, self.most = limit, limit.columns, limit.limit
        self._counts: dict[str, int] = {}
        self.fullest = 0

    def count(self, word: str) -> int:
        return self._counts.get(word, 0)

    def has_room(self, row: Mapping[str, Any]) -> bool:
        counts, most = self._counts, self.most
        return all(counts.get(word, 0) < most for word in self._words(row))

    def add(self, row: Mapping[str, Any]) -> list[str]:
        """Count a row, and return the words that are full now."""
        full = []
        for word in self._words(row):
            count = self._counts[word] = self._counts.get(word, 0) + 1
            self.fullest = max(self.fullest, count)
            if count == self.most:
                full.append(word)
        return full

    def _words(self, row: Mapping[str, Any]) -> frozenset[str]:
        return words_of(*(row[name] for name in self.columns))


def keys_of(table: Table) -> list[tuple[str, ...]]:
    """Return the columns of the primary key, then those of each UNIQUE."""
    return [table.primary_key, *(key.columns for key in table.unique_keys)]


def limits_of(table: Table) -> list[CardinalityLimit]:
    """Return the limits on columns, those on words and on the whole table left out."""
    return [limit for limit in table.limits if not limit.is_token and limit.columns]


def most_rows(table: Table) -> int | None:
    """Return how many rows a table may have; None where no limit says it."""
    return min((limit.limit for limit in table.limits if not limit.columns), default=None)


def has_single_rows(table: Table, limit: CardinalityLimit) -> bool:
    """Return whether a key lies within the columns of a limit, so that no group of it has two rows."""
    return any(set(key) <= set(limit.columns) for key in keys_of(table))


def counted_column(table: Table, key: Sequence[str], distinct: Mapping[str, int | None]) -> str | None:
    """Return the column of a key whose values are counted through, so that no two rows have the same key.

    `distinct` has how many values each column can have that no foreign key gives. A column by which a limit groups
    rows is not taken, for its values are to come more often than once.
    """
    grouping = {name for limit in limits_of(table) if not set(key) <= set(limit.columns) for name in limit.columns}
    fitting = [name for name in key if name in distinct and name not in grouping]
    in_words = {name for limit in table.limits if limit.is_token for name in limit.columns}

    def rank(name: str) -> tuple[bool, bool, int]:
        most = distinct[name]
        return (most is None or most >= _MANY, name not in in_words, key.index(name))

    best = max(fitting, key=rank, default=None)
    if best is None or (len(key) > 1 and not rank(best)[0]):
        return None
    return best


_MANY = 10_000  # values of a column that are enough to count a key by it


def samples_of(table: Table) -> dict[str, list[Any]]:
    """Return for columns under a CHECK the values that it compares them with, and of numbers those beside."""
    samples: dict[str, dict[Any, None]] = {}
    for check in table.checks:
        for name, values in check.samples:
            column = table.column(name)
            for value in values:
                for sample in _beside(value):
                    if column is not None and _fits(sample, column.type):
                        samples.setdefault(name, {})[convert(sample, column.type)] = None
    return {name: list(values) for name, values in samples.items()}


def _beside(value: Any) -> tuple[Any, ...]:
    """Return a value, and of a number those next to it."""
    is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    return (value, value + 1, value - 1) if is_number else (value,)


def _fits(value: Any, type: SqlType) -> bool:
    """Return whether a value can be stored in a column of a type."""
    try:
        convert(value, type)
    except ValueMismatch:
        return False
    return True
