"""Predicts one quantile for many settings of a query's limits at once: the cells of heatmaps and curves.

Many cells have operators of the same latency for the model (`Model.key`). Each distinct combination of them is composed
only once, and all combinations together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from piql.compiler.physical.unit_plan import UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import CompiledQuery

from piql_profiler.predictor.cardinalities import Axis, PlanWork, Work, axes
from piql_profiler.predictor.composition import quantile_us
from piql_profiler.predictor.model import Coverage, Model, NotPredictable
from piql_profiler.predictor.predict import REFUSED, composed, coverage_of, refuse_what_is_too_far, warnings_of
from piql_profiler.predictor.worst_interval import FIRST, estimate, worst_and_typical

_ROWS_AT_ONCE = 256  # cells that are composed together
_STEPS = 512  # of the linear grid: half of a single prediction's, and within 0.2 % of it


@dataclass(frozen=True)
class Cells:
    """The latency of each setting: `latency_ms` in its worst interval, `typical_ms` in its median one.

    Both are infinite where a setting is too far beyond what was measured.
    """

    latency_ms: np.ndarray
    typical_ms: np.ndarray
    coverage: tuple[Coverage, ...]
    warnings: tuple[str, ...]


def known_axes(query: CompiledQuery, symbols: Iterable[str]) -> dict[str, Axis]:
    """The limits of a query by their symbols; NotPredictable for a symbol that it does not have."""
    if isinstance(query.plan, WritePlan | UnitPlan):
        raise NotPredictable(f"the query {query.name} is a write: no limit decides how much it does")
    if query.plan is None:
        raise NotPredictable(f"the query {query.name} is not bounded, so there is no plan to predict")
    axis_of_symbol = {axis.symbol: axis for axis in axes(query)}
    for symbol in symbols:
        if symbol not in axis_of_symbol:
            raise NotPredictable(
                f"the query {query.name} has no limit {symbol!r}; it has {', '.join(axis_of_symbol) or 'none'}"
            )
    return axis_of_symbol


def predict_cells(query: CompiledQuery, model: Model, settings: Sequence[Mapping[str, int]], q: float) -> Cells:
    """Predict a quantile under each setting; NotMeasured where all of them are too far from what was measured."""
    assert query.plan is not None
    assert not isinstance(query.plan, WritePlan | UnitPlan)
    work = PlanWork(query.plan)
    works = [work.under(setting) for setting in settings]
    coverage = tuple(coverage_of(work, model) for work in works)
    predicted = [number for number, state in enumerate(coverage) if state is not Coverage.REFUSED]
    if not predicted:
        refuse_what_is_too_far(works[0].operators, model)
    worst, typical = np.full((2, len(works)), np.inf)
    worst[predicted], typical[predicted] = _latencies([works[number] for number in predicted], model, q) / 1000
    return Cells(worst, typical, coverage, _warnings(works, predicted, model))


def _warnings(works: Sequence[Work], predicted: Sequence[int], model: Model) -> tuple[str, ...]:
    """A warning about the operator that lies farthest beyond the measured points, and one about refused cells."""
    operators = (operator for number in predicted for operator in works[number].operators)
    warnings = warnings_of((max(operators, key=lambda operator: model.excess(operator.point)),), model)
    if refused := len(works) - len(predicted):
        warnings += (
            f"{refused} of {len(works)} cells ask for more than {REFUSED:g} times the largest measured point: "
            "nothing is predicted there",
        )
    return warnings


def _latencies(works: Sequence[Work], model: Model, q: float) -> np.ndarray:
    """The quantile of each cell in its worst and its median interval; each distinct combination is composed once.

    They are the two rows of the array that is returned, in µs.
    """
    keys = [tuple(model.key(operator.point) for operator in work.operators) for work in works]
    distinct = {key: at for at, key in reversed(list(enumerate(keys)))}
    composition = composed(works[0], model)
    curves = [[model.curves(operator.point) for operator in works[at].operators] for at in distinct.values()]

    def exact(cells: np.ndarray, intervals: np.ndarray) -> np.ndarray:
        """Compose cells, each in the interval beside it."""
        latencies = []
        for start in range(0, len(cells), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            pairs = [(curves[cell], interval) for cell, interval in zip(cells[part], intervals[part], strict=True)]
            leaves = [
                np.stack([of_cell[leaf][interval] for of_cell, interval in pairs]) for leaf in range(len(curves[0]))
            ]
            latencies.append(quantile_us(composition, leaves, q, correlation=model.correlation, steps=_STEPS))
        return np.concatenate(latencies)

    estimates = np.ones((len(curves), model.intervals))
    if model.intervals > FIRST:
        estimates = np.stack([estimate(composition, curve, q, correlation=model.correlation) for curve in curves])
    results = dict(zip(distinct, zip(*worst_and_typical(estimates, exact), strict=True), strict=True))
    return np.array([results[key] for key in keys]).T
