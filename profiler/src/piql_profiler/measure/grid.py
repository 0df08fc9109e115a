"""What to measure: points (operator, child rows, rows, bytes and columns of a row), and the named grids of them.

Grid.product("g", row_bytes=(200,), scan_rows=(1, 10), fk_child_rows=(5,))
──▶  IndexScan of 1 × 200 B, IndexScan of 10 × 200 B, IndexFKJoin of 5 × 200 B
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import product
from random import Random


class Operator(Enum):
    """The remote operators and the parts of writes that are measured.

    A SortedIndexJoin that reads its index backwards is measured apart from one that reads forwards: Cassandra takes up
    to twice as long to read the end of a partition from its files, as it reverses each block.
    """

    INDEX_SCAN = "IndexScan"
    INDEX_FK_JOIN = "IndexFKJoin"
    SORTED_INDEX_JOIN = "SortedIndexJoin"
    FORWARD_JOIN = "SortedIndexJoinForwards"
    DEREFERENCE = "Dereference"
    WRITE = "Write"
    LIMIT_CHECK = "LimitCheck"
    REFERENCE_CHECK = "ReferenceCheck"

    @property
    def name_in_plans(self) -> str:
        """The operator's name in plans and observations, which do not tell directions apart."""
        return Operator.SORTED_INDEX_JOIN.value if self is Operator.FORWARD_JOIN else self.value

    @property
    def is_of_writes(self) -> bool:
        """Whether it is a part of a write."""
        return self in (Operator.WRITE, Operator.LIMIT_CHECK, Operator.REFERENCE_CHECK)


CHECK_BYTES = 32  # of a row that a check reads: keys alone
LOOK, SHOW_AND_LOOK = 1, 2  # `rows` of a ReferenceCheck: without and with the record written before the looks


@dataclass(frozen=True, slots=True)
class Point:
    """One setting of one operator.

    `child_rows` is how many requests it makes (1 for a scan). `rows` is how many rows one request returns at most (1
    for a foreign-key join and for a dereference). `row_bytes` is the size of one of these rows, and `columns` how many
    values it holds beside its key; in both, columns that a query does not read count half. A foreign-key join of one
    row is a get by a whole key, and is measured as one.

    Of the parts of a write, a Write puts `child_rows` records and index entries of one row. A LimitCheck checks
    `child_rows` groups one after the other, each of at most `rows` rows (1: a UNIQUE key). A ReferenceCheck makes
    `child_rows` looks one after the other; where `rows` is SHOW_AND_LOOK, the record is written before them.
    """

    operator: Operator
    child_rows: int
    rows: int
    row_bytes: int
    columns: int = 1

    def __post_init__(self) -> None:
        if min(self.child_rows, self.rows, self.row_bytes, self.columns) < 1:
            raise ValueError(f"a point counts from 1: {self}")
        if self.operator is Operator.INDEX_SCAN and self.child_rows != 1:
            raise ValueError("a scan makes one request")
        if self.operator is Operator.INDEX_FK_JOIN and self.rows != 1:
            raise ValueError("a foreign-key join returns one row a request")
        if self.operator in (Operator.DEREFERENCE, Operator.WRITE) and self.rows != 1:
            raise ValueError(f"a {self.operator.value} is of one row a request")

    @property
    def coordinates(self) -> tuple[int, int, int, int]:
        """Child rows, rows, bytes and columns."""
        return (self.child_rows, self.rows, self.row_bytes, self.columns)

    @property
    def is_query(self) -> bool:
        """Whether it is executed by itself: a scan, a get or a write. A join has a scan before it, a check a write."""
        is_get = self.operator is Operator.INDEX_FK_JOIN and self.child_rows == 1
        return is_get or self.operator in (Operator.INDEX_SCAN, Operator.WRITE)

    def __str__(self) -> str:
        size = f"{self.row_bytes} B" + (f" in {self.columns} columns" if self.columns > 1 else "")
        match self.operator:
            case Operator.INDEX_SCAN:
                return f"IndexScan of {self.rows} × {size}"
            case Operator.INDEX_FK_JOIN:
                return f"IndexFKJoin of {self.child_rows} × {size}"
            case Operator.SORTED_INDEX_JOIN:
                return f"SortedIndexJoin of {self.child_rows} × {self.rows} × {size}"
            case Operator.FORWARD_JOIN:
                return f"SortedIndexJoin forwards of {self.child_rows} × {self.rows} × {size}"
            case Operator.DEREFERENCE:
                return f"Dereference of {self.child_rows} × {size}"
            case Operator.WRITE:
                entries = self.child_rows - 1
                return f"Write of {size} with {entries} index {'entry' if entries == 1 else 'entries'}"
            case Operator.LIMIT_CHECK:
                return f"LimitCheck of {self.child_rows} × {self.rows}"
            case Operator.REFERENCE_CHECK:
                shown = ", the record shown before" if self.rows > LOOK else ""
                return f"ReferenceCheck of {self.child_rows}{shown}"

    def sort_key(self) -> tuple[str, int, int, int, int]:
        """Order points by operator, then size."""
        return (self.operator.value, *self.coordinates)


@dataclass(frozen=True, slots=True)
class Grid:
    """A set of points under a name; points are unique and sorted.

    `checks` are measured too, but no model is fitted to them: they show how wrong predictions are.
    """

    name: str
    points: tuple[Point, ...]
    checks: tuple[Point, ...] = ()

    @property
    def measured(self) -> tuple[Point, ...]:
        """All points that a run measures."""
        return self.points + self.checks

    def with_checks(self, count: int, seed: int) -> Grid:
        """Add `count` joins as checks: child rows and rows are drawn evenly up to the largest, bytes are the grid's."""
        random = Random(seed)
        joins = [point for point in self.points if point.operator in JOINS]
        checks: set[Point] = set()
        while len(checks) < count:
            example = random.choice(joins)
            same_operator = [join for join in joins if join.operator is example.operator]
            child_rows = random.randint(1, max(point.child_rows for point in same_operator))
            rows = random.randint(1, max(point.rows for point in same_operator))
            checks |= {Point(example.operator, child_rows, rows, example.row_bytes, example.columns)} - set(self.points)
        return Grid(self.name, self.points, tuple(sorted(checks, key=Point.sort_key)))

    @classmethod
    def product(
        cls,
        name: str,
        *,
        row_bytes: Sequence[int],
        columns: Sequence[int] = (1,),
        scan_rows: Sequence[int] = (),
        fk_child_rows: Sequence[int] = (),
        sorted_child_rows: Sequence[int] = (),
        sorted_rows: Sequence[int] = (),
        forward_child_rows: Sequence[int] = (),
        forward_rows: Sequence[int] = (),
        dereference_child_rows: Sequence[int] = (),
        write_entries: Sequence[int] = (),
        limit_groups: Sequence[int] = (),
        limit_rows: Sequence[int] = (),
        reference_looks: Sequence[int] = (),
    ) -> Grid:
        """All combinations of the levels of each operator's dimensions; `columns` are those of scans and joins."""
        width = tuple(product(row_bytes, columns))
        points = [Point(Operator.INDEX_SCAN, 1, rows, *shape) for rows, shape in product(scan_rows, width)]
        points += [Point(Operator.INDEX_FK_JOIN, child, 1, *shape) for child, shape in product(fk_child_rows, width)]
        points += [
            Point(Operator.SORTED_INDEX_JOIN, child, rows, *shape)
            for child, rows, shape in product(sorted_child_rows, sorted_rows, width)
        ]
        points += [
            Point(Operator.FORWARD_JOIN, child, rows, *shape)
            for child, rows, shape in product(forward_child_rows, forward_rows, width)
        ]
        points += [Point(Operator.DEREFERENCE, n, 1, size) for n, size in product(dereference_child_rows, row_bytes)]
        points += [Point(Operator.WRITE, 1 + entries, 1, size) for entries, size in product(write_entries, row_bytes)]
        points += [Point(Operator.LIMIT_CHECK, n, rows, CHECK_BYTES) for n, rows in product(limit_groups, limit_rows)]
        points += [
            Point(Operator.REFERENCE_CHECK, looks, shown, CHECK_BYTES)
            for looks, shown in product(reference_looks, (LOOK, SHOW_AND_LOOK))
        ]
        return cls.of(name, points)

    @classmethod
    def of(cls, name: str, points: Iterable[Point]) -> Grid:
        """A grid of any points; points that occur twice are taken once."""
        return cls(name, tuple(sorted(set(points), key=Point.sort_key)))

    @classmethod
    def from_levels(cls, levels: Mapping[str, Sequence[int]], name: str = "custom") -> Grid:
        """A grid of the JSON form, `{"row_bytes": […], "scan_rows": […], …}`; ValueError says what is wrong with it."""
        if unknown := sorted(set(levels) - DIMENSIONS):
            raise ValueError(f"unknown dimension {unknown[0]}; a grid has {', '.join(sorted(DIMENSIONS))}")
        if not levels.get("row_bytes"):
            raise ValueError("a grid names at least one size in row_bytes")
        if bad := [name for name, values in levels.items() if not _is_levels(values)]:
            raise ValueError(f"{bad[0]} is a list of whole numbers")
        grid = cls.product(name, **{key: tuple(values) for key, values in levels.items()})
        if not grid.points:
            raise ValueError("the grid has no points")
        return grid


DIMENSIONS = frozenset(
    {
        *("row_bytes", "columns", "scan_rows", "fk_child_rows", "sorted_child_rows", "sorted_rows"),
        *("forward_child_rows", "forward_rows", "dereference_child_rows"),
        *("write_entries", "limit_groups", "limit_rows", "reference_looks"),
    }
)
JOINS = (Operator.INDEX_FK_JOIN, Operator.SORTED_INDEX_JOIN, Operator.FORWARD_JOIN)


def _is_levels(values: object) -> bool:
    return isinstance(values, list | tuple) and all(isinstance(value, int) for value in values)


_SMALL = Grid.product(
    "",
    row_bytes=(200,),
    scan_rows=(1, 10, 50, 100),
    fk_child_rows=(1, 10, 100),
    sorted_child_rows=(10, 50, 100),
    sorted_rows=(10, 50),
    write_entries=(0, 4),
    limit_groups=(1,),
    limit_rows=(1, 100),
    reference_looks=(1, 2),
)
_SMALL_WIDE = Grid.product(
    "",
    row_bytes=(800,),
    columns=(10,),
    scan_rows=(50,),
    fk_child_rows=(50,),
    sorted_child_rows=(50,),
    sorted_rows=(10,),
)
_LOOKUPS = Grid.product("", row_bytes=(200,), scan_rows=(1, 10, 50, 100), fk_child_rows=(1, 10, 50, 100))
_SHORT = Grid.product("", row_bytes=(40,), scan_rows=(1, 10, 100), fk_child_rows=(1, 10, 100))
_WIDE = Grid.product(
    "",
    row_bytes=(800,),
    columns=(10,),
    scan_rows=(1, 10, 50),
    fk_child_rows=(1, 10, 50),
    sorted_child_rows=(1, 10, 50),
    sorted_rows=(10,),
    forward_child_rows=(10,),
    forward_rows=(10,),
)
_FEEDS = Grid.product(
    "",
    row_bytes=(200,),
    sorted_child_rows=(1, 10, 50, 100),
    sorted_rows=(1, 10, 50),
    forward_child_rows=(1, 10, 50),
    forward_rows=(1, 10, 50),
)

_DEREFERENCES = Grid.product("", row_bytes=(40, 200), dereference_child_rows=(1, 10, 100))
_WRITES = Grid.product(
    "",
    row_bytes=(120, 1000),
    write_entries=(0, 1, 2, 4, 16),
    limit_groups=(1, 4),
    limit_rows=(1, 10, 100),
    reference_looks=(1, 4),
)
_READS = _LOOKUPS.points + _SHORT.points + _WIDE.points + _FEEDS.points

# `small` covers SCADr: its thoughtstream at 100 subscriptions × 50 rows, and its writes. It has one point of each
# operator with wide rows. `default` is for serious predictions: from its 19 checks a bound at 90 % is computed, and one
# at 95 % could be. `reads` is the part of it that scans and joins are predicted from, `writes` the rest.
GRIDS: Mapping[str, Grid] = {
    "small": Grid.of("small", _SMALL.points + _SMALL_WIDE.points),
    "default": Grid.of("default", _READS + _DEREFERENCES.points + _WRITES.points).with_checks(19, seed=19),
    "reads": Grid.of("reads", _READS).with_checks(19, seed=19),
    "writes": Grid.of("writes", _WRITES.points),
}
