"""Renaming, in all files or not at all: what would change the meaning of any name is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from piql.compiler import compile  # noqa: A004
from piql.compiler.syntax.cursor import RESERVED
from piql.compiler.syntax.lexer import tokenize, unquote
from piql.editor.service.names import Names
from piql.editor.service.occurrences import Occurrence, Symbol
from piql.text.diagnostics.diagnostic import Diagnostic, Edit
from piql.text.edits import apply_edits
from piql.text.source import Source, Span


class RenameRefused(Exception):
    """The new name cannot be taken; the message says why."""


def renameable(texts: Mapping[str, str], file: str, offset: int) -> Span:
    """Return the name at an offset that may be changed; raise RenameRefused where there is none."""
    return _renamed(Names(texts), file, offset).span


def _renamed(names: Names, file: str, offset: int) -> Occurrence:
    """Return the name at an offset; raise RenameRefused where there is none that can change."""
    occurrence = names.at(file, offset)
    if occurrence is None or (occurrence.symbol.kind == "parameter" and occurrence.span.text[0] in "?$"):
        raise RenameRefused("nothing here has a name that can change")
    return occurrence


def rename(texts: Mapping[str, str], file: str, offset: int, name: str) -> tuple[Edit, ...]:
    """Return the edits that rename the symbol at an offset everywhere; raise RenameRefused where that cannot be."""
    names = Names(texts)
    symbol = _renamed(names, file, offset).symbol
    occurrences = names.all()
    plain_name = _unquoted(name.strip())
    for occurrence in occurrences:
        neighbour = occurrence.symbol
        if neighbour != symbol and _are_siblings(neighbour, symbol) and neighbour.name.lower() == plain_name.lower():
            raise RenameRefused(f"there is {_article(neighbour.kind)} {neighbour.kind} {neighbour.name} already")
    text = _parameter_name(plain_name) if symbol.kind == "parameter" else written(plain_name)
    places = {
        (occurrence.span.file, occurrence.span.start): occurrence.span
        for occurrence in occurrences
        if occurrence.symbol == symbol
    }
    edits = tuple(Edit(span.file, span.start, span.end, text) for span in places.values() if span.text != text)
    _check_meanings(texts, occurrences, edits, plain_name)
    return edits


def written(name: str) -> str:
    """Return a name as it must be written: in quotes where it would be read as something else."""
    is_plain = name.isidentifier() and name.upper() not in RESERVED
    return name if is_plain else '"' + name.replace('"', '""') + '"'


def _unquoted(name: str) -> str:
    """Return a new name without the quotes in which the user may have written it; refuse one that cannot be a name."""
    tokens = tokenize(Source(name)).tokens
    if len(tokens) == 2 and tokens[0].kind == "quoted":
        name = unquote(tokens[0])
    if not name.strip():
        raise RenameRefused("a name cannot be empty")
    if not name.isprintable():
        raise RenameRefused("a name must be on one line, without control characters")
    return name


def _parameter_name(name: str) -> str:
    if not name.isidentifier():
        raise RenameRefused(f"a parameter cannot be called {name}: use letters, digits and _")
    return name


def _are_siblings(first: Symbol, second: Symbol) -> bool:
    return first.kind == second.kind and first.owner == second.owner


def _article(kind: str) -> str:
    return "an" if kind[0] in "aeiou" else "a"


def _check_meanings(
    texts: Mapping[str, str], occurrences: Sequence[Occurrence], edits: Sequence[Edit], name: str
) -> None:
    """Refuse edits after which a name anywhere would mean something else, or the compiler would find a new error.

    Symbols before and after the edits must correspond one to one, at every name of the texts.
    """
    after = apply_edits(texts, edits)
    symbols_after = {
        (occurrence.span.file, occurrence.span.start): occurrence.symbol for occurrence in Names(after).all()
    }
    new_of_old: dict[Symbol, Symbol] = {}
    old_of_new: dict[Symbol, Symbol] = {}
    for occurrence in occurrences:
        position, old = _moved(occurrence.span, edits), occurrence.symbol
        new = symbols_after.get(position)
        if new is None or new_of_old.setdefault(old, new) != new or old_of_new.setdefault(new, old) != old:
            raise RenameRefused(_would_change(name, after, position))
    errors, before = _errors(after), _errors(texts)
    if len(errors) > len(before):
        codes = {diagnostic.code for diagnostic in before}
        error = next((error for error in errors if error.code not in codes), errors[0])
        raise RenameRefused(f"with the name {name}, {error.span.file}:{error.span.line} is wrong: {error.message}")


def _would_change(name: str, texts: Mapping[str, str], position: tuple[str, int]) -> str:
    file, offset = position
    line, _ = Source(texts[file], file).position(offset)
    return f"with the name {name}, {file}:{line} would mean something else"


def _errors(texts: Mapping[str, str]) -> list[Diagnostic]:
    return [diagnostic for diagnostic in compile(texts).diagnostics if diagnostic.severity == "error"]


def _moved(span: Span, edits: Iterable[Edit]) -> tuple[str, int]:
    """Return the file and the offset where a span begins after the edits."""
    before = (edit for edit in edits if edit.file == span.file and edit.start < span.start)
    return span.file, span.start + sum(len(edit.text) - (edit.end - edit.start) for edit in before)
