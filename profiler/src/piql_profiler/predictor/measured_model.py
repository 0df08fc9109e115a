"""What every model does with the points of a profile: how well they cover another, and how wrong predictions were."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, cast

from piql.trees.cached_property import cached_property

from piql_profiler.measure.grid import Point
from piql_profiler.measure.histogram import Curve
from piql_profiler.measure.measurements import Measurements
from piql_profiler.predictor.conformal import calibrate, calibrate_writes
from piql_profiler.predictor.levels import as_measured, levels_of, require
from piql_profiler.predictor.model import Coverage

if TYPE_CHECKING:
    from collections.abc import Callable

    from piql_profiler.predictor.model import Model


class MeasuredModel:
    """The part of a `Model` that is the same however it computes curves; a subclass is built of measurements alone."""

    def __init__(self, measurements: Measurements) -> None:
        self.intervals = measurements.intervals
        self.is_answered_in_turn = measurements.is_answered_in_turn
        self.has_transactions = measurements.has_transactions
        self._measurements = measurements
        self._levels = levels_of(measurements)
        self._cache: dict[Hashable, Curve] = {}

    @property
    def _build(self) -> Callable[[Measurements], Model]:
        return cast("Callable[[Measurements], Model]", type(self))

    @cached_property
    def upper_factor(self) -> float | None:
        return calibrate(self._measurements, self._build).factor()

    @cached_property
    def write_factor(self) -> float | None:
        return calibrate_writes(self._measurements, self._build).factor()

    def coverage(self, point: Point) -> Coverage:
        point = as_measured(self._levels, point)
        return require(self._levels, point).coverage(point)

    def excess(self, point: Point) -> float:
        point = as_measured(self._levels, point)
        return max(require(self._levels, point).excess(point))
