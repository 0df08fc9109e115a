"""One quantile over two limits, or along one, with what is measured, what is safe, and the largest safe limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from piql.compiler.result import CompiledQuery

from piql_profiler.predictor.cardinalities import Axis
from piql_profiler.predictor.cells import known_axes, predict_cells
from piql_profiler.predictor.model import Coverage, Model, NotPredictable


@dataclass(frozen=True, slots=True)
class Slo:
    """A share `quantile` of executions within `threshold_ms`, in each interval."""

    quantile: float
    threshold_ms: float


@dataclass(frozen=True, slots=True)
class HeatmapAxis:
    """A limit and the values it takes along one side."""

    axis: Axis
    values: tuple[int, ...]


@dataclass(frozen=True)
class Heatmap:
    """`latency_ms[y][x]` in the worst interval and `typical_ms[y][x]` in the median one, with each cell's coverage.

    A cell too far beyond what was measured has no latency, and does not meet the SLO. Along one limit there is no `y`:
    there is one row of cells, and the second value of each pair in `largest_safe` is None.

    y  50 │ 12   19   31 ✗        latency grows with x and with y;
       10 │  4    7   11          largest_safe: (x 50, y 50) and (x 100, y 10)
          └───────────────
            10   50  100  x
    """

    query: str
    model: str
    quantile: float
    x: HeatmapAxis
    y: HeatmapAxis | None
    latency_ms: tuple[tuple[float | None, ...], ...]
    typical_ms: tuple[tuple[float | None, ...], ...]
    coverage: tuple[tuple[Coverage, ...], ...]
    meets_slo: tuple[tuple[bool, ...], ...] | None
    largest_safe: tuple[tuple[int, int | None], ...]
    warnings: tuple[str, ...]


def heatmap(
    query: CompiledQuery,
    model: Model,
    x: str,
    y: str | None = None,
    *,
    x_values: Sequence[int] | None = None,
    y_values: Sequence[int] | None = None,
    slo: Slo | None = None,
    values: Mapping[str, int] | None = None,
) -> Heatmap:
    """Predict a query over two of its limits, or along one, named by their symbols; `values` fixes further ones.

    With the model of `Measurements.pooled()` there is one long interval instead of the worst of all. Raises
    NotPredictable for an unknown limit, NotMeasured where every cell is too far beyond what was measured.
    """
    if x == y:
        raise NotPredictable("the two axes of a heatmap are two different limits")
    fixed = values or {}
    known = known_axes(query, (x, *([] if y is None else [y]), *fixed))
    across = _axis(known[x], x_values)
    along = None if y is None else _axis(known[y], y_values)
    rows = [fixed] if y is None or along is None else [{**fixed, y: value} for value in along.values]
    y_steps = (1,) if along is None else along.values
    quantile = slo.quantile if slo else 0.99
    cells = predict_cells(query, model, [{**row, x: value} for row in rows for value in across.values], quantile)
    latency = _growing(cells.latency_ms, across.values, y_steps)
    width = len(across.values)
    states = tuple(cells.coverage[at : at + width] for at in range(0, len(cells.coverage), width))
    meets = None if slo is None else latency <= slo.threshold_ms
    pairs = () if meets is None else largest_safe(across.values, y_steps, meets, states)
    return Heatmap(
        query.name,
        model.name,
        quantile,
        across,
        along,
        _known(latency),
        _known(_growing(cells.typical_ms, across.values, y_steps)),
        states,
        None if meets is None else tuple(tuple(map(bool, row)) for row in meets),
        tuple((at_x, None if along is None else at_y) for at_x, at_y in pairs),
        cells.warnings,
    )


def _axis(axis: Axis, values: Sequence[int] | None) -> HeatmapAxis:
    return HeatmapAxis(axis, checked(values) or default_values(axis.current))


def _growing(latency_ms: np.ndarray, x_values: Sequence[int], y_values: Sequence[int]) -> np.ndarray:
    """The cells as rows, made to grow with both limits: a larger limit never reads less, so a fall is rounding."""
    cells = latency_ms.reshape(len(y_values), len(x_values))
    order = np.ix_(np.argsort(y_values), np.argsort(x_values))
    cells[order] = np.maximum.accumulate(np.maximum.accumulate(cells[order], axis=0), axis=1)
    return cells


def _known(cells: np.ndarray) -> tuple[tuple[float | None, ...], ...]:
    return tuple(tuple(float(cell) if np.isfinite(cell) else None for cell in row) for row in cells)


def default_values(current: int, count: int = 5) -> tuple[int, ...]:
    """Up to `count` evenly spaced values that end at the current one."""
    return tuple(sorted({max(1, round(current * step / count)) for step in range(1, count + 1)}))


def largest_safe(
    x_values: Sequence[int], y_values: Sequence[int], meets: np.ndarray, states: Sequence[Sequence[Coverage]]
) -> tuple[tuple[int, int], ...]:
    """The cells that meet the SLO where neither limit can grow alone; extrapolated cells are never called safe."""
    safe = [
        (x, y)
        for at_y, y in enumerate(y_values)
        for at_x, x in enumerate(x_values)
        if meets[at_y, at_x] and states[at_y][at_x] < Coverage.EXTRAPOLATED
    ]
    return tuple(
        sorted(
            (x, y)
            for x, y in safe
            if not any((wide, high) != (x, y) and wide >= x and high >= y for wide, high in safe)
        )
    )


def checked(values: Sequence[int] | None) -> tuple[int, ...] | None:
    """The values an axis is asked to take, or None where none are named."""
    if not values:
        return None
    if min(values) < 1:
        raise NotPredictable("a limit is at least 1")
    return tuple(values)
