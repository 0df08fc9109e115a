"""What executions are counted by. One cell has executions of one minute that are alike:

    minute   query      version  outcome  requests  rows     time            → executions, sums and extremes
    29404121 findUser   3        ok       1         1        0.35 to 0.36 ms → 812 executions, 812 requests, …

Sizes are classed by powers of two (0, 1, 2 to 3, 4 to 7, …), times by `BUCKETS_PER_OCTAVE` to each doubling, so that a
bucket is 2.2 % wide. An execution counts in the minute in which it is folded, at most a second after it ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import log2
from typing import NamedTuple, Protocol, TypeAlias

BUCKETS_PER_OCTAVE = 32
TICKS_PER_SECOND = 2.0**32  # times are counted from 0.23 ns, the first edge above 0
MOST_CELLS = 50_000  # in memory; executions that need another are counted as lost
MOST_OUTCOME = 60  # characters of an outcome
OK = "ok"  # the outcome of an execution that gave its rows
GAVE_ROWS = (OK, "limit-passed", "dangling-entry")
"""The outcomes of executions that gave their rows: also of those that found something wrong (`incidents.py`)."""


class Executed(Protocol):
    """A prepared query, as far as it is reported."""

    name: str
    version: int
    bound: int


class Execution(NamedTuple):
    """One execution. Executions that are equal are counted together before anything else is done.

    `query` is None where none of that name is deployed; `bucket` is `bucket_of` its seconds.
    """

    query: Executed | None
    outcome: str
    bucket: int
    operations: int
    rows: int
    repairs: int
    statements: int


Counted: TypeAlias = tuple[Executed | None, str, int, int, int, int, int]
"""The fields of an `Execution`: a plain tuple takes a fifth of the time, and there is one for each execution."""


class Cell(NamedTuple):
    """What the executions of a cell have in common. `query` is empty where none of that name was deployed."""

    minute: int  # since 1970
    query: str
    version: int
    outcome: str
    bound: int
    requests_class: int  # `class_of` the requests
    rows_class: int
    bucket: int


@dataclass(slots=True)
class Sums:
    """The executions of a cell: how many, the sums of what they made, and the smallest and largest of their sizes."""

    executions: int = 0
    operations: int = 0
    rows: int = 0
    repairs: int = 0
    statements: int = 0
    least_operations: int = 2**31 - 1
    most_operations: int = 0
    least_rows: int = 2**31 - 1
    most_rows: int = 0

    def add(self, execution: Execution, count: int) -> None:
        """Count executions that are equal."""
        self.executions += count
        self.operations += count * execution.operations
        self.rows += count * execution.rows
        self.repairs += count * execution.repairs
        self.statements += count * execution.statements
        self.least_operations = min(self.least_operations, execution.operations)
        self.most_operations = max(self.most_operations, execution.operations)
        self.least_rows = min(self.least_rows, execution.rows)
        self.most_rows = max(self.most_rows, execution.rows)

    def join(self, more: Sums) -> None:
        """Add what was counted elsewhere of the same cell."""
        self.executions += more.executions
        self.operations += more.operations
        self.rows += more.rows
        self.repairs += more.repairs
        self.statements += more.statements
        self.least_operations = min(self.least_operations, more.least_operations)
        self.most_operations = max(self.most_operations, more.most_operations)
        self.least_rows = min(self.least_rows, more.least_rows)
        self.most_rows = max(self.most_rows, more.most_rows)

    def values(self) -> tuple[int, ...]:
        """Its numbers in the order of its fields."""
        return (
            self.executions,
            self.operations,
            self.rows,
            self.repairs,
            self.statements,
            self.least_operations,
            self.most_operations,
            self.least_rows,
            self.most_rows,
        )


@dataclass(slots=True)
class Folded:
    """Cells in memory, at most MOST_CELLS; `lost` counts executions for which there was no room."""

    cells: dict[Cell, Sums] = field(default_factory=dict)
    lost: int = 0

    def fold(self, executions: Iterable[Counted], minute: int) -> None:
        """Add executions to the cells of a minute."""
        for counted, count in Counter(executions).items():
            execution = Execution._make(counted)
            cell = _cell_of(execution, minute)
            sums = self.cells.get(cell)
            if sums is None:
                if len(self.cells) >= MOST_CELLS:
                    self.lost += count
                    continue
                sums = self.cells[cell] = Sums()
            sums.add(execution, count)

    @property
    def is_empty(self) -> bool:
        return not self.cells and not self.lost


def bucket_of(seconds: float) -> int:
    """The number of the bucket that a time belongs to."""
    return int(BUCKETS_PER_OCTAVE * log2(1.0 + seconds * TICKS_PER_SECOND))


def lower_edge_ms(bucket: int) -> float:
    """The shortest time of a bucket; the upper edge is the lower one of the next bucket."""
    return float((2.0 ** (bucket / BUCKETS_PER_OCTAVE) - 1.0) / TICKS_PER_SECOND * 1000)


def class_of(size: int) -> int:
    """The class of a number of requests or rows: 0 for 0, 1 for 1, 2 for 2 to 3, 3 for 4 to 7, and so on."""
    return size.bit_length()


def _cell_of(execution: Execution, minute: int) -> Cell:
    query = execution.query
    name, version, bound = ("", 0, 0) if query is None else (query.name, query.version, query.bound)
    classes = class_of(execution.operations), class_of(execution.rows)
    return Cell(minute, name, version, execution.outcome, bound, *classes, execution.bucket)
