"""One quantile for many settings of a query's limits at once: what heatmaps and curves are made of.

The cells' operators are resolved to the few distinct latencies the model knows; each distinct combination is composed
once, all together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from piql.compiler.physical.operators import WritePlan
from piql.compiler.result import CompiledQuery

from piql_profiler.predictor.cardinalities import Axis, PlanWork, Work, axes
from piql_profiler.predictor.composition import quantile_us
from piql_profiler.predictor.model import Coverage, Model, NotPredictable
from piql_profiler.predictor.predict import REFUSED, composed, coverage_of, refuse_what_is_too_far, warnings_of
from piql_profiler.predictor.worst_interval import FIRST, estimate, worst_and_typical

_ROWS_AT_ONCE = 256
_STEPS = 512  # of a cell: half of what a single prediction takes, and within 0.2 % of it


@dataclass(frozen=True)
class Cells:
    """The latency of each setting in its worst interval; infinite where it is too far beyond what was measured.

    `typical_ms` is that of its median interval.
    """

    latency_ms: np.ndarray
    typical_ms: np.ndarray
    coverage: tuple[Coverage, ...]
    warnings: tuple[str, ...]


def known_axes(query: CompiledQuery, symbols: Iterable[str]) -> dict[str, Axis]:
    """The limits of a query by their symbols; NotPredictable for a symbol that it does not have."""
    if isinstance(query.plan, WritePlan):
        raise NotPredictable(f"{query.name} is a write: no limit decides how much it does")
    if query.plan is None:
        raise NotPredictable(f"{query.name} is not bounded, so there is no plan to predict")
    axis_of_symbol = {axis.symbol: axis for axis in axes(query)}
    for symbol in symbols:
        if symbol not in axis_of_symbol:
            raise NotPredictable(f"{query.name} has no limit {symbol!r}; it has {', '.join(axis_of_symbol) or 'none'}")
    return axis_of_symbol


def predict_cells(query: CompiledQuery, model: Model, settings: Sequence[Mapping[str, int]], q: float) -> Cells:
    """Predict a quantile under each setting; NotMeasured where all of them are too far from what was measured."""
    assert query.plan is not None
    assert not isinstance(query.plan, WritePlan)
    work = PlanWork(query.plan)
    works = [work.under(setting) for setting in settings]
    coverage = tuple(coverage_of(work, model) for work in works)
    near = [at for at, state in enumerate(coverage) if state is not Coverage.REFUSED]
    if not near:
        refuse_what_is_too_far(works[0].operators, model)
    worst, typical = np.full((2, len(works)), np.inf)
    worst[near], typical[near] = _latencies([works[at] for at in near], model, q) / 1000
    return Cells(worst, typical, coverage, _warnings(works, near, model))


def _warnings(works: Sequence[Work], near: Sequence[int], model: Model) -> tuple[str, ...]:
    """What of the cells lies beyond the measured points, and how many are too far beyond."""
    operators = (operator for at in near for operator in works[at].operators)
    warnings = warnings_of((max(operators, key=lambda operator: model.excess(operator.point)),), model)
    if refused := len(works) - len(near):
        warnings += (
            f"{refused} of {len(works)} cells ask for more than {REFUSED:g} times the largest measured point: "
            "nothing is predicted there",
        )
    return warnings


def _latencies(works: Sequence[Work], model: Model, q: float) -> np.ndarray:
    """The quantile of each cell in its worst and its median interval; each distinct combination is composed once.

    Both come as the two rows of one array, in µs.
    """
    keys = [tuple(model.key(operator.point) for operator in work.operators) for work in works]
    distinct = {key: at for at, key in reversed(list(enumerate(keys)))}
    composition = composed(works[0], model)
    curves = [[model.curves(operator.point) for operator in works[at].operators] for at in distinct.values()]

    def exact(cells: np.ndarray, intervals: np.ndarray) -> np.ndarray:
        latencies = []
        for start in range(0, len(cells), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            pairs = [(curves[cell], at) for cell, at in zip(cells[part], intervals[part], strict=True)]
            leaves = [np.stack([of_cell[leaf][at] for of_cell, at in pairs]) for leaf in range(len(curves[0]))]
            latencies.append(quantile_us(composition, leaves, q, correlation=model.correlation, steps=_STEPS))
        return np.concatenate(latencies)

    about = np.ones((len(curves), model.intervals))
    if model.intervals > FIRST:
        about = np.stack([estimate(composition, curve, q, correlation=model.correlation) for curve in curves])
    results = dict(zip(distinct, zip(*worst_and_typical(about, exact), strict=True), strict=True))
    return np.array([results[key] for key in keys]).T
