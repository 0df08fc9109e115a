from __future__ import annotations

from fastapi import APIRouter

from piql_backend.completions.schemas import CompletionCreate, CompletionRead
from piql_backend.dependencies import TheWorkbench

router = APIRouter(prefix="/completions", tags=["completions"])


@router.post("")
def create_completions(request: CompletionCreate, workbench: TheWorkbench) -> list[CompletionRead]:
    """What may stand at the cursor."""
    return workbench.completions.complete(request)
