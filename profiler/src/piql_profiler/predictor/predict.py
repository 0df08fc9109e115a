"""From a plan to its latency: one distribution for each profile interval, of the plan and of each operator.

plan ──work_of──▶ operators with sizes ──model.curves──▶ latencies of each ──composition──▶ Prediction
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median_low

import numpy as np
from piql.compiler.physical.unit_plan import QueryPlan, UnitPlan

from piql_profiler.measure.histogram import Curve, quantile_of_curve
from piql_profiler.predictor.blame import blame_us
from piql_profiler.predictor.cardinalities import RemoteWork, Work, work_of
from piql_profiler.predictor.composition import Composition, Leaf, Serial, in_sequence, quantile_us, shares_within
from piql_profiler.predictor.model import Coverage, Model, NotMeasured, NotPredictable

FARTHEST = 1.5  # times the largest measured value: beyond, a prediction has a warning
REFUSED = 5.0  # times the largest measured value: beyond, nothing is predicted
NOISY = 2.0  # times the typical interval: a worst interval beyond tells more of the machine than of the query


@dataclass(frozen=True, slots=True)
class OperatorPrediction:
    """One remote operator of a plan, by its path, with its point.

    `p99_ms` is its p99 alone in its worst interval, `typical_ms` that in its median one. `blame_ms` is its part of the
    plan's p99 in the plan's worst interval; the parts of all operators add up to it.
    """

    path: tuple[int, ...]
    operator: str
    point: object
    p99_ms: float
    coverage: Coverage
    blame_ms: float
    typical_ms: float


@dataclass(frozen=True)
class Prediction:
    """The predicted latency of one plan under one setting of its limits.

    Single numbers are of the worst interval, except `typical_ms`, which is the estimate: that of the median interval.
    """

    model: str
    p99_by_interval_ms: tuple[float, ...]
    operators: tuple[OperatorPrediction, ...]
    coverage: Coverage
    warnings: tuple[str, ...]
    _work: Work = field(repr=False)
    _model: Model = field(repr=False)

    @property
    def p99_ms(self) -> float:
        return max(self.p99_by_interval_ms)

    @property
    def typical_ms(self) -> float:
        return self.typical_quantile_ms(0.99)

    @property
    def is_noisy(self) -> bool:
        """Whether the intervals of the profile differ too much for one number to stand for them."""
        return _is_noisy(self.p99_by_interval_ms)

    @property
    def conservative_ms(self) -> float | None:
        """What the p99 of the worst interval stays below in 90 of 100 cases; None if unknown."""
        return None if self.careful_factor is None else self.p99_ms * self.careful_factor

    @property
    def careful_factor(self) -> float | None:
        """How many times the worst interval's p99 `conservative_ms` is; None if unknown."""
        factor = upper_factor_of(self._work, self._model)
        return None if factor is None else max(1.0, factor)

    @property
    def p50_ms(self) -> float:
        return self.quantile_ms(0.5)

    def quantile_by_interval_ms(self, q: float) -> tuple[float, ...]:
        """The quantile `q` in each interval, in ms."""
        return _quantiles_ms(self._work, self._model, q)

    def typical_quantile_ms(self, q: float) -> float:
        """The quantile `q` in its median interval, in ms."""
        return median_low(self.p99_by_interval_ms if q == 0.99 else self.quantile_by_interval_ms(q))

    def quantile_ms(self, q: float) -> float:
        """The quantile `q` in its worst interval, in ms."""
        return max(self.quantile_by_interval_ms(q))

    def shares_by_interval(self, thresholds_ms: Sequence[float]) -> Curve:
        """The share of executions that take at most each threshold: a row for each interval."""
        curves = [self._model.curves(operator.point) for operator in self._work.operators]
        latencies_us = [threshold_ms * 1000 for threshold_ms in thresholds_ms]
        together, correlation = composed(self._work, self._model), correlation_of(self._work, self._model)
        return shares_within(together, curves, latencies_us, correlation=correlation)

    def meets(self, q: float, threshold_ms: float) -> bool:
        """Whether a share `q` stays within the threshold in every interval."""
        return self.quantile_ms(q) <= threshold_ms


def predict(plan: QueryPlan, model: Model, values: Mapping[str, int] | None = None) -> Prediction:
    """Predict the latency of a plan; `values` replaces limits by their symbols (see `cardinalities`).

    Raises NotPredictable, also for a unit where the model is of a store without transactions.
    """
    return predict_work(work_by(model, plan, values), model)


def work_by(model: Model, plan: QueryPlan, values: Mapping[str, int] | None = None) -> Work:
    """Return the work of a plan on the kind of store that a model is of; raise as `predict`."""
    if isinstance(plan, UnitPlan) and not model.has_transactions:
        raise NotPredictable("it is a unit, and what decides one without transactions is not measured")
    return work_of(plan, values, is_stepped=not model.has_transactions)


def predict_work(work: Work, model: Model) -> Prediction:
    """Predict operators and how they run together; NotMeasured where one is too far beyond what was measured."""
    refuse_what_is_too_far(work.operators, model)
    curves = [model.curves(operator.point) for operator in work.operators]
    together, correlation = composed(work, model), correlation_of(work, model)
    if model.intervals == 1:  # the parts add up to what is predicted
        (blame,) = blame_us(together, curves, 0.99, correlation=correlation)
        p99: tuple[float, ...] = (float(blame.sum()) / 1000,)
    else:
        p99 = _quantiles_ms(work, model, 0.99)
        worst = p99.index(max(p99))
        of_worst = [curve[worst : worst + 1] for curve in curves]
        known = np.array([p99[worst] * 1000])
        (blame,) = blame_us(together, of_worst, 0.99, correlation=correlation, whole=known)
    operators = tuple(
        OperatorPrediction(
            operator.path,
            operator.operator,
            operator.point,
            float(quantile_of_curve(curve, 0.99).max()) / 1000,
            model.coverage(operator.point),
            float(part) / 1000,
            float(median_low(quantile_of_curve(curve, 0.99))) / 1000,
        )
        for operator, curve, part in zip(work.operators, curves, blame, strict=True)
    )
    return Prediction(
        model.name,
        p99,
        _over_levels(work, operators, curves, correlation),
        max(operator.coverage for operator in operators),
        (*warnings_of(work.operators, model), *_noise(p99)),
        work,
        model,
    )


def _is_noisy(p99_by_interval_ms: Sequence[float]) -> bool:
    return max(p99_by_interval_ms) > NOISY * median_low(p99_by_interval_ms)


def _noise(p99_by_interval_ms: Sequence[float]) -> tuple[str, ...]:
    """A warning about a noisy run."""
    if not _is_noisy(p99_by_interval_ms):
        return ()
    return (
        f"a noisy run: the p99 of its {len(p99_by_interval_ms)} intervals goes from {min(p99_by_interval_ms):.3g} to "
        f"{max(p99_by_interval_ms):.3g} ms; profile again while the machine is quiet, or with more intervals",
    )


def _quantiles_ms(work: Work, model: Model, q: float) -> tuple[float, ...]:
    curves = [model.curves(operator.point) for operator in work.operators]
    latencies_us = quantile_us(composed(work, model), curves, q, correlation=correlation_of(work, model))
    return tuple(float(latency_us) / 1000 for latency_us in latencies_us)


def composed(work: Work, model: Model) -> Composition:
    """How the operators of a plan run together on the store of this model."""
    return in_sequence(work.composition) if model.is_answered_in_turn else work.composition


def correlation_of(work: Work, model: Model) -> float:
    """How much the operators share a cause; a page that also writes is taken for a write."""
    is_writing = any(operator.point.operator.is_of_writes for operator in work.operators)
    return model.write_correlation if is_writing else model.correlation


def upper_factor_of(work: Work, model: Model) -> float | None:
    """What a prediction is multiplied by for the bound; of a page that reads and writes, the larger of both."""
    kinds = {operator.point.operator.is_of_writes for operator in work.operators}
    factors = [model.write_factor if is_write else model.upper_factor for is_write in kinds]
    known_factors = [factor for factor in factors if factor is not None]
    return max(known_factors) if len(known_factors) == len(factors) else None


def coverage_of(work: Work, model: Model) -> Coverage:
    """The coverage of the least known operator of a plan."""
    if any(model.excess(operator.point) > REFUSED for operator in work.operators):
        return Coverage.REFUSED
    return max(model.coverage(operator.point) for operator in work.operators)


def _over_levels(
    work: Work, operators: Sequence[OperatorPrediction], curves: Sequence[Curve], correlation: float
) -> tuple[OperatorPrediction, ...]:
    """Return one prediction an operator: what runs on several levels, one after the other, is taken together.

    Its point is that of its largest level.
    """
    runs: list[list[int]] = []
    last: dict[tuple[int, ...], list[int]] = {}
    for at, operator in enumerate(work.operators):
        if operator.level and operator.path in last:
            last[operator.path].append(at)
        else:
            last[operator.path] = [at]
            runs.append(last[operator.path])
    return tuple(operators[run[0]] if len(run) == 1 else _as_one(run, operators, curves, correlation) for run in runs)


def _as_one(
    run: Sequence[int], operators: Sequence[OperatorPrediction], curves: Sequence[Curve], correlation: float
) -> OperatorPrediction:
    parts = [operators[at] for at in run]
    p99 = quantile_us(Serial(tuple(map(Leaf, run))), curves, 0.99, correlation=correlation)
    return replace(
        max(parts, key=lambda part: part.p99_ms),
        p99_ms=float(p99.max()) / 1000,
        coverage=max(part.coverage for part in parts),
        blame_ms=sum(part.blame_ms for part in parts),
        typical_ms=float(median_low(p99)) / 1000,
    )


def refuse_what_is_too_far(operators: Sequence[RemoteWork], model: Model) -> None:
    """Raise NotMeasured for operators many times larger than all that was measured: nothing tells their latency."""
    for operator in operators:
        excess = model.excess(operator.point)
        if excess > REFUSED:
            raise NotMeasured(
                f"{operator.point} is {excess:.1f} times the largest measured point, and beyond {REFUSED:g} times "
                "nothing is predicted: profile a larger grid",
                operator.point,
                is_beyond=True,
            )


def warnings_of(operators: tuple[RemoteWork, ...], model: Model) -> tuple[str, ...]:
    """A warning for each operator beyond the measured points: extrapolated, or too far beyond to be relied on."""
    warnings = []
    for operator in operators:
        excess = model.excess(operator.point)
        if excess > FARTHEST:
            warnings.append(
                f"{operator.point} is {excess:.1f} times the largest measured point: "
                "profile a larger grid before relying on this number"
            )
        elif excess > 1.0:
            warnings.append(f"{operator.point} lies beyond the largest measured point: the number is extrapolated")
    return tuple(dict.fromkeys(warnings))
