"""All names in a set of files, with what each means. After a keystroke only the statement under it is read again.

    texts ──cut──▶ pieces (one statement each) ──cached──▶ occurrences ──moved to the file──▶ answers

What the names of a statement mean depends on the statement and on the tables. Both stay the same objects while their
texts do, so they are the key of the cache. Cached spans count from the start of the piece.
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
class _PlacedPiece:
    """A piece, the offset in the file where it starts, and the names in it with spans that count from there."""

    source: Source
    start: int
    occurrences: list[Occurrence]

    def moved(self, occurrence: Occurrence) -> Occurrence:
        """Return an occurrence with its span in the file."""
        span = Span(self.source, occurrence.span.start + self.start, occurrence.span.end + self.start)
        return Occurrence(occurrence.symbol, span, occurrence.is_definition)


class Names:
    """The names in the files of `texts` (file name → text). `tables` are those that the files declare, by name."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        files = [_cut(Source(text, name)) for name, text in texts.items()]
        self.tables = _tables_of(piece for file in files for piece in file.files)
        self._pieces = {file.source.name: [*self._placed(file)] for file in files}

    def _placed(self, file: Pieces) -> Iterator[_PlacedPiece]:
        for start, piece in zip(file.starts, file.files, strict=False):
            yield _PlacedPiece(file.source, start, self._occurrences_in(piece))

    def _occurrences_in(self, piece: ast.ParsedFile) -> list[Occurrence]:
        return _occurrences.recall((piece, self.tables), lambda: occurrences_of(piece, self.tables))

    def at(self, file: str, offset: int) -> Occurrence | None:
        """Return the name around an offset, or the one that ends there; None if there is none."""
        pieces = self._pieces.get(file, [])
        number = bisect_right(pieces, offset, key=lambda piece: piece.start) - 1
        if number < 0:
            return None
        piece = pieces[number]
        at = offset - piece.start
        for occurrence in piece.occurrences:
            if occurrence.span.start <= at <= occurrence.span.end:
                return piece.moved(occurrence)
        return None

    def of(self, symbol: Symbol) -> list[Occurrence]:
        """Return all occurrences of a symbol, file by file in the order of the text."""
        return [
            piece.moved(occurrence)
            for pieces in self._pieces.values()
            for piece in pieces
            for occurrence in piece.occurrences
            if occurrence.symbol == symbol
        ]

    def in_file(self, file: str) -> list[Occurrence]:
        """Return all names of a file in the order of the text."""
        return [piece.moved(occurrence) for piece in self._pieces.get(file, []) for occurrence in piece.occurrences]

    def all(self) -> list[Occurrence]:
        """Return all names of all files."""
        return [occurrence for file in self._pieces for occurrence in self.in_file(file)]


def _cut(source: Source) -> Pieces:
    """Cut a file into pieces. Those that did not change since it was last cut are the same objects."""
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
    return isinstance(statement, ast.CreateTable | ast.CreateEntity | ast.CreateView)
