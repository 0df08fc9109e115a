"""Where a name is declared and used."""

from __future__ import annotations

from collections.abc import Mapping

from piql.language_service.occurrences import Occurrence, Symbol, occurrences_of
from piql.source import Source, Span
from piql.syntax.parser import parse_once


def definition(texts: Mapping[str, str], file: str, offset: int) -> Span | None:
    """Give where the name at an offset is declared."""
    found = occurrences_in(texts)
    occurrence = occurrence_at(found, file, offset)
    return definition_of(found, occurrence.symbol) if occurrence is not None else None


def references(texts: Mapping[str, str], file: str, offset: int) -> tuple[Occurrence, ...]:
    """Give every place where what stands at an offset is named, its declaration included."""
    found = occurrences_in(texts)
    occurrence = occurrence_at(found, file, offset)
    return tuple(each for each in found if each.symbol == occurrence.symbol) if occurrence is not None else ()


def definition_of(found: list[Occurrence], symbol: Symbol) -> Span | None:
    return next((each.span for each in found if each.symbol == symbol and each.is_definition), None)


def occurrences_in(texts: Mapping[str, str]) -> list[Occurrence]:
    """Give all names of the files with what they mean."""
    return occurrences_of([parse_once(Source(text, name)) for name, text in texts.items()])


def occurrence_at(found: list[Occurrence], file: str, offset: int) -> Occurrence | None:
    """Give the name that an offset stands in, or touches the end of."""
    for each in found:
        if each.span.file == file and each.span.start <= offset <= each.span.end:
            return each
    return None
