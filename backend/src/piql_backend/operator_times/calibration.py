"""The times of operators beside what is predicted for them, by query and size; then by kind of operator. Pure.

    samples of one query, class of sizes and operator  →  its p99, and how many are beyond the region  →  verdict
    verdicts of all queries  →  by kind of operator and its requests: is the prediction too low, or too high?

The region and the test are those of whole queries (`piql_profiler.validation.agreement`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from piql.reporting.cells import class_of
from piql.reporting.operator_cells import WHOLE, edges_ms
from piql_profiler.validation.agreement import Outcome, judge, region_of

from piql_backend.operator_times.repository import TimedRow
from piql_backend.predictions.questions import OperatorEstimate

_SAMPLES_FOR_P99 = 100


class SizeKey(NamedTuple):
    """The class of sizes of whole executions of a query."""

    query: str
    requests_class: int
    rows_class: int


class Estimates(NamedTuple):
    """What is predicted for the operators of a query at the smallest and at the largest size of a class."""

    smallest: Sequence[OperatorEstimate]
    largest: Sequence[OperatorEstimate]


class Calibrated(NamedTuple):
    """One operator of a query in one class of sizes; `requests` is the mean of what it made.

    `observed_p99_ms` is None for fewer than 100 samples. `ratio` is how many times as long as predicted it is.
    """

    query: str
    path: str
    operator: str
    requests: float
    samples: int
    observed_p99_ms: float | None
    predicted_p99_ms: float
    worst_p99_ms: float
    outcome: Outcome

    @property
    def ratio(self) -> float | None:
        return None if self.observed_p99_ms is None else self.observed_p99_ms / self.predicted_p99_ms


class Line(NamedTuple):
    """All operators of a kind that make about as many requests: how many verdicts of each outcome, and the ratios."""

    operator: str
    requests_class: int
    samples: int
    outcomes: Mapping[str, int]
    ratio: float | None
    least_ratio: float | None
    most_ratio: float | None


def calibrated(rows: Iterable[TimedRow], estimates: Mapping[SizeKey, Estimates]) -> list[Calibrated]:
    """Hold each operator against its prediction; what is not predicted is left out. The farthest off come first."""
    groups: dict[tuple[SizeKey, str, str], list[TimedRow]] = defaultdict(list)
    for row in rows:
        if row.operator != WHOLE:
            key = SizeKey(row.query, row.requests_class, row.rows_class)
            groups[key, row.path, row.operator].append(row)
    cells = list(_calibrated(groups, estimates))
    return sorted(cells, key=lambda cell: (-_distance(cell.ratio), cell.query, cell.path))


def lines_of(cells: Iterable[Calibrated]) -> list[Line]:
    """Put operators of a kind together that make about as many requests."""
    kinds: dict[tuple[str, int], list[Calibrated]] = defaultdict(list)
    for cell in cells:
        kinds[cell.operator, class_of(round(cell.requests))].append(cell)
    return [_line(*kind, members) for kind, members in sorted(kinds.items())]


def _line(operator: str, requests_class: int, members: Sequence[Calibrated]) -> Line:
    ratios = [cell.ratio for cell in members if cell.ratio is not None]
    return Line(
        operator,
        requests_class,
        sum(cell.samples for cell in members),
        Counter[str](cell.outcome for cell in members),
        median(ratios) if ratios else None,
        min(ratios, default=None),
        max(ratios, default=None),
    )


def _calibrated(
    groups: Mapping[tuple[SizeKey, str, str], Sequence[TimedRow]], estimates: Mapping[SizeKey, Estimates]
) -> Iterator[Calibrated]:
    for (key, path, operator), rows in groups.items():
        predicted = estimates.get(key)
        if predicted is None:
            continue
        smallest, largest = (_of_path(operators, path) for operators in predicted)
        if smallest is not None and largest is not None:
            yield _held(key.query, path, operator, rows, smallest, largest)


def _held(
    query: str,
    path: str,
    operator: str,
    rows: Sequence[TimedRow],
    smallest: OperatorEstimate,
    largest: OperatorEstimate,
) -> Calibrated:
    counts = Counter[int]()
    for row in rows:
        counts[row.bucket] += row.samples
    samples = counts.total()
    regions = [region_of(estimate.typical_p99_ms, estimate.worst_p99_ms) for estimate in (smallest, largest)]
    lows, highs = [region.low for region in regions], [region.high for region in regions]
    edges = {bucket: edges_ms(bucket) for bucket in counts}

    def longer(edge: int, end_ms: float) -> int:
        """How many samples have this edge of their bucket, 0 or 1, beyond an end."""
        return sum(count for bucket, count in counts.items() if edges[bucket][edge] > end_ms)

    verdict = judge(samples, longer(1, min(lows)), longer(0, max(highs)), longer(0, max(lows)), longer(1, min(highs)))
    return Calibrated(
        query,
        path,
        operator,
        sum(row.operations for row in rows) / samples,
        samples,
        _p99_ms(counts) if samples >= _SAMPLES_FOR_P99 else None,
        largest.typical_p99_ms,
        largest.worst_p99_ms,
        verdict.outcome,
    )


def _p99_ms(counts: Mapping[int, int]) -> float:
    rank, until = 0.99 * sum(counts.values()), 0
    for bucket in sorted(counts):
        until += counts[bucket]
        if until >= rank:
            return edges_ms(bucket)[1]
    raise ValueError("nothing was counted")


def _of_path(operators: Sequence[OperatorEstimate], path: str) -> OperatorEstimate | None:
    return next((operator for operator in operators if operator.path == path), None)


def _distance(ratio: float | None) -> float:
    """How far off a prediction is, in either direction; what has too few samples comes last."""
    return 0.0 if ratio is None else max(ratio, 1 / ratio)
