"""What endpoints are given: the services of the running workbench."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Request

from piql_backend.workbench import Workbench


def workbench_of(request: Request) -> Workbench:
    return cast(Workbench, request.app.state.workbench)


TheWorkbench = Annotated[Workbench, Depends(workbench_of)]
