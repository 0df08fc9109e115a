"""One quantile over all cells of two limits at once, with what is measured, what is safe, and the largest safe limits.

The cells' operators are resolved to the few distinct latencies the model knows; each distinct combination is composed
once, all together.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from piql.compilation import CompiledQuery
from piql.physical.operators import PhysicalNode, WritePlan

from piql_profiler.predictor.cardinalities import Axis, PlanWork, Work, axes
from piql_profiler.predictor.composition import quantile_us
from piql_profiler.predictor.model import Coverage, Model, NotPredictable
from piql_profiler.predictor.predict import REFUSED, composed, coverage_of, refuse_what_is_too_far, warnings_of

_CELLS_AT_ONCE = 256
_STEPS = 512  # of a cell: half of what a single prediction takes, and within 0.2 % of it


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
    """`latency_ms[y][x]` of the worst interval, and beside each cell how it is known and whether it meets the SLO.

    A cell too far beyond what was measured has no latency, and does not meet the SLO.

    y  50 │ 12   19   31 ✗        latency grows with x and with y;
       10 │  4    7   11          largest_safe: (x 50, y 50) and (x 100, y 10)
          └───────────────
            10   50  100  x
    """

    query: str
    model: str
    quantile: float
    x: HeatmapAxis
    y: HeatmapAxis
    latency_ms: tuple[tuple[float | None, ...], ...]
    coverage: tuple[tuple[Coverage, ...], ...]
    meets_slo: tuple[tuple[bool, ...], ...] | None
    largest_safe: tuple[tuple[int, int], ...]
    warnings: tuple[str, ...]
    elapsed_ms: float


def heatmap(
    query: CompiledQuery,
    model: Model,
    x: str,
    y: str,
    *,
    x_values: Sequence[int] | None = None,
    y_values: Sequence[int] | None = None,
    slo: Slo | None = None,
    values: Mapping[str, int] | None = None,
) -> Heatmap:
    """Predict a query over two of its limits, named by their symbols; `values` fixes further ones.

    Give the model of `Measurements.pooled()` for one long interval instead of the worst of all.
    """
    started = time.perf_counter()
    if query.plan is None:
        raise NotPredictable(f"{query.name} is not bounded, so there is no plan to predict")
    if isinstance(query.plan, WritePlan):
        raise NotPredictable(f"{query.name} is a write: no two limits decide how much it does")
    known = {each.symbol: each for each in axes(query)}
    if missing := [symbol for symbol in (x, y) if symbol not in known]:
        raise NotPredictable(f"{query.name} has no limit {missing[0]!r}; it has {', '.join(known) or 'none'}")
    if x == y:
        raise NotPredictable("the two axes of a heatmap are two different limits")
    across = HeatmapAxis(known[x], _checked(x_values) or default_values(known[x].current))
    along = HeatmapAxis(known[y], _checked(y_values) or default_values(known[y].current))
    quantile = slo.quantile if slo else 0.99

    works = _works(query.plan, across, along, values or {})
    coverage = [coverage_of(work, model) for work in works]
    near = [at for at, each in enumerate(coverage) if each is not Coverage.REFUSED]
    if not near:
        refuse_what_is_too_far(works[0].operators, model)
    found = np.full(len(works), np.inf)
    found[near] = _latencies([works[at] for at in near], model, quantile) / 1000
    latency = found.reshape(len(along.values), len(across.values))
    # A larger limit never reads less; what differs here is below the linear grid's step.
    order = np.ix_(np.argsort(along.values), np.argsort(across.values))
    latency[order] = np.maximum.accumulate(np.maximum.accumulate(latency[order], axis=0), axis=1)
    width = len(across.values)
    states = tuple(tuple(coverage[at : at + width]) for at in range(0, len(coverage), width))
    meets = None if slo is None else latency <= slo.threshold_ms
    warnings = _warnings(works, near, model)
    return Heatmap(
        query.name,
        model.name,
        quantile,
        across,
        along,
        tuple(tuple(float(each) if np.isfinite(each) else None for each in row) for row in latency),
        states,
        None if meets is None else tuple(tuple(map(bool, row)) for row in meets),
        () if meets is None else largest_safe(across.values, along.values, meets, states),
        warnings,
        (time.perf_counter() - started) * 1000,
    )


def default_values(current: int, count: int = 5) -> tuple[int, ...]:
    """Give up to `count` even values that end at the current one."""
    return tuple(sorted({max(1, round(current * step / count)) for step in range(1, count + 1)}))


def largest_safe(
    x_values: Sequence[int], y_values: Sequence[int], meets: np.ndarray, states: Sequence[Sequence[Coverage]]
) -> tuple[tuple[int, int], ...]:
    """Give the cells that meet the SLO where neither limit can grow alone; extrapolated cells are never called safe."""
    safe = [
        (x, y)
        for at_y, y in enumerate(y_values)
        for at_x, x in enumerate(x_values)
        if meets[at_y, at_x] and states[at_y][at_x] < Coverage.EXTRAPOLATED
    ]
    return tuple(
        sorted(cell for cell in safe if not any(o != cell and o[0] >= cell[0] and o[1] >= cell[1] for o in safe))
    )


def _warnings(works: Sequence[Work], near: Sequence[int], model: Model) -> tuple[str, ...]:
    """Say what of the cells lies beyond the measured points, and how many are too far beyond."""
    operators = (each for at in near for each in works[at].operators)
    found = warnings_of((max(operators, key=lambda each: model.excess(each.point)),), model)
    if refused := len(works) - len(near):
        found += (
            f"{refused} of {len(works)} cells ask for more than {REFUSED:g} times the largest measured point: "
            "nothing is predicted there",
        )
    return found


def _checked(values: Sequence[int] | None) -> tuple[int, ...] | None:
    if not values:
        return None
    if min(values) < 1:
        raise NotPredictable("a limit is at least 1")
    return tuple(values)


def _works(plan: PhysicalNode, x: HeatmapAxis, y: HeatmapAxis, values: Mapping[str, int]) -> list[Work]:
    work = PlanWork(plan)
    return [work.under({**values, x.axis.symbol: at_x, y.axis.symbol: at_y}) for at_y in y.values for at_x in x.values]


def _latencies(works: Sequence[Work], model: Model, q: float) -> np.ndarray:
    """Give the quantile of each cell in its worst interval, composing each distinct combination once."""
    keys = [tuple(model.key(each.point) for each in work.operators) for work in works]
    distinct = {key: at for at, key in reversed(list(enumerate(keys)))}
    results: dict[object, float] = {}
    chosen = list(distinct.items())
    at_once = max(1, _CELLS_AT_ONCE // model.intervals)
    for start in range(0, len(chosen), at_once):
        part = chosen[start : start + at_once]
        curves = [
            np.concatenate([model.curves(works[at].operators[leaf].point) for _, at in part])
            for leaf in range(len(part[0][0]))
        ]
        found = quantile_us(composed(works[part[0][1]], model), curves, q, correlation=model.correlation, steps=_STEPS)
        worst = found.reshape(len(part), model.intervals).max(axis=1)
        results.update((key, float(value)) for (key, _), value in zip(part, worst, strict=True))
    return np.array([results[key] for key in keys])
