"""Answers an editor: asks `piql.editor.service`, and turns its offsets and spans into the schemas of the API.

A position enters as a line and a column, and is turned into the texts and an offset first.
"""

from __future__ import annotations

from collections.abc import Iterable

from piql.editor.service.completion import complete
from piql.editor.service.formatting import FormatRefused, format_edits
from piql.editor.service.hover import hover
from piql.editor.service.navigation import definition, references
from piql.editor.service.outline import OutlineItem, folds, outline
from piql.editor.service.renaming import RenameRefused, rename, renameable
from piql.editor.service.schema_edits.changes import SchemaEditRefused
from piql.editor.service.schema_edits.consequences import consequences
from piql.editor.service.schema_edits.edits import schema_edits
from piql.editor.service.semantic_tokens import TOKEN_TYPES, encode, semantic_tokens
from piql.editor.service.signature import signature
from piql.text.diagnostics.diagnostic import Edit
from piql.text.edits import apply_edits
from piql.text.source import Source, utf16_units

from piql_backend.compilations.reading import read_diagnostic, read_edit, read_span
from piql_backend.compilations.service import Compilations
from piql_backend.language.schema_changes import schema_change
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
    SchemaEditCreate,
    SchemaEditRead,
    SignatureRead,
    TokensRead,
)
from piql_backend.web.errors import ApiError, NotFound
from piql_backend.web.schemas import EditRead, RangeRead, SourceFile


class Language:
    """Answers an editor; only hovering needs a compilation. Raises ApiError 404 for a file that is not sent along."""

    def __init__(self, compilations: Compilations) -> None:
        self._compilations = compilations

    def completions(self, place: PlaceWrite) -> list[CompletionRead]:
        texts, offset = _texts_and_offset(place)
        return [CompletionRead.model_validate(completion) for completion in complete(texts, place.file, offset)]

    def signature(self, place: PlaceWrite) -> SignatureRead | None:
        texts, offset = _texts_and_offset(place)
        card = signature(texts, place.file, offset)
        if card is None:
            return None
        parts = [
            LabelPartRead(start=utf16_units(card.label[:start]), end=utf16_units(card.label[:end]))
            for start, end in card.parameters
        ]
        return SignatureRead(label=card.label, parameters=parts, active=card.active, documentation=card.documentation)

    def hover(self, place: PlaceWrite) -> HoverRead | None:
        _, offset = _texts_and_offset(place)
        card = hover(self._compilations.compile(place.files), place.file, offset)
        return HoverRead(range=read_span(card.span), markdown=card.markdown) if card is not None else None

    def definition(self, place: PlaceWrite) -> RangeRead | None:
        texts, offset = _texts_and_offset(place)
        span = definition(texts, place.file, offset)
        return read_span(span) if span is not None else None

    def references(self, place: PlaceWrite) -> list[ReferenceRead]:
        texts, offset = _texts_and_offset(place)
        return [
            ReferenceRead(range=read_span(reference.span), is_definition=reference.is_definition)
            for reference in references(texts, place.file, offset)
        ]

    def name(self, place: PlaceWrite) -> NameRead:
        """The name that may be changed; ApiError 422 where there is none."""
        texts, offset = _texts_and_offset(place)
        try:
            span = renameable(texts, place.file, offset)
        except RenameRefused as refusal:
            raise _refused(refusal) from refusal
        return NameRead(range=read_span(span), text=span.text)

    def rename(self, request: RenameCreate) -> list[EditRead]:
        """The edits, in all files, that change a name; ApiError 422 where the new name would mean something else."""
        texts, offset = _texts_and_offset(request)
        try:
            return _edits(texts, rename(texts, request.file, offset, request.new_name))
        except RenameRefused as refusal:
            raise _refused(refusal) from refusal

    def schema_edit(self, request: SchemaEditCreate) -> SchemaEditRead:
        """The edits of a change of the schema, compiled; ApiError 422 where the text cannot be changed so."""
        texts = {file.path: file.text for file in request.files}
        try:
            edits = schema_edits(texts, schema_change(request))
        except SchemaEditRefused as refusal:
            raise ApiError(422, "schema-edit-refused", _sentence(refusal)) from refusal
        after = apply_edits(texts, edits)
        findings = consequences(self._compilations.compile_texts(texts), self._compilations.compile_texts(after))
        sources = {name: Source(text, name) for name, text in after.items()}
        return SchemaEditRead(
            edits=_edits(texts, edits),
            new_errors=[read_diagnostic(error, sources) for error in findings.new_errors],
            now_bounded=list(findings.now_bounded),
            now_refused=list(findings.now_refused),
        )

    def tokens(self, request: FileAmong) -> TokensRead:
        texts = _texts(request)
        text = texts[request.file]
        data = encode(semantic_tokens(texts, request.file), text)
        return TokensRead(
            types=list(TOKEN_TYPES), data=data, folds=self.folds(SourceFile(path=request.file, text=text))
        )

    def outline(self, file: SourceFile) -> list[OutlineItemRead]:
        return [_outline_item(item) for item in outline(file.text, file.path)]

    def folds(self, file: SourceFile) -> list[FoldRead]:
        return [FoldRead.model_validate(fold) for fold in folds(file.text, file.path)]

    def format(self, file: SourceFile) -> list[EditRead]:
        """The edits that format a file; ApiError 422 with the diagnostic where it cannot be parsed."""
        try:
            return _edits({file.path: file.text}, format_edits(file.text, file.path))
        except FormatRefused as refusal:
            diagnostic = read_diagnostic(refusal.finding, {file.path: Source(file.text, file.path)})
            message = f"{file.path} is not formatted: {refusal}."
            raise ApiError(422, "format-refused", message, "Fix it, then format again.", [diagnostic]) from refusal


def _texts(request: FileAmong) -> dict[str, str]:
    texts = {file.path: file.text for file in request.files}
    if request.file not in texts:
        raise NotFound("unknown-file", f"{request.file} is not among the files.")
    return texts


def _texts_and_offset(place: PlaceWrite) -> tuple[dict[str, str], int]:
    """The texts by path, and the offset of a position in its file."""
    texts = _texts(place)
    return texts, Source(texts[place.file], place.file).offset(place.line, place.column)


def _edits(texts: dict[str, str], edits: Iterable[Edit]) -> list[EditRead]:
    sources = {name: Source(text, name) for name, text in texts.items()}
    return [read_edit(edit, sources) for edit in edits]


def _refused(refusal: RenameRefused) -> ApiError:
    return ApiError(422, "rename-refused", _sentence(refusal))


def _sentence(refusal: Exception) -> str:
    message = str(refusal)
    return f"{message[0].upper()}{message[1:]}."


def _outline_item(item: OutlineItem) -> OutlineItemRead:
    return OutlineItemRead(
        name=item.name,
        kind=item.kind,
        detail=item.detail,
        range=read_span(item.span),
        name_range=read_span(item.name_span),
        children=[_outline_item(child) for child in item.children],
    )
