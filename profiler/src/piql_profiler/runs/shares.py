"""How an interval's time is shared: by what each point still lacks to be known, over all intervals so far.

    p99 is known to     ± 5 %      ± 20 %                        no upper end: under 300 executions     target: ± 5 %
    so it lacks         nothing    fifteen times what it had     what brings it to `ENOUGH`

Where there is not enough time for all points, those that lack least come first: if time were shared in proportion, no
point would be known before all are. Every point keeps a small share, so that it is measured in each interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from piql_profiler.measure.grid import Point
from piql_profiler.measure.histogram import merge_all
from piql_profiler.measure.measurements import Measurement
from piql_profiler.measure.precision import precision_of

ENOUGH = 600  # independent executions, after which the interval of a p99 tells what it still lacks
_KEPT = 0.2  # of an equal share, for every point


@dataclass(frozen=True, slots=True)
class Known:
    """How many points are known to ± `precision` of their p99, and what measuring all took."""

    precision: float
    points: int
    of: int
    seconds: float

    def __str__(self) -> str:
        share = self.points / max(self.of, 1)
        return (
            f"{self.points} of {self.of} points ({share:.0%}) known to ± {self.precision:.0%} "
            f"after {self.seconds:.0f} s of measuring"
        )


def known(points: Sequence[Point], cells: Sequence[Measurement], precision: float) -> Known:
    """Count the points that are known from all intervals together."""
    cells_by_point = _by_point(points, cells)
    enough = sum(half_width(cells_of_point) <= precision for cells_of_point in cells_by_point.values())
    return Known(precision, enough, len(points), sum(cell.seconds for cell in cells))


def shares(
    points: Sequence[Point], cells: Sequence[Measurement], seconds: float, precision: float | None
) -> Mapping[Point, float]:
    """The seconds of each point in an interval; equal ones without a precision, or while nothing is measured."""
    equal = seconds / max(len(points), 1)
    if precision is None or not cells:
        return dict.fromkeys(points, equal)
    floor = _KEPT * equal
    extra_seconds = least_lacking_first(points, cells, seconds - floor * len(points), precision)
    return {point: floor + extra_seconds.get(point, 0.0) for point in points}


def least_lacking_first(
    points: Sequence[Point], cells: Sequence[Measurement], seconds: float, precision: float
) -> Mapping[Point, float]:
    """The seconds that each point lacks until its p99 is known, `seconds` in all: points that lack least come first.

    Points that lack nothing, or for which no time is left, are left out.
    """
    equal = seconds / max(len(points), 1)
    lacks = {
        point: _lacking(cells_of_point, precision, equal) for point, cells_of_point in _by_point(points, cells).items()
    }
    seconds_of_points: dict[Point, float] = {}
    for point in sorted(points, key=lambda point: lacks[point]):
        share = min(lacks[point], seconds)
        if share > 0.0:
            seconds_of_points[point] = share
            seconds -= share
    return seconds_of_points


def half_width(cells: Sequence[Measurement]) -> float:
    """The half-width of the p99 of one point, as a share of it; infinite where that is not known."""
    histogram = merge_all(cell.histogram for cell in cells)
    return precision_of(histogram, _worth(cells)).half_width if histogram.total else math.inf


def _lacking(cells: Sequence[Measurement], precision: float, equal: float) -> float:
    """The seconds that a point still needs, from those that it had: the half-width shrinks with their square root."""
    spent, width = sum(cell.seconds for cell in cells), half_width(cells)
    if not spent:
        return equal
    if math.isfinite(width):
        return max(0.0, spent * ((width / precision) ** 2 - 1))
    return spent * max(0.0, ENOUGH / max(_worth(cells), 1.0) - 1)


def _worth(cells: Sequence[Measurement]) -> float:
    return sum(cell.worth for cell in cells)


def _by_point(points: Sequence[Point], cells: Sequence[Measurement]) -> dict[Point, list[Measurement]]:
    cells_by_point: dict[Point, list[Measurement]] = {point: [] for point in points}
    for cell in cells:
        if cell.point in cells_by_point:
            cells_by_point[cell.point].append(cell)
    return cells_by_point
