"""Where a point lies among the measured points of its operator: measured, between them, or how far beyond them.

A dimension is one of the four coordinates of a point: child rows, rows, bytes and columns. Its levels are the values
that were measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from piql_profiler.measure.grid import Operator, Point
from piql_profiler.measure.measurements import Measurements, OperatorCounts
from piql_profiler.predictor.model import Coverage, NotMeasured

BYTES, COLUMNS = 2, 3  # indexes of these dimensions


@dataclass(frozen=True, slots=True)
class Levels:
    """The measured values of each dimension of one operator, ascending, and the coordinates of its points."""

    operator: Operator
    dimensions: tuple[tuple[int, ...], ...]
    points: frozenset[tuple[int, ...]]

    @classmethod
    def of(cls, measured: OperatorCounts) -> Levels:
        coordinates = [point.coordinates for point in measured.points]
        return cls(
            measured.operator,
            tuple(tuple(sorted(set(values))) for values in zip(*coordinates, strict=True)),
            frozenset(coordinates),
        )

    def rounded_up(self, point: Point) -> tuple[int, ...]:
        """The next larger measured value in each dimension; the largest for what lies beyond."""
        return tuple(
            next((level for level in levels if level >= value), levels[-1])
            for value, levels in zip(point.coordinates, self.dimensions, strict=True)
        )

    def excess(self, point: Point) -> tuple[float, ...]:
        """How many times as large as the largest measured value the point is, in each dimension; 1 inside."""
        return tuple(
            max(1.0, value / levels[-1]) for value, levels in zip(point.coordinates, self.dimensions, strict=True)
        )

    def coverage(self, point: Point) -> Coverage:
        """Whether a point is measured, interpolated or extrapolated.

        It counts as measured where its child rows and rows were measured together with the next larger bytes and
        columns: of these a grid has only a few levels.
        """
        if max(self.excess(point)) > 1.0:
            return Coverage.EXTRAPOLATED
        rounded = self.rounded_up(point)
        if rounded in self.points and rounded[:2] == point.coordinates[:2]:
            return Coverage.MEASURED
        return Coverage.INTERPOLATED


def as_measured(levels: Mapping[Operator, Levels], point: Point) -> Point:
    """The point that stands for one whose operator, or number of columns, a profile has not measured.

    Profiles of earlier versions did not measure joins that read forwards: reading backwards takes at least as long. A
    dereference and a foreign-key join both get one record a row, and a get takes at most as long as a scan of one row.
    Where only one number of columns was measured, nothing is known of others, and a point is taken to have that number.
    """
    if point.operator is Operator.FORWARD_JOIN and point.operator not in levels:
        point = replace(point, operator=Operator.SORTED_INDEX_JOIN)
    if point.operator is Operator.DEREFERENCE and point.operator not in levels:
        point = replace(point, operator=Operator.INDEX_FK_JOIN)
    if point.operator is Operator.INDEX_FK_JOIN and point.child_rows == 1 and point.operator not in levels:
        point = replace(point, operator=Operator.INDEX_SCAN)
    if point.operator in levels and len(numbers := levels[point.operator].dimensions[COLUMNS]) == 1:
        point = replace(point, columns=numbers[0])
    return point


def levels_of(measurements: Measurements) -> Mapping[Operator, Levels]:
    """The levels of each measured operator."""
    return {operator: Levels.of(measured) for operator, measured in measurements.operators.items()}


def require(levels: Mapping[Operator, Levels], point: Point) -> Levels:
    """The levels of a point's operator; NotMeasured where it was not measured."""
    if point.operator not in levels:
        words = f"the profile has no measurement of {point.operator.value}: profile a grid that holds it"
        raise NotMeasured(words, point, is_beyond=False)
    return levels[point.operator]
