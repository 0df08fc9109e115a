"""The tables and queries that realise a grid's points on a store, run through the real engine.

    links    (owner, target)               who follows whom: each owner of level c has exactly c targets
    rows     (owner, posted, payload, …)   the rows of scans and sorted joins, `row_bytes` each, newest first
    ahead    (owner, posted, payload, …)   the same for joins that read forwards: a cluster keeps each table in the
                                           direction that it is read in
    records  (name, payload, …)            the rows of foreign-key joins, and of gets
    notes    (name, grp, body)             the rows that are dereferenced: a body without a length stays out of the
                                           index

The payload of wide rows is split evenly over as many columns as the point says. The tables of writes are in
`write_workload`.

Names begin with `piql_profile_` and a digest of the grid, so tables of several grids can exist side by side. An
embedded store is measured in a new file of the same engine and settings, in a folder `piql_profile_…` beside the user's
file, which is removed after the run: the user's data is neither read nor written. On a cluster the tables are in the
same keyspace, under a table prefix of their own, because other tables of the cluster are part of what is measured. They
stay for the next run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import piql
from piql.store.open import capabilities_of
from piql.trees.cached_property import cached_property

from piql_profiler.measure.grid import JOINS, Grid, Operator, Point
from piql_profiler.measure.scratch import scratch_folder
from piql_profiler.measure.store_urls import with_password
from piql_profiler.measure.write_workload import Insertion, WriteWorkload

RESERVED_PREFIX = "piql_profile_"
_OWNERS_PER_LEVEL = 20  # a level is a number of child rows
_NAME_BYTES, _TIME_BYTES = 16, 8
_SMALLEST_ROW_BYTES = 32
LINK_BYTES = 2 * _NAME_BYTES  # a row of the scan below each join
_OF_ROWS = (Operator.INDEX_SCAN, Operator.SORTED_INDEX_JOIN, Operator.FORWARD_JOIN)
_START = datetime(2020, 1, 1, tzinfo=UTC)
_Rows = Iterator[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Call:
    """One execution that realises a point: a query's name and its parameters; `undo` deletes what a write inserted."""

    query: str
    parameters: Mapping[str, Any]
    undo: Call | None = None


@dataclass(frozen=True)
class Workload:
    """All that a grid needs on a store; ValueError for a grid with rows that are too small to be made."""

    grid: Grid

    def __post_init__(self) -> None:
        for point in self.grid.measured:
            if point.row_bytes < (least := _SMALLEST_ROW_BYTES - 1 + point.columns):
                of = f" of {point.columns} columns" if point.columns > 1 else ""
                raise ValueError(f"a measured row{of} has at least {least} bytes, not {point.row_bytes}")
            if point.columns > 1 and point.operator not in (Operator.INDEX_FK_JOIN, *_OF_ROWS):
                raise ValueError(f"a {point.operator.value} is not measured by columns")
        WriteWorkload("", self.grid.measured)

    @cached_property
    def prefix(self) -> str:
        """What the names of this grid's tables and queries begin with."""
        text = ";".join(map(str, self.grid.measured)) + self._shape
        return f"{RESERVED_PREFIX}{hashlib.sha256(text.encode()).hexdigest()[:8]}_"

    def prepare(self, database: piql.Database) -> None:
        """Deploy the tables and queries, and load the rows unless an earlier run has done so.

        The store is flushed, so that the rows lie in files, as those of users do: rows that a server still has in
        memory are read up to a third faster.
        """
        database.deploy(piql.compile(self.text))
        if database.execute(f"{self.prefix}loaded", {"id": 1}).rows:
            return
        database.load(f"{self.prefix}links", self._links())
        for table, width in self._tables_of_rows():
            database.load(table, self._rows(width))
        for width in self._widths(Operator.INDEX_FK_JOIN):
            database.load(f"{self.prefix}records_{width}", self._records(width))
        for width in self._widths(Operator.DEREFERENCE):
            database.load(f"{self.prefix}notes_{width}", self._notes(width))
        for table, rows in self._writes.rows():
            database.load(table, rows)
        database.store.flush()
        database.load(f"{self.prefix}state", [{"id": 1}])

    def call(self, point: Point, random: Random) -> Call:
        """Draw an execution of a point."""
        width = _Width.of(point)
        match point.operator:
            case Operator.INDEX_SCAN:
                parameters = {"owner": _name(random.randrange(self._owners)), "most": point.rows}
                return Call(f"{self.prefix}scan_{width}", parameters)
            case Operator.INDEX_FK_JOIN if point.is_query:
                return Call(f"{self.prefix}get_{width}", {"name": _name(random.randrange(self._owners))})
            case Operator.INDEX_FK_JOIN:
                return Call(f"{self.prefix}fk_join_{width}", {"owner": self._owner_of(point, random)})
            case Operator.SORTED_INDEX_JOIN:
                parameters = {"owner": self._owner_of(point, random), "most": point.rows}
                return Call(f"{self.prefix}sorted_join_{width}", parameters)
            case Operator.FORWARD_JOIN:
                parameters = {"owner": self._owner_of(point, random), "most": point.rows}
                return Call(f"{self.prefix}forward_join_{width}", parameters)
            case Operator.DEREFERENCE:
                parameters = {"grp": _name(random.randrange(_OWNERS_PER_LEVEL)), "most": point.child_rows}
                return Call(f"{self.prefix}dereference_{width}", parameters)
            case Operator.WRITE | Operator.LIMIT_CHECK | Operator.REFERENCE_CHECK:
                return _call_of(self._writes.insertion(point, random))

    @cached_property
    def text(self) -> str:
        """The schema and the queries in PIQL."""
        name = self.prefix
        parts = [
            f"CREATE TABLE {name}state (id INT PRIMARY KEY);",
            f"CREATE QUERY {name}loaded AS SELECT id FROM {name}state WHERE id = [1: id];",
            f"CREATE TABLE {name}links (owner VARCHAR({_NAME_BYTES}), target VARCHAR({_NAME_BYTES}), "
            f"PRIMARY KEY (owner, target), "
            f"CARDINALITY LIMIT {max(self._levels, default=1)} (owner));",
        ]
        for table, width in self._tables_of_rows():
            parts.append(
                f"CREATE TABLE {table} (owner VARCHAR({_NAME_BYTES}), posted TIMESTAMP, "
                f"{width.declared(_NAME_BYTES + _TIME_BYTES)}, PRIMARY KEY (owner, posted));"
            )
        for width in self._widths(Operator.INDEX_SCAN):
            parts.append(
                f"CREATE QUERY {name}scan_{width} AS SELECT r.owner, r.posted, {width.read} FROM {name}rows_{width} r "
                f"WHERE r.owner = [1: owner] ORDER BY r.posted DESC LIMIT [2: most] MAX {self._most_rows(width)};"
            )
        for operator, kind, table, order in (
            (Operator.SORTED_INDEX_JOIN, "sorted", "rows", " DESC"),
            (Operator.FORWARD_JOIN, "forward", "ahead", ""),
        ):
            parts += [
                f"CREATE QUERY {name}{kind}_join_{width} AS SELECT r.owner, r.posted, {width.read} "
                f"FROM {name}links l JOIN {name}{table}_{width} r ON r.owner = l.target WHERE l.owner = [1: owner] "
                f"ORDER BY r.posted{order} LIMIT [2: most] MAX {self._most_rows(width)};"
                for width in self._widths(operator)
            ]
        for width in self._widths(Operator.INDEX_FK_JOIN):
            parts.append(
                f"CREATE TABLE {name}records_{width} (name VARCHAR({_NAME_BYTES}) PRIMARY KEY, "
                f"{width.declared(_NAME_BYTES)});"
            )
            parts.append(
                f"CREATE QUERY {name}get_{width} AS SELECT r.name, {width.read} FROM {name}records_{width} r "
                f"WHERE r.name = [1: name];"
            )
            parts.append(
                f"CREATE QUERY {name}fk_join_{width} AS SELECT r.name, {width.read} "
                f"FROM {name}links l JOIN {name}records_{width} r ON r.name = l.target WHERE l.owner = [1: owner];"
            )
        for width in self._widths(Operator.DEREFERENCE):
            parts.append(
                f"CREATE TABLE {name}notes_{width} (name VARCHAR({_NAME_BYTES}) PRIMARY KEY, "
                f"grp VARCHAR({_NAME_BYTES}), body TEXT);"
            )
            parts.append(
                f"CREATE QUERY {name}dereference_{width} AS SELECT name, body FROM {name}notes_{width} "
                f"WHERE grp = [1: grp] ORDER BY name LIMIT [2: most] MAX {self._most_notes(width)};"
            )
        return "\n".join([*parts, self._writes.text])

    @property
    def _shape(self) -> str:
        return f"owners={self._owners},per_level={_OWNERS_PER_LEVEL}"

    @cached_property
    def _writes(self) -> WriteWorkload:
        return WriteWorkload(self.prefix, self.grid.measured)

    @cached_property
    def _levels(self) -> tuple[int, ...]:
        return tuple(sorted({point.child_rows for point in self.grid.measured if point.operator in JOINS}))

    @cached_property
    def _owners(self) -> int:
        """Twice as many as the largest fan-out reads at once, so that executions differ."""
        return max(200, 2 * max(self._levels, default=1))

    def _tables_of_rows(self) -> list[tuple[str, _Width]]:
        backwards = self._widths(Operator.INDEX_SCAN, Operator.SORTED_INDEX_JOIN)
        kinds = {"rows": backwards, "ahead": self._widths(Operator.FORWARD_JOIN)}
        return [(f"{self.prefix}{kind}_{width}", width) for kind, widths in kinds.items() for width in widths]

    def _widths(self, *operators: Operator) -> tuple[_Width, ...]:
        return tuple(sorted({_Width.of(point) for point in self._of(*operators)}))

    def _of(self, *operators: Operator) -> Iterator[Point]:
        return (point for point in self.grid.measured if point.operator in operators)

    def _most_rows(self, width: _Width) -> int:
        return max(point.rows for point in self._of(*_OF_ROWS) if _Width.of(point) == width)

    def _most_notes(self, width: _Width) -> int:
        return max(point.child_rows for point in self._of(Operator.DEREFERENCE) if _Width.of(point) == width)

    def _owner_of(self, point: Point, random: Random) -> str:
        return _name(self._levels.index(point.child_rows) * _OWNERS_PER_LEVEL + random.randrange(_OWNERS_PER_LEVEL))

    def _links(self) -> _Rows:
        random = Random(1)
        for at, level in enumerate(self._levels):
            for owner in range(at * _OWNERS_PER_LEVEL, (at + 1) * _OWNERS_PER_LEVEL):
                targets = random.sample(range(self._owners), level)
                yield from ({"owner": _name(owner), "target": _name(target)} for target in targets)

    def _rows(self, width: _Width) -> _Rows:
        payload = width.values(_NAME_BYTES + _TIME_BYTES)
        times = [_START + timedelta(minutes=at) for at in range(self._most_rows(width))]
        for owner in range(self._owners):
            yield from ({"owner": _name(owner), "posted": at} | payload for at in times)

    def _records(self, width: _Width) -> _Rows:
        payload = width.values(_NAME_BYTES)
        yield from ({"name": _name(owner)} | payload for owner in range(self._owners))

    def _notes(self, width: _Width) -> _Rows:
        body = _payload(width.row_bytes - _NAME_BYTES)
        most = self._most_notes(width)
        for group in range(_OWNERS_PER_LEVEL):
            yield from ({"name": _name(group * most + at), "grp": _name(group), "body": body} for at in range(most))


@dataclass(frozen=True, slots=True, order=True)
class _Width:
    """The shape of one table's rows: the bytes beside the key are spread evenly over the payload columns."""

    row_bytes: int
    columns: int

    @classmethod
    def of(cls, point: Point) -> _Width:
        return cls(point.row_bytes, point.columns)

    def __str__(self) -> str:
        return f"{self.row_bytes}_{self.columns}" if self.columns > 1 else f"{self.row_bytes}"

    @property
    def read(self) -> str:
        """The payload columns, as a SELECT lists them."""
        return ", ".join(f"r.{name}" for name in self._lengths(self.row_bytes))

    def declared(self, key_bytes: int) -> str:
        """The payload columns with their types, as a CREATE TABLE lists them; the rest of the row is its key."""
        lengths = self._lengths(self.row_bytes - key_bytes)
        return ", ".join(f"{name} VARCHAR({length})" for name, length in lengths.items())

    def values(self, key_bytes: int) -> dict[str, Any]:
        """A value for each payload column."""
        return {name: _payload(length) for name, length in self._lengths(self.row_bytes - key_bytes).items()}

    def _lengths(self, total: int) -> Mapping[str, int]:
        names = ["payload", *(f"payload_{at}" for at in range(2, self.columns + 1))]
        return {name: total // self.columns + (at < total % self.columns) for at, name in enumerate(names)}


def _call_of(insertion: Insertion) -> Call:
    return Call(insertion.query, insertion.parameters, Call(insertion.undo, insertion.key))


def _name(number: int) -> str:
    return f"n{number:0{_NAME_BYTES - 1}}"


def _payload(length: int) -> str:
    return "".join(Random(2).choices("abcdefghijklmnopqrstuvwxyz ", k=length))


@contextmanager
def store_for_profiling(store_url: str) -> Iterator[str]:
    """The URL of the store to measure; beside an embedded store a new file is made, and removed at the end.

    Raises StoreUnavailable where the URL, read from disk, lacks its password and PIQL_STORE does not name it.
    """
    store_url = with_password(store_url)
    scheme, _, address = store_url.partition(":")
    path, _, options = address.partition("?")
    if not capabilities_of(store_url).is_file:
        yield with_reserved_prefix(store_url)
        return
    beside = Path(path).resolve().parent if path else None
    with scratch_folder(RESERVED_PREFIX, beside) as folder:
        yield f"{scheme}:{folder}/{Path(path).name or 'piql.db'}{'?' if options else ''}{options}"


def with_reserved_prefix(store_url: str) -> str:
    """The URL of a cluster with the table prefix that is the profiler's own."""
    address, _, options = store_url.partition("?")
    other_options = [part for part in options.split("&") if part and not part.startswith("prefix=")]
    return f"{address}?{'&'.join([*other_options, f'prefix={RESERVED_PREFIX}'])}"
