"""Asks the language service, and turns its offsets into the ranges of the API."""

from __future__ import annotations

from collections.abc import Iterable

from piql.editor.service.completion import complete
from piql.editor.service.formatting import FormatRefused, format_edits
from piql.editor.service.hover import hover
from piql.editor.service.navigation import definition, references
from piql.editor.service.outline import OutlineItem, folds, outline
from piql.editor.service.renaming import RenameRefused, rename, renameable
from piql.editor.service.semantic_tokens import TOKEN_TYPES, encode, semantic_tokens
from piql.editor.service.signature import signature
from piql.text.diagnostics.diagnostic import Edit
from piql.text.source import Source, utf16_units

from piql_backend.compilations.reading import read_diagnostic, read_edit, read_span
from piql_backend.compilations.service import Compilations
from piql_backend.errors import ApiError, NotFound
from piql_backend.language.schemas import (
    CompletionRead,
    FileAmong,
    FoldRead,
    HoverRead,
    LabelPartRead,
    NameRead,
    OutlineItemRead,
    PlaceWrite,
    ReferenceRead,
    RenameCreate,
    SignatureRead,
    TokensRead,
)
from piql_backend.schema import EditRead, RangeRead, SourceFile


class Language:
    """Answers an editor; only hovering needs what the compiler found."""

    def __init__(self, compilations: Compilations) -> None:
        self._compilations = compilations

    def completions(self, place: PlaceWrite) -> list[CompletionRead]:
        texts, offset = _place(place)
        return [CompletionRead.model_validate(completion) for completion in complete(texts, place.file, offset)]

    def signature(self, place: PlaceWrite) -> SignatureRead | None:
        texts, offset = _place(place)
        found = signature(texts, place.file, offset)
        if found is None:
            return None
        parts = [
            LabelPartRead(start=utf16_units(found.label[:start]), end=utf16_units(found.label[:end]))
            for start, end in found.parameters
        ]
        return SignatureRead(
            label=found.label, parameters=parts, active=found.active, documentation=found.documentation
        )

    def hover(self, place: PlaceWrite) -> HoverRead | None:
        _, offset = _place(place)
        found = hover(self._compilations.compile(place.files), place.file, offset)
        return HoverRead(range=read_span(found.span), markdown=found.markdown) if found is not None else None

    def definition(self, place: PlaceWrite) -> RangeRead | None:
        texts, offset = _place(place)
        found = definition(texts, place.file, offset)
        return read_span(found) if found is not None else None

    def references(self, place: PlaceWrite) -> list[ReferenceRead]:
        texts, offset = _place(place)
        return [
            ReferenceRead(range=read_span(reference.span), is_definition=reference.is_definition)
            for reference in references(texts, place.file, offset)
        ]

    def name(self, place: PlaceWrite) -> NameRead:
        texts, offset = _place(place)
        try:
            found = renameable(texts, place.file, offset)
        except RenameRefused as refusal:
            raise _refused(refusal) from refusal
        return NameRead(range=read_span(found), text=found.text)

    def rename(self, request: RenameCreate) -> list[EditRead]:
        texts, offset = _place(request)
        try:
            return _edits(texts, rename(texts, request.file, offset, request.new_name))
        except RenameRefused as refusal:
            raise _refused(refusal) from refusal

    def tokens(self, request: FileAmong) -> TokensRead:
        texts = _texts(request)
        data = encode(semantic_tokens(texts, request.file), texts[request.file])
        return TokensRead(types=list(TOKEN_TYPES), data=data)

    def outline(self, file: SourceFile) -> list[OutlineItemRead]:
        return [_outline_item(item) for item in outline(file.text, file.path)]

    def folds(self, file: SourceFile) -> list[FoldRead]:
        return [FoldRead.model_validate(fold) for fold in folds(file.text, file.path)]

    def format(self, file: SourceFile) -> list[EditRead]:
        try:
            return _edits({file.path: file.text}, format_edits(file.text, file.path))
        except FormatRefused as refusal:
            found = read_diagnostic(refusal.finding, {file.path: Source(file.text, file.path)})
            message = f"{file.path} is not formatted: {refusal}."
            raise ApiError(422, "format-refused", message, "Fix it, then format again.", [found]) from refusal


def _texts(request: FileAmong) -> dict[str, str]:
    texts = {file.path: file.text for file in request.files}
    if request.file not in texts:
        raise NotFound("unknown-file", f"{request.file} is not among the files.")
    return texts


def _place(place: PlaceWrite) -> tuple[dict[str, str], int]:
    texts = _texts(place)
    return texts, Source(texts[place.file], place.file).offset(place.line, place.column)


def _edits(texts: dict[str, str], edits: Iterable[Edit]) -> list[EditRead]:
    sources = {name: Source(text, name) for name, text in texts.items()}
    return [read_edit(edit, sources) for edit in edits]


def _refused(refusal: RenameRefused) -> ApiError:
    message = str(refusal)
    return ApiError(422, "rename-refused", f"{message[0].upper()}{message[1:]}.")


def _outline_item(item: OutlineItem) -> OutlineItemRead:
    return OutlineItemRead(
        name=item.name,
        kind=item.kind,
        detail=item.detail,
        range=read_span(item.span),
        name_range=read_span(item.name_span),
        children=[_outline_item(child) for child in item.children],
    )
