"""Asks the language service what may stand at the cursor."""

from __future__ import annotations

from piql.language_service.completion import complete
from piql.source import Source

from piql_backend.completions.schemas import CompletionCreate, CompletionRead
from piql_backend.errors import NotFound


def completions_at(request: CompletionCreate) -> list[CompletionRead]:
    """Give the proposals for a place in one of the files."""
    texts = {each.path: each.text for each in request.files}
    if request.file not in texts:
        raise NotFound("unknown-file", f"{request.file} is not among the files.")
    offset = Source(texts[request.file], request.file).offset(request.line, request.column)
    return [
        CompletionRead(label=each.label, kind=each.kind, detail=each.detail, insert_text=each.insert_text)
        for each in complete(texts, request.file, offset)
    ]
