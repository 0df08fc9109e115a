"""What endpoints are given: the services of the running workbench, or those of one environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

from fastapi import Depends, Request

if TYPE_CHECKING:
    from piql_backend.environments.environment import Environment
    from piql_backend.workbench import Workbench
else:
    Environment = Workbench = Any  # the API document is made without the compiler, DuckDB and the profiler


def workbench_of(request: Request) -> Workbench:
    return cast(Workbench, request.app.state.workbench)


TheWorkbench = Annotated[Workbench, Depends(workbench_of)]


def environment_of(request: Request) -> Environment:
    return workbench_of(request).environment


TheEnvironment = Annotated[Environment, Depends(environment_of)]
