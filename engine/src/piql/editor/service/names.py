"""All names of a set of files, found statement by statement: after a keystroke only the one under it is read again.

What a statement's names mean depends on the statement and on the tables; both stay the same objects while their texts
do, so what was found is found again. Its places count from the start of its piece and are moved when asked for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from piql.compiler.binding.schema import bind_schema
from piql.compiler.syntax import ast
from piql.compiler.syntax.pieces import Pieces, cut
from piql.editor.service.occurrences import Occurrence, Symbol, occurrences_of
from piql.schema.catalog import Table
from piql.text.source import Source, Span
from piql.trees.caches import Cached

MOST_FILES = 2048

_tables: Cached[Mapping[str, Table]] = Cached(64)
_occurrences: Cached[list[Occurrence]] = Cached(8192)
_cuts: Cached[Pieces] = Cached(MOST_FILES, is_by_value=True)


@dataclass(frozen=True, slots=True)
class _Place:
    """A piece of a file, where it starts, and what was found in it."""

    source: Source
    start: int
    occurrences: list[Occurrence]

    def moved(self, occurrence: Occurrence) -> Occurrence:
        span = Span(self.source, occurrence.span.start + self.start, occurrence.span.end + self.start)
        return Occurrence(occurrence.symbol, span, occurrence.is_definition)


class Names:
    """Where each thing is named."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        files = [_cut(Source(text, name)) for name, text in texts.items()]
        self.tables = _tables_of(piece for file in files for piece in file.files)
        self._files = {file.source.name: [*self._places(file)] for file in files}

    def _places(self, file: Pieces) -> Iterator[_Place]:
        for start, piece in zip(file.starts, file.files, strict=False):
            yield _Place(file.source, start, self._found(piece))

    def _found(self, piece: ast.ParsedFile) -> list[Occurrence]:
        return _occurrences.recall((piece, self.tables), lambda: occurrences_of(piece, self.tables))

    def at(self, file: str, offset: int) -> Occurrence | None:
        """Return the name that an offset stands in, or touches the end of."""
        places = self._files.get(file, [])
        number = bisect_right(places, offset, key=lambda piece: piece.start) - 1
        if number < 0:
            return None
        piece = places[number]
        at = offset - piece.start
        for occurrence in piece.occurrences:
            if occurrence.span.start <= at <= occurrence.span.end:
                return piece.moved(occurrence)
        return None

    def of(self, symbol: Symbol) -> list[Occurrence]:
        """Return every place where something is named, file by file in the order of the text."""
        return [
            piece.moved(occurrence)
            for places in self._files.values()
            for piece in places
            for occurrence in piece.occurrences
            if occurrence.symbol == symbol
        ]

    def in_file(self, file: str) -> list[Occurrence]:
        """Return all names of a file in the order of the text."""
        return [piece.moved(occurrence) for piece in self._files.get(file, []) for occurrence in piece.occurrences]

    def all(self) -> list[Occurrence]:
        """Return all names of all files."""
        return [occurrence for file in self._files for occurrence in self.in_file(file)]


def _cut(source: Source) -> Pieces:
    """Cut a file, keeping the pieces that it has in common with the text that was cut before."""
    before = _cuts.get((source.name,))
    if before is not None and before.source.text == source.text:
        return before
    return _cuts.put((source.name,), cut(source, before))


def _tables_of(pieces: Iterable[ast.ParsedFile]) -> Mapping[str, Table]:
    schema = tuple(piece for piece in pieces if any(_is_table(statement) for statement in piece.statements))
    return _tables.recall(
        schema, lambda: bind_schema(statement for piece in schema for statement in piece.statements).tables
    )


def _is_table(statement: ast.Statement) -> bool:
    return isinstance(statement, ast.CreateTable | ast.CreateEntity)
