"""Where a name is declared and used."""

from __future__ import annotations

from collections.abc import Mapping

from piql.editor.service.names import Names
from piql.editor.service.occurrences import Occurrence
from piql.text.source import Span


def definition(texts: Mapping[str, str], file: str, offset: int) -> Span | None:
    """Return where the name at an offset is declared."""
    return next((reference.span for reference in references(texts, file, offset) if reference.is_definition), None)


def references(texts: Mapping[str, str], file: str, offset: int) -> tuple[Occurrence, ...]:
    """Return every place where what stands at an offset is named, its declaration included."""
    names = Names(texts)
    occurrence = names.at(file, offset)
    return tuple(names.of(occurrence.symbol)) if occurrence is not None else ()
