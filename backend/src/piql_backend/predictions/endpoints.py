"""HTTP for predictions: of queries, of pages of several, over one or two limits, and of how much load a store takes."""

from __future__ import annotations

from fastapi import APIRouter, Response

from piql_backend.predictions.capacity_schemas import CapacityCreate, CapacityRead
from piql_backend.predictions.schemas import (
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
from piql_backend.predictions.stripe_schemas import StripeDialCreate, StripeDialRead
from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs

router = APIRouter(route_class=GuardedRoute, tags=["predictions"])


@router.post("/predictions", response_model=PredictionRead | NoPredictionRead, responses=declared(404, 409))
@needs(in_application("viewer"))
async def create_prediction(request: PredictionCreate, environment: TheEnvironment) -> Response:
    """The latency of one query's plan, from a profile run, or why it has none; 409 when the run has not ended well."""
    return await environment.predictions.answer("predict", request)


@router.post("/prediction-sets", response_model=PredictionSetRead, responses=declared(404, 409))
@needs(in_application("viewer"))
async def create_prediction_set(request: PredictionSetCreate, environment: TheEnvironment) -> Response:
    """The latencies of several queries, each as from `/predictions`."""
    return await environment.predictions.answer("predict_set", request)


@router.post("/page-predictions", response_model=PagePredictionRead | NoPredictionRead, responses=declared(404, 409))
@needs(in_application("viewer"))
async def create_page_prediction(request: PagePredictionCreate, environment: TheEnvironment) -> Response:
    """The bound and the latency of a page that runs several queries, some of them at the same time."""
    return await environment.predictions.answer("predict_page", request)


@router.post("/heatmaps", response_model=HeatmapRead | NoPredictionRead, responses=declared(404, 409))
@needs(in_application("viewer"))
async def create_heatmap(request: HeatmapCreate, environment: TheEnvironment) -> Response:
    """The same plan's latency over two of its limits, or along one, and the largest that keep the SLO."""
    return await environment.predictions.answer("heatmap", request)


@router.post("/safe-limits", response_model=SafeLimitsRead, responses=declared(404, 409))
@needs(in_application("viewer"))
async def create_safe_limits(request: SafeLimitsCreate, environment: TheEnvironment) -> Response:
    """The largest value of every limit in the files that keeps all queries within their SLOs."""
    return await environment.predictions.answer("safe_limits", request)


@router.post("/capacity-reports", response_model=CapacityRead, responses=declared(404, 409))
@needs(in_application("viewer"))
async def create_capacity_report(request: CapacityCreate, environment: TheEnvironment) -> Response:
    """How much load the store takes before an SLO breaks, what breaks first, and what more users need."""
    return await environment.predictions.answer("capacity", request)


@router.post("/stripe-dials", response_model=StripeDialRead | NoPredictionRead, responses=declared(404, 409))
@needs(in_application("viewer"))
async def create_stripe_dial(request: StripeDialCreate, environment: TheEnvironment) -> Response:
    """How many stripes a view needs for a rate of writes, and what its reads and writes take by their number."""
    return await environment.predictions.answer("stripes", request)
