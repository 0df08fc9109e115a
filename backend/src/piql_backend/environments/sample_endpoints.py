"""HTTP for the sample that an environment begins with, where it could not be loaded."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter

from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs

router = APIRouter(route_class=GuardedRoute, prefix="/sample", tags=["environments"])


@router.post("/attempts", status_code=204, responses=declared(404, 409, 503))
@needs(in_application("deployer"))
async def load_sample(environment: TheEnvironment) -> None:
    """Try again to deploy the sample and to load its rows; does nothing where no sample waits.

    409 with `store-not-empty` where the store holds other data by now: it is left as it is.
    """
    await asyncio.to_thread(environment.fill_sample)
