"""The tables, rows and executions that realise the parts of writes: each execution inserts a row, and takes it away.

    writes_120     (name, words, payload)       an index of the words: a row with n words has n entries
    limited_10_4   (name, g0 … g3)              four groups of at most 10 rows each; limited_1_…: UNIQUE instead
    children_1_4   (name, p0 … p3)              four foreign keys to parents
    children_2_4   (p0, name, p1 … p3)          the same with p0 in the key: a delete of p0 looks for the records
                                                themselves, so a new record is written before its looks

An inserted row has one of a few names in its group, so a process that is killed leaves only few rows behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from piql_profiler.measure.grid import LOOK, Operator, Point

NAME_BYTES = 16
_WORD_BYTES = 4
_GROUPS, _NAMES = 20, 8  # groups of a table, and names of inserted rows in each
_Rows = Iterator[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Insertion:
    """The query that inserts a row, with the row, and the query that deletes it, with its key."""

    query: str
    parameters: Mapping[str, Any]
    undo: str
    key: Mapping[str, Any]


@dataclass(frozen=True)
class WriteWorkload:
    """All that the write points of a grid need, under a prefix of names."""

    prefix: str
    points: Sequence[Point]

    def __post_init__(self) -> None:
        least = NAME_BYTES + self._words_bytes + 1
        if too_small := [point for point in self._of(Operator.WRITE) if point.row_bytes < least]:
            raise ValueError(f"a row that is written has at least {least} bytes here, not {too_small[0].row_bytes}")

    @property
    def text(self) -> str:
        """The schema and the queries in PIQL."""
        parts = [self._writes(size) for size in self._sizes]
        parts += [self._limited(point) for point in self._of(Operator.LIMIT_CHECK)]
        if children := self._of(Operator.REFERENCE_CHECK):
            parts.append(f"CREATE TABLE {self.prefix}parents (name VARCHAR({NAME_BYTES}) PRIMARY KEY);")
            parts += [self._children(child) for child in children]
        return "\n".join(parts)

    def rows(self) -> Iterator[tuple[str, _Rows]]:
        """The rows that are loaded, by table: groups that are almost full, and parents."""
        for point in self._of(Operator.LIMIT_CHECK):
            yield self._table_of(point), self._members(point)
        if self._of(Operator.REFERENCE_CHECK):
            yield f"{self.prefix}parents", ({"name": _name("p", at)} for at in range(_GROUPS))

    def insertion(self, point: Point, random: Random) -> Insertion:
        """Draw a row to insert for a point."""
        table = self._table_of(point)
        group = random.randrange(_GROUPS)
        name = f"{_name('w', group)[:-1]}{random.randrange(_NAMES)}"
        row: dict[str, Any] = {"name": name}
        match point.operator:
            case Operator.WRITE:
                words = random.sample(range(16**_WORD_BYTES), point.child_rows - 1)
                row["words"] = " ".join(f"{word:0{_WORD_BYTES}x}" for word in words)
                row["payload"] = "x" * self._payload_bytes(point.row_bytes)
            case Operator.LIMIT_CHECK:
                row |= {f"g{at}": name if point.rows == 1 else _name("g", group) for at in range(point.child_rows)}
            case _:
                row |= {f"p{at}": _name("p", random.randrange(_GROUPS)) for at in range(point.child_rows)}
        key = {column: row[column] for column in self._key_of(point)}
        return Insertion(f"{table}_insert", row, f"{table}_delete", key)

    @property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(sorted({point.row_bytes for point in self._of(Operator.WRITE)}))

    @property
    def _words_bytes(self) -> int:
        most = max((point.child_rows - 1 for point in self._of(Operator.WRITE)), default=0)
        return max(1, most * (_WORD_BYTES + 1))

    def _payload_bytes(self, row_bytes: int) -> int:
        return row_bytes - NAME_BYTES - self._words_bytes

    def _of(self, operator: Operator) -> list[Point]:
        return [point for point in self.points if point.operator is operator]

    def _table_of(self, point: Point) -> str:
        match point.operator:
            case Operator.WRITE:
                return f"{self.prefix}writes_{point.row_bytes}"
            case Operator.LIMIT_CHECK:
                return f"{self.prefix}limited_{point.rows}_{point.child_rows}"
            case _:
                return f"{self.prefix}children_{point.rows}_{point.child_rows}"

    def _key_of(self, point: Point) -> tuple[str, ...]:
        is_child = point.operator is Operator.REFERENCE_CHECK
        return ("p0", "name") if is_child and point.rows > LOOK else ("name",)

    def _writes(self, size: int) -> str:
        table = f"{self.prefix}writes_{size}"
        columns = {"name": NAME_BYTES, "words": self._words_bytes, "payload": self._payload_bytes(size)}
        read = f"SELECT name FROM {table} WHERE words LIKE [1: word] ORDER BY name LIMIT 10"
        search = f"CREATE QUERY {table}_search AS {read};"
        return "\n".join([_created(table, columns, ("name",)), _queries(table, columns, ("name",)), search])

    def _limited(self, point: Point) -> str:
        table = self._table_of(point)
        groups = [f"g{at}" for at in range(point.child_rows)]
        columns = dict.fromkeys(("name", *groups), NAME_BYTES)
        limits = [
            f"UNIQUE ({group})" if point.rows == 1 else f"CARDINALITY LIMIT {point.rows} ({group})" for group in groups
        ]
        return f"{_created(table, columns, ('name',), limits)}\n{_queries(table, columns, ('name',))}"

    def _children(self, point: Point) -> str:
        table, key = self._table_of(point), self._key_of(point)
        parents = [f"p{at}" for at in range(point.child_rows)]
        columns = dict.fromkeys(("name", *parents), NAME_BYTES)
        keys = [f"FOREIGN KEY ({parent}) REFERENCES {self.prefix}parents (name)" for parent in parents]
        return f"{_created(table, columns, key, keys)}\n{_queries(table, columns, key)}"

    def _members(self, point: Point) -> _Rows:
        """Rows that fill the groups of a limit, except for those that executions insert."""
        for group in range(_GROUPS):
            for at in range(point.rows - 1 - _NAMES):
                groups = {f"g{column}": _name("g", group) for column in range(point.child_rows)}
                yield {"name": f"m{group:05}{at:010}", **groups}


def record_below(point: Point) -> Point:
    """The write that a check belongs to, with an entry for each group or foreign key, except one that is in the key."""
    entries = point.child_rows
    if point.operator is Operator.REFERENCE_CHECK and point.rows > LOOK:
        entries -= 1
    return Point(Operator.WRITE, 1 + entries, 1, NAME_BYTES * (1 + point.child_rows))


def _created(table: str, columns: Mapping[str, int], key: Sequence[str], constraints: Sequence[str] = ()) -> str:
    parts = [f"{name} VARCHAR({size})" for name, size in columns.items()]
    primary = f"PRIMARY KEY ({', '.join(key)})"
    return f"CREATE TABLE {table} ({', '.join([*parts, *constraints, primary])});"


def _queries(table: str, columns: Mapping[str, int], key: Sequence[str]) -> str:
    values = ", ".join(f"[{at}: {name}]" for at, name in enumerate(columns, 1))
    condition = " AND ".join(f"{name} = [{at}: {name}]" for at, name in enumerate(key, 1))
    insert = f"CREATE QUERY {table}_insert AS INSERT INTO {table} ({', '.join(columns)}) VALUES ({values});"
    return f"{insert}\nCREATE QUERY {table}_delete AS DELETE FROM {table} WHERE {condition};"


def _name(kind: str, number: int) -> str:
    return f"{kind}{number:0{NAME_BYTES - 1}}"
