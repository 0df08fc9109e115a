"""Rows of a schema, and which of its promises a change would break: the reference for writes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from .schema import Limit, Schema, Table

Row: TypeAlias = "dict[str, object]"


def words_of(text: object) -> set[str]:
    """Return the words that token search finds in a text."""
    return set(re.findall(r"[^\W_]+", text.casefold())) if isinstance(text, str) else set()


class Contents:
    """All rows of all tables; changes are checked before they are made."""

    def __init__(self, schema: Schema, rows: Mapping[str, Sequence[Mapping[str, object]]] | None = None) -> None:
        self.schema = schema
        self.rows: dict[str, dict[tuple[object, ...], Row]] = {table.name: {} for table in schema.tables}
        for name, rows_of_table in (rows or {}).items():
            table = schema.table(name)
            for row in rows_of_table:
                self.rows[name][self.key(table, row)] = dict(row)

    def key(self, table: Table, row: Mapping[str, object]) -> tuple[object, ...]:
        return tuple(row[name] for name in table.primary_key)

    def all_rows(self, name: str) -> list[Row]:
        return list(self.rows[name].values())

    def refusals_of_put(self, name: str, row: Row) -> set[str]:
        """Return the names of the errors that putting a whole row may end in; a row of the same key is replaced."""
        table = self.schema.table(name)
        key = self.key(table, row)
        other_rows = [row_there for other_key, row_there in self.rows[name].items() if other_key != key]
        broken = set()
        if any(row[column.name] is None and not column.is_nullable for column in table.columns):
            broken.add("ConstraintViolation")
        for column in table.columns:
            value = row[column.name]
            if isinstance(value, str) and column.type.length is not None and len(value) > column.type.length:
                broken.add("ConstraintViolation")
        if not all(check.is_kept(row) for check in table.checks):
            broken.add("ConstraintViolation")
        for columns in table.uniques:
            values = [row[column] for column in columns]
            if None not in values and any(
                [row_there[column] for column in columns] == values for row_there in other_rows
            ):
                broken.add("DuplicateKey")
        if any(self.is_over(limit, row, other_rows) for limit in table.all_limits):
            broken.add("CardinalityViolation")
        for foreign in table.foreign_keys:
            named = tuple(row[column] for column in foreign.columns)
            if None not in named and not self._has(foreign.table, foreign.referenced, named):
                broken.add("ForeignKeyViolation")
        old = self.rows[name].get(key)
        if old is not None and self._is_referenced(name, old, row):
            broken.add("ForeignKeyViolation")
        return broken

    def _has(self, name: str, referenced: tuple[str, ...], named: tuple[object, ...]) -> bool:
        return any(tuple(row[column] for column in referenced) == named for row in self.rows[name].values())

    def is_over(self, limit: Limit, row: Row, others: Sequence[Row]) -> bool:
        """Return whether `row` would be one too many for a limit among `others`."""
        if limit.is_token:
            for word in {word for column in limit.columns for word in words_of(row[column])}:
                holders = sum(
                    any(word in words_of(row_there[column]) for column in limit.columns) for row_there in others
                )
                if holders >= limit.limit:
                    return True
            return False
        values = [row[column] for column in limit.columns]
        if None in values:
            return False
        return sum([row_there[column] for column in limit.columns] == values for row_there in others) >= limit.limit

    def refusals_of_delete(self, name: str, key: tuple[object, ...]) -> set[str]:
        """Return the names of the errors that deleting a row may end in."""
        gone = self.rows[name].get(key)
        return {"ForeignKeyViolation"} if gone is not None and self._is_referenced(name, gone, None) else set()

    def _is_referenced(self, name: str, row: Row, new: Row | None) -> bool:
        """Return whether a row is named by a foreign key, by values that `new` in its place would not have."""
        for table in self.schema.tables:
            for foreign in table.foreign_keys:
                if foreign.table != name:
                    continue
                named = [row[column] for column in foreign.referenced]
                if None in named or (new is not None and [new[column] for column in foreign.referenced] == named):
                    continue
                if any(
                    [row_there[column] for column in foreign.columns] == named
                    for row_there in self.rows[table.name].values()
                ):
                    return True
        return False

    def put(self, name: str, row: Row) -> None:
        self.rows[name][self.key(self.schema.table(name), row)] = row

    def delete(self, name: str, key: tuple[object, ...]) -> None:
        self.rows[name].pop(key, None)
