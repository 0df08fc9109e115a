from __future__ import annotations

from fastapi import APIRouter

from piql_backend.dependencies import TheWorkbench
from piql_backend.errors import declared
from piql_backend.predictions.schemas import (
    CurveCreate,
    CurveRead,
    HeatmapCreate,
    HeatmapRead,
    NoPredictionRead,
    PagePredictionCreate,
    PagePredictionRead,
    PredictionCreate,
    PredictionRead,
    PredictionSetCreate,
    PredictionSetRead,
    SafeLimitsCreate,
    SafeLimitsRead,
)

router = APIRouter(tags=["predictions"])


@router.post("/predictions", responses=declared(404, 409))
def create_prediction(request: PredictionCreate, workbench: TheWorkbench) -> PredictionRead | NoPredictionRead:
    """The latency of one query's plan, from a profile run, or why it has none; 409 when the run has not ended well."""
    return workbench.predictions.predict(request)


@router.post("/prediction-sets", responses=declared(404, 409))
def create_prediction_set(request: PredictionSetCreate, workbench: TheWorkbench) -> PredictionSetRead:
    """The latencies of several queries, each as from `/predictions`."""
    return workbench.predictions.predict_set(request)


@router.post("/page-predictions", responses=declared(404, 409))
def create_page_prediction(
    request: PagePredictionCreate, workbench: TheWorkbench
) -> PagePredictionRead | NoPredictionRead:
    """The bound and the latency of a page that runs several queries, some of them at the same time."""
    return workbench.predictions.predict_page(request)


@router.post("/heatmaps", responses=declared(404, 409))
def create_heatmap(request: HeatmapCreate, workbench: TheWorkbench) -> HeatmapRead | NoPredictionRead:
    """The same plan's latency over two of its limits, and the largest pairs that keep the SLO."""
    return workbench.predictions.heatmap(request)


@router.post("/curves", responses=declared(404, 409))
def create_curve(request: CurveCreate, workbench: TheWorkbench) -> CurveRead | NoPredictionRead:
    """The same plan's latency along one of its limits, and the largest value that keeps the SLO."""
    return workbench.predictions.curve(request)


@router.post("/safe-limits", responses=declared(404, 409))
def create_safe_limits(request: SafeLimitsCreate, workbench: TheWorkbench) -> SafeLimitsRead:
    """The largest value of every limit in the files that keeps all queries within their SLOs."""
    return workbench.predictions.safe_limits(request)
