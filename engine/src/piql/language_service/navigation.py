"""Go to definition, find references, rename."""

from __future__ import annotations

from collections.abc import Mapping

from piql.diagnostics.diagnostic import Edit
from piql.language_service.occurrences import Occurrence, Symbol, occurrences_of
from piql.source import Source, Span
from piql.syntax.cursor import RESERVED
from piql.syntax.parser import parse


class RenameRefused(Exception):
    """The new name cannot be taken; the message says why."""


def definition(texts: Mapping[str, str], file: str, offset: int) -> Span | None:
    """Give where the name at an offset is declared."""
    found = _occurrences(texts)
    symbol = _symbol_at(found, file, offset)
    return next((each.span for each in found if each.symbol == symbol and each.is_definition), None)


def references(texts: Mapping[str, str], file: str, offset: int) -> tuple[Span, ...]:
    """Give every place where what stands at an offset is named, its declaration included."""
    found = _occurrences(texts)
    symbol = _symbol_at(found, file, offset)
    return tuple(each.span for each in found if each.symbol == symbol) if symbol is not None else ()


def rename(texts: Mapping[str, str], file: str, offset: int, name: str) -> tuple[Edit, ...]:
    """Give the edits that call what stands at an offset by another name everywhere."""
    found = _occurrences(texts)
    symbol = _symbol_at(found, file, offset)
    if symbol is None:
        raise RenameRefused("nothing here has a name that can change")
    if not name.strip():
        raise RenameRefused("a name cannot be empty")
    if symbol.kind in ("table", "column") and not any(each.is_definition for each in found if each.symbol == symbol):
        raise RenameRefused(f"{symbol.name} is not declared in these files")
    for each in found:
        other = each.symbol
        if other != symbol and _are_siblings(other, symbol) and other.name.lower() == name.lower():
            raise RenameRefused(f"there is {_article(other.kind)} {other.kind} {other.name} already")
    if symbol.kind == "parameter":
        if not name.isidentifier():
            raise RenameRefused(f"{name} is no name of a parameter: use letters, digits and _")
        text = name
    else:
        text = written(name)
    spans = [each.span for each in found if each.symbol == symbol]
    return tuple(Edit(span.file, span.start, span.end, text) for span in spans)


def written(name: str) -> str:
    """Give a name as it must be written: in quotes where it would be read as something else."""
    is_plain = name.isidentifier() and name.upper() not in RESERVED
    return name if is_plain else '"' + name.replace('"', '""') + '"'


def _are_siblings(one: Symbol, other: Symbol) -> bool:
    if one.kind in ("alias", "output"):
        return False
    return one.kind == other.kind and one.owner == other.owner


def _article(kind: str) -> str:
    return "an" if kind[0] in "aeiou" else "a"


def _occurrences(texts: Mapping[str, str]) -> list[Occurrence]:
    return occurrences_of([parse(Source(text, name)) for name, text in texts.items()])


def _symbol_at(found: list[Occurrence], file: str, offset: int) -> Symbol | None:
    for each in found:
        if each.span.file == file and each.span.start <= offset <= each.span.end:
            return each.symbol
    return None
