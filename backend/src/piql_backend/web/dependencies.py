"""What endpoints are given: the services of the running workbench, or those of one environment.

An endpoint with a parameter of the type `TheWorkbench` or `TheEnvironment` gets it from FastAPI. What gives it is a
coroutine: FastAPI calls a plain function in a thread, which takes a request longer than all else that is done for it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, Any, cast

from fastapi import Depends, Path, Request

from piql_backend.web.visitor import Visitor, login_needed

if TYPE_CHECKING:
    from piql_backend.environments.environment import Environment
    from piql_backend.workbench import Workbench
else:
    Environment = Workbench = Any  # the API document is made without the compiler, DuckDB and the profiler


Id = Annotated[str, Path(max_length=100)]


async def workbench_of(request: Request) -> Workbench:
    """The running workbench, which the application keeps."""
    return cast(Workbench, request.app.state.workbench)


TheWorkbench = Annotated[Workbench, Depends(workbench_of)]


async def visitor_of(request: Request) -> Visitor | None:
    """Who asks, as the gate found out; None where the workbench serves somebody alone."""
    visitor = getattr(request.state, "visitor", None)
    return visitor if isinstance(visitor, Visitor) else None


AnyVisitor = Annotated[Visitor | None, Depends(visitor_of)]


async def known_visitor_of(visitor: AnyVisitor) -> Visitor:
    """Who asks, where the endpoint needs somebody to be signed in; ApiError 401 otherwise."""
    if visitor is None:
        raise login_needed()
    return visitor


TheVisitor = Annotated[Visitor, Depends(known_visitor_of)]


async def environment_of(application: Id, environment: Id, workbench: TheWorkbench) -> AsyncIterator[Environment]:
    """The environment that the path names, kept open until the answer is sent."""
    async with workbench.environments.using(application, environment) as opened:
        yield opened


TheEnvironment = Annotated[Environment, Depends(environment_of)]
