from __future__ import annotations

from fastapi import APIRouter

from piql_backend.completions.schemas import CompletionCreate, CompletionRead

router = APIRouter(prefix="/completions", tags=["completions"])


@router.post("")
def create_completions(request: CompletionCreate) -> list[CompletionRead]:
    """What may stand at the cursor."""
    from piql_backend.completions.service import completions_at  # as in app.py

    return completions_at(request)
