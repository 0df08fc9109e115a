from __future__ import annotations

from fastapi import APIRouter

from piql_backend.dependencies import TheWorkbench
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
    SignatureRead,
    TokensRead,
)
from piql_backend.schema import EditRead, RangeRead, SourceFile

router = APIRouter(prefix="/language", tags=["language"])


@router.post("/completions")
def list_completions(place: PlaceWrite, workbench: TheWorkbench) -> list[CompletionRead]:
    """What may stand at a place, the likeliest first."""
    return workbench.language.completions(place)


@router.post("/signatures")
def read_signature(place: PlaceWrite, workbench: TheWorkbench) -> SignatureRead | None:
    """What the parentheses around a place expect."""
    return workbench.language.signature(place)


@router.post("/hovers")
def read_hover(place: PlaceWrite, workbench: TheWorkbench) -> HoverRead | None:
    """What the name or the limit at a place is."""
    return workbench.language.hover(place)


@router.post("/definitions")
def read_definition(place: PlaceWrite, workbench: TheWorkbench) -> RangeRead | None:
    """Where the name at a place is declared."""
    return workbench.language.definition(place)


@router.post("/references")
def list_references(place: PlaceWrite, workbench: TheWorkbench) -> list[ReferenceRead]:
    """Everywhere the thing at a place is named, in all files."""
    return workbench.language.references(place)


@router.post("/names")
def read_name(place: PlaceWrite, workbench: TheWorkbench) -> NameRead:
    """The name at a place that may be changed; refused where there is none."""
    return workbench.language.name(place)


@router.post("/renames")
def list_rename_edits(request: RenameCreate, workbench: TheWorkbench) -> list[EditRead]:
    """The edits, in all files, that change a name; refused when any place would come to mean something else."""
    return workbench.language.rename(request)


@router.post("/tokens")
def read_tokens(request: FileAmong, workbench: TheWorkbench) -> TokensRead:
    """What each word of a file is, for highlighting."""
    return workbench.language.tokens(request)


@router.post("/outlines")
def list_outline(file: SourceFile, workbench: TheWorkbench) -> list[OutlineItemRead]:
    """The tables, indexes and queries of a file."""
    return workbench.language.outline(file)


@router.post("/folds")
def list_folds(file: SourceFile, workbench: TheWorkbench) -> list[FoldRead]:
    """What can be folded in a file."""
    return workbench.language.folds(file)


@router.post("/formats")
def list_format_edits(file: SourceFile, workbench: TheWorkbench) -> list[EditRead]:
    """The edits that format a file; refused when it cannot be read."""
    return workbench.language.format(file)
