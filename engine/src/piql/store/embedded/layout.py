"""How the embedded store lays out an index as a SQLite table, and the SQL of its reads and writes.

    index hometown (town, user) → age         CREATE TABLE "index hometown 5f3a…" (
      town may be NULL, user is the key         "?town" INTEGER, "town" TEXT, "user" TEXT, "age" INTEGER,
                                                PRIMARY KEY ("?town", "town", "user")) WITHOUT ROWID

A key column that may be NULL has a flag before it (0 = NULL, 1 = set): NULL sorts first, and SQLite's keys hold none.
The column itself then holds 0 in place of NULL.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from piql.schema.catalog import Index, Kind, SqlType, Table
from piql.store.base import ReadShape
from piql.store.values import STORED

Arguments = tuple[Any, ...]
BUCKET = "#bucket"
_MOST_GETS = 200  # in one statement: more are no quicker
_MOST_VARIABLES = 999  # of one statement, in the oldest SQLite


def quoted(name: str) -> str:
    """Return a name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def column_name(name: str) -> str:
    """Return the name of a column in SQLite: a `'` is put before names that could be mistaken for a flag's."""
    return "'" + name if name[:1] in ("?", "'") else name


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A key column as stored: its SQL name, its flag's where it may be NULL, and its direction."""

    name: str
    affinity: str
    ascending: bool
    flag: str | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """The SQLite table that keeps one index; `covering` are pairs of a column's name and affinity."""

    name: str
    has_bucket: bool
    key: tuple[KeyColumn, ...]
    covering: tuple[tuple[str, str], ...]

    def create(self) -> str:
        """Return the CREATE TABLE."""
        columns: list[str] = []
        key: list[str] = []
        if self.has_bucket:
            columns.append(f"{quoted(BUCKET)} INTEGER")
            key.append(quoted(BUCKET))
        for column in self.key:
            direction = "" if column.ascending else " DESC"
            if column.flag:
                columns.append(f"{quoted(column.flag)} INTEGER")
                key.append(quoted(column.flag) + direction)
            columns.append(f"{quoted(column.name)} {column.affinity}")
            key.append(quoted(column.name) + direction)
        columns.extend(f"{quoted(name)} {affinity}" for name, affinity in self.covering)
        return f"CREATE TABLE {quoted(self.name)} ({', '.join(columns)}, PRIMARY KEY ({', '.join(key)})) WITHOUT ROWID"

    def put(self) -> str:
        """Return the INSERT OR REPLACE of a stored row."""
        names = [*self._key_names(), *(name for name, _ in self.covering)]
        columns = ", ".join(map(quoted, names))
        return f"INSERT OR REPLACE INTO {quoted(self.name)} ({columns}) VALUES ({', '.join('?' * len(names))})"

    def delete(self) -> str:
        """Return the DELETE of a row by its stored key."""
        where = " AND ".join(f"{quoted(name)} = ?" for name in self._key_names())
        return f"DELETE FROM {quoted(self.name)} WHERE {where}"

    def _key_names(self) -> list[str]:
        names = [BUCKET] if self.has_bucket else []
        for column in self.key:
            names.extend([column.flag, column.name] if column.flag else [column.name])
        return names

    def with_flags(self) -> Callable[[Arguments], Arguments] | None:
        """Return the function from an entry, or its key, to the stored row with flags; None if no column has a flag."""
        flagged = frozenset(self.has_bucket + at for at, column in enumerate(self.key) if column.flag)
        if not flagged:
            return None

        def change(row: Arguments) -> Arguments:
            stored: list[Any] = []
            for at, value in enumerate(row):
                if at in flagged:
                    stored.extend((0, 0) if value is None else (1, value))
                else:
                    stored.append(value)
            return tuple(stored)

        return change


def layout_of(table: Table, index: Index) -> Layout:
    """Return the layout of an index, or of the table itself by its primary index.

    The name of an index's table ends with a digest of its definition, so two definitions never share a table.
    """
    key: list[KeyColumn] = []
    for key_column in index.columns:
        column = table.column(key_column.name)
        if column is None or key_column.token_of:
            key.append(KeyColumn(key_column.name, "TEXT", key_column.ascending))
        else:
            is_flagged = column.nullable and key_column.name not in table.primary_key
            key.append(
                KeyColumn(
                    column_name(key_column.name),
                    STORED[column.type.kind].affinity,
                    key_column.ascending,
                    "?" + key_column.name if is_flagged else None,
                )
            )
    covering = tuple((column_name(name), STORED[_type(table, name).kind].affinity) for name in index.covering)
    if index.is_primary:
        return Layout(f"table {table.name}", False, tuple(key), covering)
    has_bucket = index.buckets > 1
    definition = repr((table.name, key, covering, index.buckets, [key_column.token_of for key_column in index.columns]))
    mark = hashlib.sha256(definition.encode()).hexdigest()[:8]
    return Layout(f"index {index.name} {mark}", has_bucket, tuple(key), covering)


def _type(table: Table, name: str) -> SqlType:
    column = table.column(name)
    return column.type if column else SqlType(Kind.TEXT)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a read; `arguments` picks its arguments from those of the read (None: all as they are)."""

    sql: str
    arguments: Callable[[Arguments], Arguments] | None = None


@dataclass(frozen=True, slots=True)
class ManyGets:
    """The gets of one shape, many in a statement: `columns` by those of the whole `key`, none of which has a flag."""

    columns: tuple[str, ...]
    table: str
    key: tuple[str, ...]

    @property
    def most(self) -> int:
        """How many keys one statement takes."""
        return max(1, min(_MOST_GETS, _MOST_VARIABLES // len(self.key)))

    def sql(self) -> str:
        """Return the statement: `most` keys as its arguments, and rows that begin with the number of their key.

        WITH k (n, k0) AS (VALUES (0, ?), (1, ?)) SELECT k.n, t."text" FROM k CROSS JOIN "table t" t WHERE t."id" = k.k0
        """
        names = [f"k{at}" for at in range(len(self.key))]
        marks = ", ?" * len(names)
        rows = ", ".join(f"({number}{marks})" for number in range(self.most))
        columns = "".join(f", t.{quoted(name)}" for name in self.columns)
        where = " AND ".join(f"t.{quoted(column)} = k.{name}" for column, name in zip(self.key, names, strict=True))
        return (
            f"WITH k (n, {', '.join(names)}) AS (VALUES {rows}) "
            f"SELECT k.n{columns} FROM k CROSS JOIN {quoted(self.table)} t WHERE {where}"
        )


@dataclass(frozen=True, slots=True)
class EmbeddedRead:
    """A read as SQL.

    sql              the one statement, or the first of `statements`
    statements       of a read that resumes a page: executed in turn until the limit is reached
    limit_position   which argument of such a read is the limit
    is_bare          no column was asked for: rows are empty, though SQL has to select something
    gets             how many of them are one statement, of gets by a key that is never NULL
    """

    sql: str
    statements: tuple[Statement, ...] = ()
    limit_position: int = -1
    is_bare: bool = False
    gets: ManyGets | None = None


@dataclass(frozen=True, slots=True)
class _Bound:
    """A stored column after the prefix; `pick` takes its value for a resumed page from the read's arguments."""

    name: str
    ascending: bool
    pick: Callable[[Arguments], Any]


class ReadBuilder:
    """Makes the SQL of one shape; `fixed` are the conditions that all of its statements have."""

    def __init__(self, shape: ReadShape) -> None:
        self.shape = shape
        self.layout = layout_of(shape.table, shape.index)
        prefix, self.rest = self.layout.key[: shape.prefix_length], self.layout.key[shape.prefix_length :]
        self.fixed: list[str] = [f"{quoted(BUCKET)} = ?"] if self.layout.has_bucket else []
        nulls = set(map(column_name, shape.nulls))
        for column in prefix:
            is_null = column.name in nulls
            if column.flag:
                self.fixed.append(f"{quoted(column.flag)} = {0 if is_null else 1}")
            self.fixed.append(f"{quoted(column.name)} = {'coalesce(?, 0)' if is_null else '?'}")
        leaves_nulls = shape.skips_nulls or shape.has_low or shape.has_high
        if leaves_nulls and self.rest and self.rest[0].flag:
            self.fixed.append(f"{quoted(self.rest[0].flag)} = 1")

    def build(self) -> EmbeddedRead:
        """Return the read."""
        if self.shape.after_length:
            return self._resumed()
        where = [*self.fixed, *self._ends()]
        return EmbeddedRead(self._select(where), is_bare=not self.shape.columns, gets=self._gets())

    def _gets(self) -> ManyGets | None:
        """Return how many gets are one statement; None for ranges, and where a column needs a flag or a bucket."""
        layout = self.layout
        if not self.shape.is_get or layout.has_bucket or any(column.flag for column in layout.key):
            return None
        columns = tuple(map(column_name, self.shape.columns))
        return ManyGets(columns, layout.name, tuple(column.name for column in layout.key))

    def _ends(self) -> list[str]:
        """Return the conditions of the range's ends."""
        shape, ends = self.shape, []
        if shape.has_low:
            ends.append(f"{quoted(self.rest[0].name)} {'>=' if shape.is_low_included else '>'} ?")
        if shape.has_high:
            ends.append(f"{quoted(self.rest[0].name)} {'<=' if shape.is_high_included else '<'} ?")
        return ends

    def _select(self, where: list[str]) -> str:
        """Return the SELECT of the shape's columns under these conditions."""
        flags = {column.name: column.flag for column in self.layout.key if column.flag}
        columns = [
            f"CASE WHEN {quoted(flag)} THEN {quoted(name)} END" if (flag := flags.get(name)) else quoted(name)
            for name in map(column_name, self.shape.columns)
        ]
        sql = f"SELECT {', '.join(columns) or '1'} FROM {quoted(self.layout.name)}"
        if where:
            sql += f" WHERE {' AND '.join(where)}"
        if self.shape.is_get:
            return sql
        order: list[str] = []
        for column in self.rest:
            direction = "" if column.ascending == self.shape.is_ascending else " DESC"
            order.extend(quoted(name) + direction for name in (column.flag, column.name) if name)
        return f"{sql} ORDER BY {', '.join(order)} LIMIT ?"

    def _resumed(self) -> EmbeddedRead:
        """Split what follows a position into ranges that are each one seek, whatever the directions of the columns.

        after (a, b, c)  →  a = ? AND b = ? AND c > ?   then   a = ? AND b > ?   then   a > ?
        """
        shape = self.shape
        first = self.layout.has_bucket + shape.prefix_length
        bounds: list[_Bound] = []
        for position, key_column in enumerate(self.rest[: shape.after_length], start=first):
            if key_column.flag:
                bounds.append(_Bound(key_column.flag, key_column.ascending, _is_set(position)))
                bounds.append(_Bound(key_column.name, key_column.ascending, _or_zero(position)))
            else:
                bounds.append(_Bound(key_column.name, key_column.ascending, _at(position)))
        first_end = first + shape.after_length
        ends_and_limit = range(first_end, first_end + shape.has_low + shape.has_high + 1)
        statements: list[Statement] = []
        for count in range(len(bounds), 0, -1):
            last = bounds[count - 1]
            sign = ">" if last.ascending == shape.is_ascending else "<"
            included = "=" if count == len(bounds) and shape.is_after_included else ""
            where = [*self.fixed, *(f"{quoted(bound.name)} = ?" for bound in bounds[: count - 1])]
            where.append(f"{quoted(last.name)} {sign}{included} ?")
            where.extend(self._ends())
            picks = (
                *(_at(position) for position in range(first)),
                *(bound.pick for bound in bounds[:count]),
                *(_at(position) for position in ends_and_limit),
            )
            statements.append(Statement(self._select(where), _picker(picks)))
        return EmbeddedRead(statements[0].sql, tuple(statements), ends_and_limit[-1], not self.shape.columns)


def _at(position: int) -> Callable[[Arguments], Any]:
    """Return the function that picks one argument."""
    return lambda arguments: arguments[position]


def _is_set(position: int) -> Callable[[Arguments], Any]:
    """Return the function that picks the flag of an argument."""
    return lambda arguments: 0 if arguments[position] is None else 1


def _or_zero(position: int) -> Callable[[Arguments], Any]:
    """Return the function that picks an argument, or 0, its stand-in, where it is NULL."""
    return lambda arguments: 0 if arguments[position] is None else arguments[position]


def _picker(picks: tuple[Callable[[Arguments], Any], ...]) -> Callable[[Arguments], Arguments]:
    """Return the function that makes the arguments of a statement from those of a read."""
    return lambda arguments: tuple([pick(arguments) for pick in picks])
