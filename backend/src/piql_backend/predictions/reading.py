"""From the profiler's values to what is sent: estimates, axes, and why there is no prediction."""

from __future__ import annotations

from typing import cast

from piql_profiler.predictor.heatmap import HeatmapAxis
from piql_profiler.predictor.model import Coverage, NotMeasured, NotPredictable
from piql_profiler.predictor.predict import OperatorPrediction, Prediction

from piql_backend.compilations.node_ids import node_id
from piql_backend.compilations.reading import read_span
from piql_backend.predictions.schemas import (
    CellState,
    EstimateRead,
    HeatmapAxisRead,
    MissingPointRead,
    NoPredictionRead,
    OperatorPredictionRead,
)
from piql_backend.web.errors import ApiError


def read_operator(operator: OperatorPrediction) -> OperatorPredictionRead:
    return OperatorPredictionRead(
        path=node_id(operator.path),
        operator=operator.operator,
        typical_p99_ms=operator.typical_ms,
        p99_ms=operator.p99_ms,
        part_of_p99_ms=operator.blame_ms,
        state=read_state(operator.coverage),
    )


def read_estimate(prediction: Prediction) -> EstimateRead:
    return EstimateRead(
        typical_p99_ms=prediction.typical_ms,
        conservative_p99_ms=prediction.conservative_ms,
        worst_p99_ms=prediction.p99_ms,
    )


def read_axis(axis: HeatmapAxis) -> HeatmapAxisRead:
    return HeatmapAxisRead(
        symbol=axis.axis.symbol,
        label=axis.axis.label,
        values=list(axis.values),
        current=axis.axis.current,
        number_range=next(map(read_span, axis.axis.spans), None),
    )


def read_state(coverage: Coverage) -> CellState:
    """How far a cell lies from what was measured, in the words of the API."""
    return cast(CellState, coverage.label)


def no_prediction(query: str, run_id: str, error: NotMeasured) -> NoPredictionRead:
    """Why a query has no prediction, with the point that the run lacks."""
    point = error.point
    return NoPredictionRead(
        query=query,
        run_id=run_id,
        kind="beyond-measured" if error.is_beyond else "not-measured",
        reason=sentence(error),
        missing=MissingPointRead(
            operator=point.operator.value,
            child_rows=point.child_rows,
            rows=point.rows,
            row_bytes=point.row_bytes,
            columns=point.columns,
        ),
    )


def not_predictable(error: NotPredictable) -> ApiError:
    """The refusal of a request that no run could answer."""
    return ApiError(422, "not-predictable", sentence(error))


def sentence(error: NotPredictable) -> str:
    """Its reason as a sentence for people."""
    words = str(error)
    return f"{words[0].upper()}{words[1:]}."
