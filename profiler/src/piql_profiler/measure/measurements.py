"""The measurements of a profile run: a histogram for each point and interval.

Measurement    one point in one interval, as it is measured and kept on disk
Measurements   all of a run by operator, as arrays: what models are fitted to
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from piql_profiler.measure.grid import Operator, Point
from piql_profiler.measure.histogram import BINS, Histogram, merge_all
from piql_profiler.measure.open_loop import MOST_COMPUTING, MOST_LAG

FEWEST_PAIRS = 10  # of fewer pairs no correlation is computed


@dataclass(frozen=True, slots=True)
class Measurement:
    """One point in one interval: its latencies, when it began (seconds since 1970) and for how long it ran.

    `histogram`     service times
    `response`      latencies from the moment that each execution was due
    `correlation`   of consecutive executions, for a join of its latency and its scan's, by normal scores
    `effective`     how many independent executions they are worth; None where that is not known
    `lag`           how late the client itself was, as a share of the p99 response
    `computing`     the share of one processor that the client took
    `whole`         of a join: latencies with the scan before it, a query of two operators to check predictions by
    """

    point: Point
    interval: int
    histogram: Histogram
    started_at: float
    seconds: float
    correlation: float = 0.0
    response: Histogram | None = None
    effective: float | None = None
    lag: float = 0.0
    whole: Histogram | None = None
    computing: float = 0.0

    @property
    def is_void(self) -> bool:
        """Whether the client was too late or too busy itself for the latencies to be the store's."""
        return self.lag > MOST_LAG or self.computing > MOST_COMPUTING

    @property
    def worth(self) -> float:
        """How many independent executions it is worth: `effective`, or all executions where it is not known."""
        return self.histogram.total if self.effective is None else self.effective


_CHECKS_OF_WRITES = (Operator.LIMIT_CHECK, Operator.REFERENCE_CHECK)


@dataclass(frozen=True, eq=False)
class OperatorCounts:
    """All measurements of one operator: `counts[point, interval, bin]`, and `whole[point, bin]` of all intervals.

    Points are in grid order. `effective[point, interval]` is how many independent executions the counts are worth.
    """

    operator: Operator
    points: tuple[Point, ...]
    counts: NDArray[np.int64]
    whole: NDArray[np.int64] | None = None
    effective: NDArray[np.float64] | None = None

    def worth(self) -> NDArray[np.float64]:
        """The number of independent executions by point and interval: `effective`, or all where it is not known."""
        return self.counts.sum(axis=-1).astype(np.float64) if self.effective is None else self.effective

    @property
    def coordinates(self) -> NDArray[np.float64]:
        """An array of (child rows, rows, row bytes, columns), one row for each point."""
        return np.array([point.coordinates for point in self.points], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Measurements:
    """The measurements of a run, by operator; every point has counts in every interval.

    `correlation`           of the operators of a query; `write_correlation` of the parts of a write
    `is_answered_in_turn`   the store answers one request after the other, even those sent together (an embedded one)
    `has_transactions`      a write is made in one transaction, not by steps
    `checks`                latencies of the queries of those points that no model is fitted to
    """

    intervals: int
    interval_seconds: float
    operators: Mapping[Operator, OperatorCounts]
    correlation: float = 0.0
    is_answered_in_turn: bool = False
    checks: Mapping[Point, Histogram] = field(default_factory=dict)
    has_transactions: bool = False
    write_correlation: float = 0.0

    @classmethod
    def of(
        cls,
        cells: list[Measurement],
        interval_seconds: float,
        *,
        is_answered_in_turn: bool = False,
        has_transactions: bool = False,
        checks: Collection[Point] = (),
    ) -> Measurements:
        """Arrange measurements by operator, and keep the whole queries of the `checks` apart.

        A point without executions in an interval gets its counts of all intervals there; a point without any is left
        out.
        """
        checked = {
            point: merge_all(
                cell.histogram if point.is_query else cell.whole or cell.histogram
                for cell in cells
                if cell.point == point
            )
            for point in checks
        }
        cells = [cell for cell in cells if cell.point not in checked]
        intervals = 1 + max((cell.interval for cell in cells), default=-1)
        counted = (_counts_of(operator, cells, intervals) for operator in Operator)
        operators = {counts.operator: counts for counts in counted if counts is not None}
        of_all = _correlation(cells)
        correlation = _correlation([cell for cell in cells if not cell.point.operator.is_of_writes])
        of_writes = _correlation([cell for cell in cells if cell.point.operator in _CHECKS_OF_WRITES])
        return cls(
            intervals,
            interval_seconds,
            operators,
            (of_all if correlation is None else correlation) or 0.0,
            is_answered_in_turn,
            checked,
            has_transactions,
            (of_all if of_writes is None else of_writes) or 0.0,
        )

    def pooled(self) -> Measurements:
        """The same measurements as one long interval."""
        merged = {
            key: replace(
                operator,
                counts=operator.counts.sum(axis=1, keepdims=True),
                effective=operator.worth().sum(axis=1, keepdims=True),
            )
            for key, operator in self.operators.items()
        }
        return replace(self, intervals=1, interval_seconds=self.interval_seconds * self.intervals, operators=merged)

    def without(self, point: Point) -> Measurements:
        """The measurements of all other points."""
        return self.only(lambda measured: measured != point)

    def only(self, is_kept: Callable[[Point], bool]) -> Measurements:
        """The measurements of the points for which `is_kept` is true."""
        operators = {}
        for operator, measured in self.operators.items():
            rows_kept = [at for at, point in enumerate(measured.points) if is_kept(point)]
            if len(rows_kept) == len(measured.points):
                operators[operator] = measured
            elif rows_kept:
                operators[operator] = OperatorCounts(
                    operator,
                    tuple(measured.points[at] for at in rows_kept),
                    measured.counts[rows_kept],
                    None if measured.whole is None else measured.whole[rows_kept],
                    None if measured.effective is None else measured.effective[rows_kept],
                )
        return replace(self, operators=operators)

    def executions(self) -> int:
        """How many latencies were measured in all."""
        return int(sum(operator.counts.sum() for operator in self.operators.values()))


def _counts_of(operator: Operator, cells: Collection[Measurement], intervals: int) -> OperatorCounts | None:
    """Arrange the measurements of one operator; None where it has none."""
    cells = [cell for cell in cells if cell.point.operator is operator]
    points = tuple(sorted({cell.point for cell in cells}, key=Point.sort_key))
    counts = np.zeros((len(points), intervals, BINS), dtype=np.int64)
    whole = np.zeros((len(points), BINS), dtype=np.int64)
    effective = np.zeros((len(points), intervals))
    index_of = {point: index for index, point in enumerate(points)}
    for cell in cells:
        row = index_of[cell.point]
        counts[row, cell.interval] += cell.histogram.counts
        effective[row, cell.interval] += cell.worth
        if cell.whole is not None:
            whole[row] += cell.whole.counts
    pooled = counts.sum(axis=1, keepdims=True)
    is_executed = counts.sum(axis=-1, keepdims=True) > 0
    effective = np.where(is_executed[..., 0], effective, effective.sum(axis=1, keepdims=True))
    counts = np.where(is_executed, counts, pooled)
    executed = np.flatnonzero(pooled.sum(axis=(1, 2)))
    if not len(executed):
        return None
    points = tuple(points[row] for row in executed)
    return OperatorCounts(operator, points, counts[executed], whole[executed], effective[executed])


def _correlation(cells: Sequence[Measurement]) -> float | None:
    """The mean correlation, weighted by executions, of cells with enough of them; None where there are none."""
    counted = [cell for cell in cells if cell.histogram.total >= FEWEST_PAIRS]
    executions = sum(cell.histogram.total for cell in counted)
    return sum(cell.correlation * cell.histogram.total for cell in counted) / executions if executions else None
