"""HTTP for what an editor asks about a text: completion, hover, definitions, renaming, formatting."""

from __future__ import annotations

from fastapi import APIRouter, Response

from piql_backend.language.schemas import (
    CompletionRead,
    FileAmong,
    FoldRead,
    HoverRead,
    NameRead,
    OutlineItemRead,
    PlaceWrite,
    ReferenceRead,
    RenameCreate,
    SchemaEditCreate,
    SchemaEditRead,
    SignatureRead,
    TokensRead,
)
from piql_backend.web.dependencies import TheWorkbench
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import SIGNED_IN, needs
from piql_backend.web.schemas import EditRead, RangeRead, SourceFile

router = APIRouter(route_class=GuardedRoute, prefix="/language", tags=["language"], responses=declared(404))


@router.post("/completions", response_model=list[CompletionRead])
@needs(SIGNED_IN)
async def list_completions(place: PlaceWrite, workbench: TheWorkbench) -> Response:
    """What may stand at a place, the likeliest first."""
    return await workbench.workers.answer("completions", place, place.files)


@router.post("/signatures", response_model=SignatureRead | None)
@needs(SIGNED_IN)
async def read_signature(place: PlaceWrite, workbench: TheWorkbench) -> Response:
    """What the parentheses around a place expect."""
    return await workbench.workers.answer("signature", place, place.files)


@router.post("/hovers", response_model=HoverRead | None)
@needs(SIGNED_IN)
async def read_hover(place: PlaceWrite, workbench: TheWorkbench) -> Response:
    """What the name or the limit at a place is."""
    return await workbench.workers.answer("hover", place, place.files)


@router.post("/definitions", response_model=RangeRead | None)
@needs(SIGNED_IN)
async def read_definition(place: PlaceWrite, workbench: TheWorkbench) -> Response:
    """Where the name at a place is declared."""
    return await workbench.workers.answer("definition", place, place.files)


@router.post("/references", response_model=list[ReferenceRead])
@needs(SIGNED_IN)
async def list_references(place: PlaceWrite, workbench: TheWorkbench) -> Response:
    """Everywhere the thing at a place is named, in all files."""
    return await workbench.workers.answer("references", place, place.files)


@router.post("/names", response_model=NameRead)
@needs(SIGNED_IN)
async def read_name(place: PlaceWrite, workbench: TheWorkbench) -> Response:
    """The name at a place that may be changed; refused where there is none."""
    return await workbench.workers.answer("name", place, place.files)


@router.post("/renames", response_model=list[EditRead])
@needs(SIGNED_IN)
async def list_rename_edits(request: RenameCreate, workbench: TheWorkbench) -> Response:
    """The edits, in all files, that change a name; refused when any place would come to mean something else."""
    return await workbench.workers.answer("rename", request, request.files)


@router.post("/schema-edits", response_model=SchemaEditRead)
@needs(SIGNED_IN)
async def read_schema_edit(request: SchemaEditCreate, workbench: TheWorkbench) -> Response:
    """The edits that change the schema as asked, compiled; refused where the text cannot be changed so."""
    return await workbench.workers.answer("schema_edit", request, request.files)


@router.post("/tokens", response_model=TokensRead)
@needs(SIGNED_IN)
async def read_tokens(request: FileAmong, workbench: TheWorkbench) -> Response:
    """What each word of a file is, for highlighting, and what can be folded: a page asks both at each key."""
    return await workbench.workers.answer("tokens", request, request.files)


@router.post("/outlines", response_model=list[OutlineItemRead])
@needs(SIGNED_IN)
async def list_outline(file: SourceFile, workbench: TheWorkbench) -> Response:
    """The tables, indexes and queries of a file."""
    return await workbench.workers.answer("outline", file, [file])


@router.post("/folds", response_model=list[FoldRead])
@needs(SIGNED_IN)
async def list_folds(file: SourceFile, workbench: TheWorkbench) -> Response:
    """What can be folded in a file."""
    return await workbench.workers.answer("folds", file, [file])


@router.post("/formats", response_model=list[EditRead])
@needs(SIGNED_IN)
async def list_format_edits(file: SourceFile, workbench: TheWorkbench) -> Response:
    """The edits that format a file; refused when it cannot be read."""
    return await workbench.workers.answer("format", file, [file])
