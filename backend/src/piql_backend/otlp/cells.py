"""New executions of a point → the cells in which reports are kept. What a histogram does not say is lost.

time       a cell has the buckets that the histogram's bucket may reach over: `bucket` and `spread` below it
minute     that in which the point was read
sizes      of the class, and no smaller or larger than the point says; sums are shared out by executions
repairs    0, and so are statements: no metric has them
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, log2
from typing import NamedTuple

from piql.reporting.cells import BUCKETS_PER_OCTAVE, GAVE_ROWS, TICKS_PER_SECOND

from piql_backend.otlp.points import Labels, Point, Sizes
from piql_backend.otlp.series import New

_MOST_BUCKET = 2_000
_SLACK = 1e-3  # of a bucket: an edge that is the same but for rounding is no part of the next bucket


class ReportedCell(NamedTuple):
    """A row of the table `reported`, in the order of its columns."""

    minute: int
    query: str
    version: int
    outcome: str
    bound: int
    requests_class: int
    rows_class: int
    bucket: int
    executions: int
    operations: int
    rows_given: int
    repairs: int
    statements: int
    least_operations: int
    most_operations: int
    least_rows: int
    most_rows: int
    spread: int


def cells_of(point: Point, new: New) -> Iterator[ReportedCell]:
    """Yield the cells of what is new in a point."""
    labels = point.labels
    requests, rows = _requests(labels, point.requests), _range(labels.rows_class, point.rows)
    total = sum(new.counts.values())
    requests_left = total * requests[0] if new.requests is None else new.requests
    rows_left = total * rows[0] if new.rows is None else new.rows
    left = total
    for lower, upper, count in point.histogram.times(new.counts, point.least_seconds, point.most_seconds):
        operations, rows_given = requests_left * count // left, rows_left * count // left
        left, requests_left, rows_left = left - count, requests_left - operations, rows_left - rows_given
        bucket = min(_MOST_BUCKET, max(0, ceil(_position(upper) - _SLACK) - 1))
        least_bucket = min(bucket, int(_position(lower) + _SLACK))
        yield ReportedCell(
            point.time_ns // (60 * 10**9),
            labels.query,
            labels.version,
            labels.outcome,
            labels.bound,
            labels.requests_class,
            labels.rows_class,
            bucket,
            count,
            operations,
            rows_given,
            0,
            0,
            *requests,
            *rows,
            bucket - least_bucket,
        )


def _position(seconds: float) -> float:
    """Where a time lies among the edges of buckets, of which number n begins the bucket n."""
    return BUCKETS_PER_OCTAVE * log2(1.0 + seconds * TICKS_PER_SECOND)


def _requests(labels: Labels, sizes: Sizes | None) -> tuple[int, int]:
    """The smallest and the largest number of requests: never over the bound, unless the library has seen that."""
    least, most = _range(labels.requests_class, sizes)
    if labels.is_over_bound:
        return max(least, labels.bound + 1), max(most, labels.bound + 1)
    if labels.query and labels.outcome in GAVE_ROWS:
        return min(least, labels.bound), min(most, labels.bound)
    return least, most


def _range(size_class: int, sizes: Sizes | None) -> tuple[int, int]:
    """The smallest and the largest size of a class, and within that what a point says of its executions."""
    smallest, largest = (2 ** (size_class - 1), 2**size_class - 1) if size_class else (0, 0)
    least = smallest if sizes is None or sizes.least is None else sizes.least
    most = largest if sizes is None or sizes.most is None else sizes.most
    return min(max(least, smallest), largest), max(min(most, largest), smallest)
