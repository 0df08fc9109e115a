"""How the requests of an execution reach the store: one set of operators, three ways to answer them.

    lazy      one request at a time, and none after there are enough rows
    simple    one request at a time, each operator for all of its rows
    parallel  all requests that an operator can make at once together (one round trip)

Every way counts the requests before it makes them, and stops before the bound is passed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Literal, NamedTuple, TypeAlias

from piql.errors import BoundExceeded
from piql.runtime.execution.execution import OperatorRun
from piql.runtime.execution.incidents import Reader
from piql.runtime.execution.observation import OperatorTiming
from piql.runtime.execution.operators.base import Operator
from piql.store.base import Answers, Batch, Consistency
from piql.store.rows import Row

Strategy: TypeAlias = Literal["lazy", "simple", "parallel"]
ReadMany: TypeAlias = Callable[[Sequence[Batch]], Answers]
Timed: TypeAlias = Callable[[Batch, int, float], None]
"""Called after each call to the store: with a batch of it, the rows of its answers, and the seconds of the call."""

Clock: TypeAlias = Callable[[], float]
"""Seconds from any fixed moment, such as `perf_counter`."""


class Work(NamedTuple):
    """The rows of an execution, the requests it made, and the round trips they took."""

    rows: list[Row]
    operations: int
    round_trips: int


def drive(
    run: OperatorRun,
    store: Reader,
    bound: int,
    strategy: Strategy,
    timed: Timed | None = None,
    consistency: Consistency | None = None,
    clock: Clock = perf_counter,
) -> Work:
    """Run a plan's top operator to its end and answer its requests; raise BoundExceeded before one too many.

    `clock` times each call to the store for `timed`.
    """
    read_many = store.read_many if consistency is None else partial(store.read_many, consistency=consistency)
    if strategy == "parallel":
        return _drive_parallel(run, read_many, bound, timed, clock)
    return _drive_one_by_one(run, read_many, bound, timed, clock)


def exceeded(bound: int, operations: int) -> BoundExceeded:
    """Return the error of an execution that would make more requests than its bound, which only a bug can cause."""
    return BoundExceeded(f"stopped before request {operations} of at most {bound}; this is a fault of PIQL: report it")


def _drive_parallel(run: OperatorRun, read_many: ReadMany, bound: int, timed: Timed | None, clock: Clock) -> Work:
    operations = round_trips = 0
    try:
        batches = next(run)
        while True:
            for batch in batches:
                operations += len(batch.arguments)
            if operations > bound:
                run.close()
                raise exceeded(bound, operations)
            round_trips += 1
            if timed is None:
                answers = read_many(batches)
            else:
                started = clock()
                answers = read_many(batches)
                elapsed = clock() - started
                for batch, batch_answers in zip(batches, answers, strict=True):
                    timed(batch, sum(map(len, batch_answers)), elapsed)
            batches = run.send(answers)
    except StopIteration as done:
        return Work(done.value, operations, round_trips)


def _drive_one_by_one(run: OperatorRun, read_many: ReadMany, bound: int, timed: Timed | None, clock: Clock) -> Work:
    operations = 0
    try:
        batches = next(run)
        while True:
            answers: Answers = []
            for batch in batches:
                batch_answers: list[list[Row]] = []
                started = clock()
                for arguments in batch.arguments:
                    operations += 1
                    if operations > bound:
                        run.close()
                        raise exceeded(bound, operations)
                    batch_answers.append(read_many([Batch(batch.read, (arguments,), batch.operator)])[0][0])
                if timed is not None:
                    timed(batch, sum(map(len, batch_answers)), clock() - started)
                answers.append(batch_answers)
            batches = run.send(answers)
    except StopIteration as done:
        return Work(done.value, operations, operations)


@dataclass(slots=True)
class _Sums:
    operations: int = 0
    rows: int = 0
    seconds: float = 0.0


class Timings:
    """Adds up the requests, rows and seconds of each operator that makes requests."""

    def __init__(self) -> None:
        self._by_operator: dict[object, _Sums] = {}

    def add(self, batch: Batch, rows: int, seconds: float) -> None:
        """Add one batch, the number of rows that it returned, and the seconds of its call to the store."""
        sums = self._by_operator.setdefault(batch.operator, _Sums())
        sums.operations += len(batch.arguments)
        sums.rows += rows
        sums.seconds += seconds

    def by_operator(self) -> tuple[OperatorTiming, ...]:
        """Return the sums of each operator, in the order of their first requests."""
        return tuple(
            OperatorTiming(
                operator.path if isinstance(operator, Operator) else (),
                type(operator).__name__,
                sums.operations,
                sums.rows,
                sums.seconds * 1000,
            )
            for operator, sums in self._by_operator.items()
        )
