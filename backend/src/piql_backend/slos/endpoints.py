from __future__ import annotations

from fastapi import APIRouter, Response

from piql_backend.dependencies import TheWorkbench
from piql_backend.errors import declared
from piql_backend.schema import SloWrite
from piql_backend.slos.schemas import SloRead

router = APIRouter(prefix="/slos", tags=["slos"])


@router.get("")
def list_slos(workbench: TheWorkbench) -> list[SloRead]:
    """The SLO of each query that has one."""
    return workbench.slos.list()


@router.put("/{query:path}", responses=declared(404))
def save_slo(query: str, slo: SloWrite, workbench: TheWorkbench) -> SloRead:
    """Set a query's SLO; 404 when no query of that name was ever deployed."""
    return workbench.slos.save(query, slo)


@router.delete("/{query:path}", status_code=204, responses=declared(404))
def delete_slo(query: str, workbench: TheWorkbench) -> Response:
    """Remove a query's SLO."""
    workbench.slos.delete(query)
    return Response(status_code=204)
