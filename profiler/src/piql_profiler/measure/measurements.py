"""What a profile run found out: a histogram for each point and profile interval."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from piql_profiler.measure.grid import Operator, Point
from piql_profiler.measure.histogram import BINS, Histogram, merge_all
from piql_profiler.measure.open_loop import MOST_COMPUTING, MOST_LAG

FEWEST_PAIRS = 10  # below this a correlation says nothing


@dataclass(frozen=True, slots=True)
class Measurement:
    """One point in one interval: its latencies, when it began (seconds since 1970) and for how long it ran.

    `histogram` holds service times, `response` latencies from the moment each execution was due. `correlation` is that
    of consecutive executions' normal scores: how long what makes them slow lasts. `effective` is how many independent
    executions they are worth, and `lag` how late the client was by itself, as a share of the p99 response; `computing`
    is the share of one processor that it took. `whole` is a join's execution with the scan that gives it its child
    rows: a query of two operators, to check predictions by.
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
        """The client was too late by itself, or too busy, for the latencies to be the store's."""
        return self.lag > MOST_LAG or self.computing > MOST_COMPUTING


_CHECKS_OF_WRITES = (Operator.LIMIT_CHECK, Operator.REFERENCE_CHECK)


@dataclass(frozen=True, eq=False)
class OperatorCounts:
    """All measurements of one operator: `counts[point, interval, bin]`, points in grid order; `whole[point, bin]`.

    `effective[point, interval]` is how many independent executions the counts are worth.
    """

    operator: Operator
    points: tuple[Point, ...]
    counts: NDArray[np.int64]
    whole: NDArray[np.int64] | None = None
    effective: NDArray[np.float64] | None = None

    def worth(self) -> NDArray[np.float64]:
        """The number of independent executions: `effective`, or all where it is not known."""
        return self.counts.sum(axis=-1).astype(np.float64) if self.effective is None else self.effective

    @property
    def coordinates(self) -> NDArray[np.float64]:
        """An array of (child rows, rows, row bytes, columns), one row for each point."""
        return np.array([point.coordinates for point in self.points], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Measurements:
    """The measurements of a run, by operator; every point has a count in every interval.

    `correlation` is that of what is read; `write_correlation` that of a write's parts, which are nearer to each other.
    `is_answered_in_turn`: the store answers one request after the other, even those sent together (an embedded one).
    `has_transactions`: writes are made in one, not by steps.
    `checks`: how long the queries of points took that no model is fitted to.
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
        """Arrange measurements by operator, but keep those of the `checks` apart: of these the whole queries.

        A point that saw nothing in an interval takes what it saw in all of them; one that never saw anything is
        left out.
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
        operators = {}
        for operator in Operator:
            points = tuple(
                sorted({cell.point for cell in cells if cell.point.operator is operator}, key=Point.sort_key)
            )
            counts = np.zeros((len(points), intervals, BINS), dtype=np.int64)
            whole = np.zeros((len(points), BINS), dtype=np.int64)
            effective = np.zeros((len(points), intervals))
            place = {point: at for at, point in enumerate(points)}
            for cell in cells:
                if cell.point.operator is operator:
                    at = place[cell.point], cell.interval
                    counts[at] += cell.histogram.counts
                    effective[at] += cell.histogram.total if cell.effective is None else cell.effective
                    if cell.whole is not None:
                        whole[place[cell.point]] += cell.whole.counts
            pooled = counts.sum(axis=1, keepdims=True)
            is_seen = counts.sum(axis=-1, keepdims=True) > 0
            effective = np.where(is_seen[..., 0], effective, effective.sum(axis=1, keepdims=True))
            counts = np.where(is_seen, counts, pooled)
            seen = np.flatnonzero(pooled.sum(axis=(1, 2)))
            if len(seen):
                operators[operator] = OperatorCounts(
                    operator, tuple(points[at] for at in seen), counts[seen], whole[seen], effective[seen]
                )
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
        """The measurements of the points that a test keeps."""
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


def _correlation(cells: Sequence[Measurement]) -> float | None:
    """The mean correlation of those that executed enough to tell; None where there are none."""
    telling = [cell for cell in cells if cell.histogram.total >= FEWEST_PAIRS]
    pairs = sum(measurement.histogram.total for measurement in telling)
    return (
        sum(measurement.correlation * measurement.histogram.total for measurement in telling) / pairs if pairs else None
    )
