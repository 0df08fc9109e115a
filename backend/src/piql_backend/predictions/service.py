"""Predicts plans from profile runs; the models of the runs used last are kept. A worker process runs it.

Two kinds of callers ask: requests of the API (`…Create` in, `…Read` out), and other parts of the workbench
(`questions.py`), which send texts and get numbers in ms. `reading.py` turns the profiler's values into schemas.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from piql.compiler.result import CompiledQuery
from piql_profiler.capacity.report import waits_of
from piql_profiler.capacity.stripes import MOST_BUSY, stripe_dial
from piql_profiler.predictor.cardinalities import Work
from piql_profiler.predictor.heatmap import Slo, heatmap
from piql_profiler.predictor.model import Model, NotMeasured, NotPredictable
from piql_profiler.predictor.models import build_model
from piql_profiler.predictor.pages import predict_page, steps_of
from piql_profiler.predictor.predict import Prediction, predict, predict_work
from piql_profiler.predictor.risk import risk_of
from piql_profiler.predictor.safe_limits import safe_limits
from piql_profiler.predictor.sizes import Size, size_at_limits, work_at
from piql_profiler.runs.run_files import UnreadableRun, load, read_info
from piql_profiler.validation.compliance import predicted_share

from piql_backend.compilations.reading import read_span
from piql_backend.compilations.service import Compilations
from piql_backend.predictions.capacity import Capacities
from piql_backend.predictions.capacity_schemas import CapacityCreate, CapacityRead
from piql_backend.predictions.questions import (
    ForAll,
    ForQuantiles,
    ForSizes,
    OperatorEstimate,
    SizeEstimate,
    SizeEstimates,
)
from piql_backend.predictions.reading import (
    no_prediction,
    not_predictable,
    read_axis,
    read_estimate,
    read_operator,
    read_state,
)
from piql_backend.predictions.schemas import (
    HeatmapCreate,
    HeatmapRead,
    LargestLimitRead,
    NoPredictionRead,
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
from piql_backend.predictions.stripe_schemas import StripeDialCreate, StripeDialRead, StripeStepRead
from piql_backend.profile_runs.schemas import ProfileRunRead
from piql_backend.web.errors import ApiError
from piql_backend.web.schemas import SloWrite

_MODELS_KEPT = 4
_QUERIES_OF_A_PAGE = 30


class Runs(Protocol):
    """Where runs and their measurements are found; 404 and 409 for those that cannot be used."""

    def read(self, run_id: str) -> ProfileRunRead: ...

    def measurements_of(self, run_id: str) -> Path: ...


@dataclass(frozen=True, slots=True)
class _Judgement:
    """Whether a prediction keeps an SLO and how often it breaks it; all of it is empty without an SLO."""

    meets_slo: bool | None = None
    risk: RiskRead | None = None
    warnings: tuple[str, ...] = ()


class Predictions:
    """Joins the compiler's plans with the models of profile runs."""

    def __init__(self, compilations: Compilations, runs: Runs) -> None:
        self._compilations = compilations
        self._runs = runs
        self._models: OrderedDict[str, Model] = OrderedDict()
        self._capacities = Capacities()
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
        predictions = [self._predicted(query, request.run_id, request.slo) for query in bounded]
        return PredictionSetRead(run_id=request.run_id, predictions=predictions)

    def _predicted(self, query: CompiledQuery, run_id: str, slo: SloWrite | None) -> PredictionRead | NoPredictionRead:
        assert query.plan is not None
        try:
            prediction = predict(query.plan, self.model(run_id))
            at_quantile = prediction.quantile_ms(slo.quantile) if slo else None
        except NotMeasured as error:
            return no_prediction(query.name, run_id, error)
        judgement = self._judged(prediction, at_quantile, run_id, slo)
        return PredictionRead(
            query=query.name,
            run_id=run_id,
            model=prediction.model,
            p50_ms=prediction.p50_ms,
            typical_p99_ms=prediction.typical_ms,
            p99_ms=prediction.p99_ms,
            is_noisy=prediction.is_noisy,
            conservative_p99_ms=prediction.conservative_ms,
            p99_by_interval_ms=list(prediction.p99_by_interval_ms),
            operators=[read_operator(operator) for operator in prediction.operators],
            slo_quantile_ms=at_quantile,
            meets_slo=judgement.meets_slo,
            risk=judgement.risk,
            warnings=[*prediction.warnings, *judgement.warnings, *self._staleness(run_id)],
        )

    def predict_page(self, request: PagePredictionCreate) -> PagePredictionRead | NoPredictionRead:
        """Predict several queries of the files as one page; ApiError 422 for a page that is no page, or too long."""
        try:
            steps = steps_of(request.page)
        except NotPredictable as error:
            raise not_predictable(error) from error
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
                return no_prediction(name, request.run_id, error)
        prediction = predict_page(steps, plans, model)
        at_quantile = prediction.quantile_ms(request.slo.quantile) if request.slo else None
        judgement = self._judged(prediction, at_quantile, request.run_id, request.slo)
        blames = iter([operator.blame_ms for operator in prediction.operators])  # in the order of the page's queries
        return PagePredictionRead(
            page=request.page,
            run_id=request.run_id,
            model=prediction.model,
            operations=sum(bounds[name].operations for name in names),
            round_trips=sum(max(bounds[name].round_trips for name in step) for step in steps),
            p50_ms=prediction.p50_ms,
            typical_p99_ms=prediction.typical_ms,
            p99_ms=prediction.p99_ms,
            is_noisy=prediction.is_noisy,
            conservative_p99_ms=prediction.conservative_ms,
            p99_by_interval_ms=list(prediction.p99_by_interval_ms),
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
            meets_slo=judgement.meets_slo,
            risk=judgement.risk,
            warnings=[*prediction.warnings, *judgement.warnings, *self._staleness(request.run_id)],
        )

    def heatmap(self, request: HeatmapCreate) -> HeatmapRead | NoPredictionRead:
        """Predict one query of the files over two of its limits, or along one; ApiError 422 for an unknown limit."""
        _, query = self._compilations.compile_query(request.files, request.query)
        model = self.model(request.run_id)
        try:
            cells = heatmap(
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
            return no_prediction(query.name, request.run_id, error)
        except NotPredictable as error:
            raise not_predictable(error) from error
        return HeatmapRead(
            query=cells.query,
            run_id=request.run_id,
            model=cells.model,
            quantile=cells.quantile,
            x=read_axis(cells.x),
            y=read_axis(cells.y) if cells.y else None,
            typical_p99_ms=[list(row) for row in cells.typical_ms],
            p99_ms=[list(row) for row in cells.latency_ms],
            state=[[read_state(coverage) for coverage in row] for row in cells.coverage],
            meets_slo=[list(row) for row in cells.meets_slo or ()],
            largest_safe=[SafeLimitRead(x=x, y=y) for x, y in cells.largest_safe],
            upper_factor=_upper_factor(model),
            warnings=[*cells.warnings, *self._staleness(request.run_id)],
        )

    def safe_limits(self, request: SafeLimitsCreate) -> SafeLimitsRead:
        """Solve for every limit of the files at once."""
        compilation = self._compilations.compile(request.files)
        model = self.model(request.run_id)
        bounded = [query for query in compilation.queries.values() if query.plan is not None]
        predictable = [query for query in bounded if _predict(query, model) is not None]
        slos = {query.name: request.slos.get(query.name, request.slo) for query in predictable}
        solution = safe_limits(
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
                for limit in solution.limits
            ],
            growth=solution.growth,
            binding=solution.binding,
            breaking=list(solution.breaking),
            left_out=[query.name for query in bounded if query not in predictable],
        )

    def capacity(self, request: CapacityCreate) -> CapacityRead:
        """Tell how much load the store takes; ApiError 422 for a question that has no answer."""
        model = self.model(request.run_id)
        waits = waits_of(read_info(self._runs.measurements_of(request.run_id)).settings.clients)
        warnings = [*([waits] if waits else []), *self._staleness(request.run_id)]
        return self._capacities.answer(request, self._compilations.compile(request.files), model, warnings)

    def stripes(self, request: StripeDialCreate) -> StripeDialRead | NoPredictionRead:
        """Tell what a view takes by its number of stripes; ApiError 422 where there is no such view."""
        model = self.model(request.run_id)
        compilation = self._compilations.compile(request.files)
        try:
            dial = stripe_dial(compilation, request.view, request.per_second, model, request.also)
        except NotMeasured as error:
            return no_prediction(request.view, request.run_id, error)
        except NotPredictable as error:
            raise not_predictable(error) from error
        return StripeDialRead(
            view=dial.view,
            run_id=request.run_id,
            stripes=dial.stripes,
            per_second=dial.per_second,
            change_ms=dial.change_ms,
            partition_bears=dial.partition_bears,
            most_busy=MOST_BUSY,
            is_in_turn=dial.is_in_turn,
            needed=dial.needed,
            write=dial.write,
            steps=[StripeStepRead.model_validate(step) for step in dial.steps],
            warnings=[*dial.warnings, *self._staleness(request.run_id)],
        )

    def _staleness(self, run_id: str) -> tuple[str, ...]:
        """A warning where the run is known to be stale."""
        drift = self._runs.read(run_id).drift
        if drift is None or not drift.stale_operators:
            return ()
        names = ", ".join(drift.stale_operators)
        return (f"the profile is stale: {names} took {drift.factor:.1f} times as long when last looked at",)

    def _judged(
        self, prediction: Prediction, at_quantile: float | None, run_id: str, slo: SloWrite | None
    ) -> _Judgement:
        """Judge a prediction by an SLO; `at_quantile` is the latency in ms at the SLO's quantile."""
        if slo is None or at_quantile is None:
            return _Judgement()
        risk = risk_of(
            prediction.quantile_by_interval_ms(slo.quantile),
            slo.threshold_ms,
            profile_interval_seconds=self._runs.read(run_id).settings.interval_seconds,
            slo_interval_seconds=slo.interval_seconds,
        )
        warnings = risk.warnings if risk.is_shown else ()
        return _Judgement(at_quantile <= slo.threshold_ms, RiskRead.model_validate(risk), warnings)

    def quantiles(self, question: ForQuantiles) -> dict[str, tuple[float, float]]:
        """Predict a quantile of each named query, in ms, of the median and of the worst interval.

        Queries that cannot be predicted are left out.
        """
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
            name: _of_sizes(queries[name], sizes, model, question.thresholds_ms.get(name))
            for name, sizes in question.sizes.items()
            if name in queries
        }


def _of_sizes(query: CompiledQuery, sizes: Sequence[Size], model: Model, threshold_ms: float | None) -> SizeEstimates:
    """Predict a query at its limits and for each size: its p99, and the share within its threshold.

    Sizes that no limits lead to, and sizes that the run cannot predict, are left out.
    """
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
            by_size[size] = _estimated(prediction, threshold_ms)
    if greatest is None or at_limits is None:
        return SizeEstimates(None, by_size)
    return SizeEstimates((greatest, _estimated(at_limits, threshold_ms)), by_size)


def _estimated(prediction: Prediction, threshold_ms: float | None) -> SizeEstimate:
    compliance = None if threshold_ms is None else predicted_share(prediction, threshold_ms)
    operators = tuple(
        OperatorEstimate(".".join(map(str, operator.path)), operator.typical_ms, operator.p99_ms, operator.blame_ms)
        for operator in prediction.operators
    )
    return SizeEstimate(read_estimate(prediction), compliance, operators)


def _predict(query: CompiledQuery, model: Model) -> Prediction | None:
    """The prediction of a query at its limits; None where it has no plan, or the run cannot predict it."""
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


def _load(folder: Path) -> Model:
    try:
        return build_model(load(folder))
    except (UnreadableRun, NotPredictable, OSError) as error:
        raise ApiError(409, "unusable-run", f"The run cannot be used: {error}.", "Start another run.") from error


def _upper_factor(model: Model) -> float | None:
    return None if model.upper_factor is None else max(1.0, model.upper_factor)
