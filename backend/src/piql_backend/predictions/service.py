"""Predicts plans from profile runs; the models of the runs used last are kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

from piql.compiler.result import CompiledQuery
from piql_profiler.predictor.cardinalities import Work
from piql_profiler.predictor.heatmap import HeatmapAxis, Slo, heatmap
from piql_profiler.predictor.model import Coverage, Model, NotMeasured, NotPredictable
from piql_profiler.predictor.models import build_model
from piql_profiler.predictor.pages import predict_page, steps_of
from piql_profiler.predictor.predict import Prediction, predict, predict_work
from piql_profiler.predictor.risk import risk_of
from piql_profiler.predictor.safe_limits import safe_limits
from piql_profiler.predictor.sizes import Size, size_at_limits, work_at
from piql_profiler.runs.run_files import UnreadableRun, load

from piql_backend.compilations.node_ids import node_id
from piql_backend.compilations.reading import read_span
from piql_backend.compilations.service import Compilations
from piql_backend.errors import ApiError
from piql_backend.predictions.questions import ForAll, ForQuantiles, ForSizes, SizeEstimates
from piql_backend.predictions.schemas import (
    CellState,
    EstimateRead,
    HeatmapAxisRead,
    HeatmapCreate,
    HeatmapRead,
    LargestLimitRead,
    MissingPointRead,
    NoPredictionRead,
    OperatorPredictionRead,
    PagePartRead,
    PagePredictionCreate,
    PagePredictionRead,
    PredictionCreate,
    PredictionRead,
    PredictionSetCreate,
    PredictionSetRead,
    RiskRead,
    SafeLimitRead,
    SafeLimitsCreate,
    SafeLimitsRead,
)
from piql_backend.profile_runs.schemas import ProfileRunRead
from piql_backend.schema import SloWrite

_MODELS_KEPT = 4
_QUERIES_OF_A_PAGE = 30


class Runs(Protocol):
    """Where runs and their measurements are found; 404 and 409 for those that cannot be used."""

    def read(self, run_id: str) -> ProfileRunRead: ...

    def measurements_of(self, run_id: str) -> Path: ...


class Predictions:
    """Joins the compiler's plans with the models of profile runs."""

    def __init__(self, compilations: Compilations, runs: Runs) -> None:
        self._compilations = compilations
        self._runs = runs
        self._models: OrderedDict[str, Model] = OrderedDict()
        self._lock = threading.Lock()

    def model(self, run_id: str) -> Model:
        """The model of a profile run; ApiError 404 for a run that is not known, 409 for one that is not done."""
        folder = self._runs.measurements_of(run_id)
        with self._lock:
            if run_id not in self._models:
                self._models[run_id] = _load(folder)
            self._models.move_to_end(run_id)
            while len(self._models) > _MODELS_KEPT:
                self._models.popitem(last=False)
            return self._models[run_id]

    def predict(self, request: PredictionCreate) -> PredictionRead | NoPredictionRead:
        """Predict one query of the files, or say what the run has not measured of it."""
        _, query = self._compilations.compile_query(request.files, request.query)
        return self._predicted(query, request.run_id, request.slo)

    def predict_set(self, request: PredictionSetCreate) -> PredictionSetRead:
        """Predict several queries of the files at once."""
        known = self._compilations.compile(request.files).queries
        names = known if request.queries is None else dict.fromkeys(request.queries)
        bounded = [known[name] for name in names if name in known and known[name].is_bounded]
        self.model(request.run_id)
        found = [self._predicted(query, request.run_id, request.slo) for query in bounded]
        return PredictionSetRead(run_id=request.run_id, predictions=found)

    def _predicted(self, query: CompiledQuery, run_id: str, slo: SloWrite | None) -> PredictionRead | NoPredictionRead:
        assert query.plan is not None
        try:
            found = predict(query.plan, self.model(run_id))
            at_quantile = found.quantile_ms(slo.quantile) if slo else None
        except NotMeasured as error:
            return _no_prediction(query.name, run_id, error)
        meets_slo, risk, notes = self._judged(found, at_quantile, run_id, slo)
        return PredictionRead(
            query=query.name,
            run_id=run_id,
            model=found.model,
            p50_ms=found.p50_ms,
            typical_p99_ms=found.typical_ms,
            p99_ms=found.p99_ms,
            is_noisy=found.is_noisy,
            conservative_p99_ms=found.conservative_ms,
            p99_by_interval_ms=list(found.p99_by_interval_ms),
            operators=[
                OperatorPredictionRead(
                    path=node_id(operator.path),
                    operator=operator.operator,
                    typical_p99_ms=operator.typical_ms,
                    p99_ms=operator.p99_ms,
                    part_of_p99_ms=operator.blame_ms,
                    state=_state(operator.coverage),
                )
                for operator in found.operators
            ],
            slo_quantile_ms=at_quantile,
            meets_slo=meets_slo,
            risk=risk,
            warnings=[*found.warnings, *notes, *self._staleness(run_id)],
        )

    def predict_page(self, request: PagePredictionCreate) -> PagePredictionRead | NoPredictionRead:
        """Predict several queries of the files as one page."""
        try:
            steps = steps_of(request.page)
        except NotPredictable as error:
            raise _not_predictable(error) from error
        names = [name for step in steps for name in step]
        if len(names) > _QUERIES_OF_A_PAGE:
            raise ApiError(422, "page-too-long", f"A page runs at most {_QUERIES_OF_A_PAGE} queries, not {len(names)}.")
        queries = {name: self._compilations.compile_query(request.files, name)[1] for name in names}
        plans = {name: query.plan for name, query in queries.items() if query.plan is not None}
        bounds = {name: query.bound for name, query in queries.items() if query.bound is not None}
        model = self.model(request.run_id)
        alone = {}
        for name, plan in plans.items():
            try:
                alone[name] = predict(plan, model)
            except NotMeasured as error:
                return _no_prediction(name, request.run_id, error)
        found = predict_page(steps, plans, model)
        at_quantile = found.quantile_ms(request.slo.quantile) if request.slo else None
        meets_slo, risk, notes = self._judged(found, at_quantile, request.run_id, request.slo)
        blames = iter([operator.blame_ms for operator in found.operators])
        return PagePredictionRead(
            page=request.page,
            run_id=request.run_id,
            model=found.model,
            operations=sum(bounds[name].operations for name in names),
            round_trips=sum(max(bounds[name].round_trips for name in step) for step in steps),
            p50_ms=found.p50_ms,
            typical_p99_ms=found.typical_ms,
            p99_ms=found.p99_ms,
            is_noisy=found.is_noisy,
            conservative_p99_ms=found.conservative_ms,
            p99_by_interval_ms=list(found.p99_by_interval_ms),
            parts=[
                PagePartRead(
                    query=name,
                    operations=bounds[name].operations,
                    typical_p99_ms=alone[name].typical_ms,
                    p99_ms=alone[name].p99_ms,
                    part_of_p99_ms=sum(next(blames) for _ in alone[name].operators),
                )
                for name in names
            ],
            slo_quantile_ms=at_quantile,
            meets_slo=meets_slo,
            risk=risk,
            warnings=[*found.warnings, *notes, *self._staleness(request.run_id)],
        )

    def heatmap(self, request: HeatmapCreate) -> HeatmapRead | NoPredictionRead:
        """Predict one query of the files over two of its limits, or along one."""
        _, query = self._compilations.compile_query(request.files, request.query)
        model = self.model(request.run_id)
        try:
            found = heatmap(
                query,
                model,
                request.x.symbol,
                request.y.symbol if request.y else None,
                x_values=request.x.values,
                y_values=request.y.values if request.y else None,
                slo=Slo(request.slo.quantile, request.slo.threshold_ms),
                values=request.values,
            )
        except NotMeasured as error:
            return _no_prediction(query.name, request.run_id, error)
        except NotPredictable as error:
            raise _not_predictable(error) from error
        return HeatmapRead(
            query=found.query,
            run_id=request.run_id,
            model=found.model,
            quantile=found.quantile,
            x=_axis(found.x),
            y=_axis(found.y) if found.y else None,
            typical_p99_ms=[list(row) for row in found.typical_ms],
            p99_ms=[list(row) for row in found.latency_ms],
            state=[[_state(cell) for cell in row] for row in found.coverage],
            meets_slo=[list(row) for row in found.meets_slo or ()],
            largest_safe=[SafeLimitRead(x=x, y=y) for x, y in found.largest_safe],
            upper_factor=_upper_factor(model),
            warnings=[*found.warnings, *self._staleness(request.run_id)],
        )

    def safe_limits(self, request: SafeLimitsCreate) -> SafeLimitsRead:
        """Solve for every limit of the files at once."""
        compilation = self._compilations.compile(request.files)
        model = self.model(request.run_id)
        bounded = [query for query in compilation.queries.values() if query.plan is not None]
        predictable = [query for query in bounded if _predict(query, model) is not None]
        slos = {query.name: request.slos.get(query.name, request.slo) for query in predictable}
        found = safe_limits(
            predictable, model, {name: Slo(slo.quantile, slo.threshold_ms) for name, slo in slos.items()}
        )
        return SafeLimitsRead(
            run_id=request.run_id,
            limits=[
                LargestLimitRead(
                    symbol=limit.axis.symbol,
                    label=limit.axis.label,
                    current=limit.axis.current,
                    largest=limit.largest,
                    queries=list(limit.queries),
                    binding=limit.binding,
                    number_range=next(map(read_span, limit.axis.spans), None),
                )
                for limit in found.limits
            ],
            growth=found.growth,
            binding=found.binding,
            breaking=list(found.breaking),
            left_out=[query.name for query in bounded if query not in predictable],
        )

    def _staleness(self, run_id: str) -> tuple[str, ...]:
        drift = self._runs.read(run_id).drift
        if drift is None or not drift.stale_operators:
            return ()
        names = ", ".join(drift.stale_operators)
        return (f"the profile is stale: {names} took {drift.factor:.1f} times as long when last looked at",)

    def _judged(
        self, found: Prediction, at_quantile: float | None, run_id: str, slo: SloWrite | None
    ) -> tuple[bool | None, RiskRead | None, tuple[str, ...]]:
        """Tell whether an SLO is kept, how often it is broken, and what is to be known of that; nothing without one."""
        if slo is None or at_quantile is None:
            return None, None, ()
        risk, notes = self._risk(found, run_id, slo)
        return at_quantile <= slo.threshold_ms, risk, notes

    def _risk(self, found: Prediction, run_id: str, slo: SloWrite) -> tuple[RiskRead | None, tuple[str, ...]]:
        risk = risk_of(
            found.quantile_by_interval_ms(slo.quantile),
            slo.threshold_ms,
            profile_interval_seconds=self._runs.read(run_id).settings.interval_seconds,
            slo_interval_seconds=slo.interval_seconds,
        )
        return RiskRead.model_validate(risk), risk.warnings if risk.is_shown else ()

    def quantiles(self, question: ForQuantiles) -> dict[str, tuple[float, float]]:
        """Predict a quantile of each named query, in ms: of the median and of the worst interval, where it can be."""
        model = self.model(question.run_id)
        queries = self._compilations.compile_texts(question.texts).queries
        quantiles = question.quantiles
        predictions = {name: _predict(queries[name], model) for name in quantiles if name in queries}
        return {
            name: (prediction.typical_quantile_ms(quantiles[name]), prediction.quantile_ms(quantiles[name]))
            for name, prediction in predictions.items()
            if prediction is not None
        }

    def predict_all(self, question: ForAll) -> tuple[str, dict[str, float]]:
        """The model's name and the estimated p99 in ms of every query that it can predict."""
        model = self.model(question.run_id)
        queries = self._compilations.compile_texts(question.texts).queries
        predictions = {name: _predict(query, model) for name, query in queries.items()}
        return model.name, {
            name: prediction.typical_ms for name, prediction in predictions.items() if prediction is not None
        }

    def sizes(self, question: ForSizes) -> dict[str, SizeEstimates]:
        """Predict executions of each named query: at its limits, and of each size."""
        model = self.model(question.run_id)
        queries = self._compilations.compile_texts(question.texts).queries
        return {
            name: _of_sizes(queries[name], sizes, model) for name, sizes in question.sizes.items() if name in queries
        }


def _of_sizes(query: CompiledQuery, sizes: Sequence[Size], model: Model) -> SizeEstimates:
    """Predict what is known of; no limits may lead to a size, or the run has not measured it."""
    is_stepped = not model.has_transactions
    greatest = size_at_limits(query, is_stepped=is_stepped)
    at_limits = None if greatest is None else _predict(query, model)
    by_size = {}
    for size in sizes:
        if size == greatest:
            prediction = at_limits
        else:
            work = work_at(query, size, is_stepped=is_stepped)
            prediction = None if work is None else _predict_work(work, model)
        if prediction is not None:
            by_size[size] = _estimate(prediction)
    if greatest is None or at_limits is None:
        return SizeEstimates(None, by_size)
    return SizeEstimates((greatest, _estimate(at_limits)), by_size)


def _predict(query: CompiledQuery, model: Model) -> Prediction | None:
    if query.plan is None:
        return None
    try:
        return predict(query.plan, model)
    except NotPredictable:
        return None


def _predict_work(work: Work, model: Model) -> Prediction | None:
    try:
        return predict_work(work, model)
    except NotPredictable:
        return None


def _estimate(found: Prediction) -> EstimateRead:
    return EstimateRead(
        typical_p99_ms=found.typical_ms, conservative_p99_ms=found.conservative_ms, worst_p99_ms=found.p99_ms
    )


def _load(folder: Path) -> Model:
    try:
        return build_model(load(folder))
    except (UnreadableRun, NotPredictable, OSError) as error:
        raise ApiError(409, "unusable-run", f"The run cannot be used: {error}.", "Start another run.") from error


def _upper_factor(model: Model) -> float | None:
    return None if model.upper_factor is None else max(1.0, model.upper_factor)


def _no_prediction(query: str, run_id: str, error: NotMeasured) -> NoPredictionRead:
    point = error.point
    return NoPredictionRead(
        query=query,
        run_id=run_id,
        kind="beyond-measured" if error.is_beyond else "not-measured",
        reason=_sentence(error),
        missing=MissingPointRead(
            operator=point.operator.value,
            child_rows=point.child_rows,
            rows=point.rows,
            row_bytes=point.row_bytes,
            columns=point.columns,
        ),
    )


def _not_predictable(error: NotPredictable) -> ApiError:
    return ApiError(422, "not-predictable", _sentence(error))


def _sentence(error: NotPredictable) -> str:
    words = str(error)
    return f"{words[0].upper()}{words[1:]}."


def _state(coverage: Coverage) -> CellState:
    return cast(CellState, coverage.label)


def _axis(axis: HeatmapAxis) -> HeatmapAxisRead:
    return HeatmapAxisRead(
        symbol=axis.axis.symbol,
        label=axis.axis.label,
        values=list(axis.values),
        current=axis.axis.current,
        number_range=next(map(read_span, axis.axis.spans), None),
    )
