"""Predicts plans from profile runs; the models of the runs used last are kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import cast

from piql.compilation import Compilation, CompiledQuery
from piql.source import Span
from piql_profiler.predictor.heatmap import HeatmapAxis, Slo, heatmap
from piql_profiler.predictor.model import Coverage, Model, NotPredictable
from piql_profiler.predictor.models import build_model
from piql_profiler.predictor.predict import predict
from piql_profiler.run_files import UnreadableRun, load

from piql_backend.compilations.reading import node_id, read_span
from piql_backend.compilations.service import Compilations
from piql_backend.errors import ApiError
from piql_backend.predictions.schemas import (
    CellState,
    HeatmapAxisRead,
    HeatmapCreate,
    HeatmapRead,
    OperatorPredictionRead,
    PredictionCreate,
    PredictionRead,
    SafeLimitRead,
)
from piql_backend.profile_runs.service import ProfileRuns

_MODELS_KEPT = 4


class Predictions:
    """Joins the compiler's plans with the models of profile runs."""

    def __init__(self, compilations: Compilations, runs: ProfileRuns) -> None:
        self._compilations = compilations
        self._runs = runs
        self._models: OrderedDict[str, Model] = OrderedDict()
        self._lock = threading.Lock()

    def model(self, run_id: str) -> Model:
        """Give the model of a run that is done; 404 or 409 for any other."""
        folder = self._runs.measurements_of(run_id)
        with self._lock:
            if run_id not in self._models:
                self._models[run_id] = _load(folder)
            self._models.move_to_end(run_id)
            while len(self._models) > _MODELS_KEPT:
                self._models.popitem(last=False)
            return self._models[run_id]

    def predict(self, request: PredictionCreate) -> PredictionRead:
        """Predict one query of the files."""
        _, query = self._compilations.compile_query(request.files, request.query)
        assert query.plan is not None
        model = self.model(request.run_id)
        try:
            found = predict(query.plan, model)
            at_quantile = found.quantile_ms(request.slo.quantile) if request.slo else None
        except NotPredictable as error:
            raise _not_predictable(error) from error
        meets_slo = None
        if request.slo is not None and at_quantile is not None:
            meets_slo = at_quantile <= request.slo.threshold_ms
        return PredictionRead(
            query=query.name,
            run_id=request.run_id,
            model=found.model,
            p50_ms=found.p50_ms,
            p99_ms=found.p99_ms,
            p99_by_interval_ms=list(found.p99_by_interval_ms),
            operators=[
                OperatorPredictionRead(
                    path=node_id(each.path), operator=each.operator, p99_ms=each.p99_ms, state=_state(each.coverage)
                )
                for each in found.operators
            ],
            slo_quantile_ms=at_quantile,
            meets_slo=meets_slo,
            warnings=list(found.warnings),
        )

    def heatmap(self, request: HeatmapCreate) -> HeatmapRead:
        """Predict one query of the files over two of its limits."""
        _, query = self._compilations.compile_query(request.files, request.query)
        model = self.model(request.run_id)
        try:
            found = heatmap(
                query,
                model,
                request.x.symbol,
                request.y.symbol,
                x_values=request.x.values,
                y_values=request.y.values,
                slo=Slo(request.slo.quantile, request.slo.threshold_ms),
            )
        except NotPredictable as error:
            raise _not_predictable(error) from error
        return HeatmapRead(
            query=found.query,
            run_id=request.run_id,
            model=found.model,
            quantile=found.quantile,
            x=_axis(found.x),
            y=_axis(found.y),
            p99_ms=[list(row) for row in found.latency_ms],
            state=[[_state(each) for each in row] for row in found.coverage],
            meets_slo=[list(row) for row in found.meets_slo or ()],
            largest_safe=[SafeLimitRead(x=x, y=y) for x, y in found.largest_safe],
            elapsed_ms=found.elapsed_ms,
            warnings=list(found.warnings),
        )

    def predict_all(self, compilation: Compilation, run_id: str) -> tuple[str, dict[str, float]]:
        """Give the model's name and the p99 in ms of every query that it can predict."""
        model = self.model(run_id)
        found = {}
        for name, query in compilation.queries.items():
            p99 = _p99_ms(query, model)
            if p99 is not None:
                found[name] = p99
        return model.name, found


def _p99_ms(query: CompiledQuery, model: Model) -> float | None:
    if query.plan is None:
        return None
    try:
        return predict(query.plan, model).p99_ms
    except NotPredictable:
        return None


def _load(folder: Path) -> Model:
    try:
        return build_model(load(folder))
    except (UnreadableRun, NotPredictable, OSError) as error:
        raise ApiError(409, "unusable-run", f"The run cannot be used: {error}.", "Start another run.") from error


def _not_predictable(error: NotPredictable) -> ApiError:
    return ApiError(422, "not-predictable", f"{error}.")


def _state(coverage: Coverage) -> CellState:
    return cast(CellState, coverage.label)


def _axis(axis: HeatmapAxis) -> HeatmapAxisRead:
    span: Span | None = axis.axis.span
    return HeatmapAxisRead(
        symbol=axis.axis.symbol,
        label=axis.axis.label,
        values=list(axis.values),
        current=axis.axis.current,
        number_range=None if span is None else read_span(span),
    )
