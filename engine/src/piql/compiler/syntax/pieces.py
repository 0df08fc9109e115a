"""A file → one text for each statement, parsed by itself: after a keystroke only the statement under it is read again.

Enters: a `Source`, and how an earlier text of the same file was cut. Leaves: its `Pieces`. Next: `binding.binder`.

    CREATE TABLE t (…); -- note    →    piece 0: `CREATE TABLE t (…);`
    CREATE QUERY q AS …;                piece 1: ` -- note⏎CREATE QUERY q AS …;`
    (end of the file)                   piece 2: whatever stands behind the last semicolon

A piece ends with its semicolon, a unit with that of its END: what begins with CREATE UNIT goes on up to there, or up to
the next definition while END is not written yet. No statement goes on behind a piece, and no comment or quote is open
there, so what a piece means depends on nothing around it. How a text is cut depends on the text alone, whatever was cut
before.
"""

from __future__ import annotations

import re
from itertools import accumulate, count

from piql.compiler.syntax import ast
from piql.compiler.syntax.cursor import CREATABLE
from piql.compiler.syntax.parser import MAX_WORK, parse, refuse_long, refuse_remainder
from piql.text.source import Source
from piql.trees.cached_property import cached_property
from piql.trees.sharing import LongList

MOST_CHARACTERS = 16_000_000  # of a file
MOST_PIECES = 10_000  # a file of more statements is parsed as one piece

# Everything up to a semicolon that is not in a quote or a comment; their ends are those of the lexer.
_PIECE = re.compile(
    r"""(?:
      [^;'"`/-]++
    | '(?:[^'\n]++|'')*+(?:'|(?=\n)|\Z)
    | "(?:[^"\n]++|"")*+(?:"|(?=\n)|\Z)
    | `(?:[^`\n]++|``)*+(?:`|(?=\n)|\Z)
    | --[^\n]*+
    | //[^\n]*+
    | /\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)
    | [/-]
    )*+;""",
    re.VERBOSE,
)
_BLANK = r"(?:\s|--[^\n]*+|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z))"
_UNIT = re.compile(rf"{_BLANK}*+CREATE{_BLANK}++UNIT\b", re.IGNORECASE)
_END_OF_UNIT = re.compile(rf"{_BLANK}*+END{_BLANK}*+;", re.IGNORECASE)
_DEFINITION = re.compile(rf"{_BLANK}*+(?:CREATE{_BLANK}++(?:{'|'.join(CREATABLE)})|ENTITY|QUERY)\b", re.IGNORECASE)
_MARK = "\0"  # in the name of a piece, between the name of the file and a number
COMPARED = 4096  # characters compared at once; where they differ, the place is found by halving
FEW_LOOKUPS = 4  # names of pieces looked up one by one; the next one makes an index of all
_numbers = count()


class Pieces:
    """One file, cut. Each piece is a parsed file with a `Source` of its own, whose offsets count from its start.

    `work` is that of all pieces, as the parser counts it. A file that is too large `is_anew`: it is never the base of
    the next cut.
    """

    def __init__(
        self, source: Source, files: LongList[ast.ParsedFile], work: int = 0, *, is_anew: bool = False
    ) -> None:
        self.source = source
        self.files = files
        self.work = work
        self.is_anew = is_anew
        self._lookups = 0

    @cached_property
    def starts(self) -> list[int]:
        """Return the offset of each piece, and the end of the last."""
        return list(accumulate((len(file.source.text) for file in self.files), initial=0))

    def at(self, offset: int) -> tuple[int, int]:
        """Return the number of the piece that holds an offset, and where the piece begins.

        At the end of the file the number is that behind the last piece.
        """
        number, start = 0, 0
        for run, length in zip(self.files.runs(), self.files.by_run(_length_of), strict=True):
            if start + length > offset:
                for piece in run:
                    if start + len(piece.source.text) > offset:
                        return number, start
                    start += len(piece.source.text)
                    number += 1
            start += length
            number += len(run)
        return number, start

    def start(self, number: int) -> int:
        """Return the offset of a piece; the end of the file for the number behind the last."""
        first, start = 0, 0
        for run, length in zip(self.files.runs(), self.files.by_run(_length_of), strict=True):
            if first + len(run) > number:
                return start + _length_of(run[: number - first])
            first += len(run)
            start += length
        return start

    def start_of(self, name: str) -> int:
        """Return the offset of the piece with this name; raise KeyError if there is none.

        A keystroke in one of a thousand pieces asks for one or two, a file full of errors for all of them.
        """
        self._lookups += 1
        if self._lookups > FEW_LOOKUPS:
            return self._start_by_name[name]
        start = 0
        for length, starts in zip(self.files.by_run(_length_of), self.files.by_run(_starts_in), strict=True):
            if name in starts:
                return start + starts[name]
            start += length
        raise KeyError(name)

    @cached_property
    def _start_by_name(self) -> dict[str, int]:
        return dict(zip((file.source.name for file in self.files), self.starts, strict=False))


def _length_of(pieces: tuple[ast.ParsedFile, ...]) -> int:
    return sum(len(piece.source.text) for piece in pieces)


def _starts_in(pieces: tuple[ast.ParsedFile, ...]) -> dict[str, int]:
    """Return the offset of each piece by its name, counted from the start of the first."""
    starts = accumulate((len(piece.source.text) for piece in pieces), initial=0)
    return dict(zip((piece.source.name for piece in pieces), starts, strict=False))


def cut(source: Source, before: Pieces | None = None) -> Pieces:
    """Cut and parse a text; pieces that it shares with `before` at the beginning and the end are not parsed again."""
    if len(source.text) > MOST_CHARACTERS:
        refused = refuse_long(_piece(source.name, source.text), MOST_CHARACTERS)
        return Pieces(source, LongList.of([refused]), is_anew=True)
    if before is None or before.is_anew:
        return _cut(source, Pieces(Source(""), LongList.of(())), 0, 0)
    old, new = before.source.text, source.text
    same_at_start = _common_start(old, new)
    same_at_end = _common_end(old, new, min(len(old), len(new)) - same_at_start)
    first, _ = before.at(same_at_start)  # the first piece that does not end in the common beginning
    if first == len(before.files):
        first = max(first - 1, 0)  # its last piece may continue
    if first > 0 and _is_open_unit(before.files[first - 1].source.text):
        first -= 1  # whether it goes on depends on what follows
    last, start = before.at(len(old) - same_at_end)
    if start < len(old) - same_at_end:
        last += 1
    return _cut(source, before, first, max(first, last))


def _cut(source: Source, before: Pieces, first: int, last: int) -> Pieces:
    """Parse the text behind the first `first` old pieces, up to the start of an old piece from number `last` on.

    The old pieces before and behind the parsed text are kept as they are.
    """
    text = source.text
    old = before.files
    at = before.start(first)
    next_old, next_old_at = last, before.start(last) + len(text) - len(before.source.text)
    files: list[ast.ParsedFile] = []
    work = 0
    while at < len(text):
        while next_old < len(old) and next_old_at < at:
            next_old_at += len(old[next_old].source.text)
            next_old += 1
        if next_old < len(old) and at == next_old_at:
            break
        if work > MAX_WORK or first + len(files) >= MOST_PIECES:
            next_old = len(old)
            break
        end = _end_of_piece(text, at)
        files.append(parse(_piece(source.name, text[at:end]), MAX_WORK))
        at = end
        work += files[-1].work
    else:
        next_old = len(old)
    work += before.work - sum(file.work for file in old.between(first, next_old))
    pieces = old.with_slice(first, next_old, files)
    most = _pieces_within_limit(pieces) if work > MAX_WORK else len(pieces)
    if most >= MOST_PIECES:
        return Pieces(source, LongList.of([parse(_piece(source.name, text), MAX_WORK)]), is_anew=True)
    end = sum(pieces.by_run(_length_of)) if most == len(pieces) else _length_of(tuple(pieces.between(0, most)))
    if end == len(text):
        return Pieces(source, pieces, work)
    remainder = refuse_remainder(_piece(source.name, text[end:]))
    return Pieces(source, LongList.of([*pieces.between(0, most), remainder]), is_anew=True)


def _end_of_piece(text: str, start: int) -> int:
    """Return the offset behind the piece that begins at `start`."""
    end = _end_of_statement(text, start)
    if _UNIT.match(text, start) is None:
        return end
    while end < len(text) and _DEFINITION.match(text, end) is None:
        start, end = end, _end_of_statement(text, end)
        if _END_OF_UNIT.match(text, start) is not None:
            break
    return end


def _end_of_statement(text: str, start: int) -> int:
    """Return the offset behind the next semicolon that is in no quote or comment; the end where there is none."""
    match = _PIECE.match(text, start)
    return match.end() if match is not None else len(text)


def _is_open_unit(piece: str) -> bool:
    """Return whether a piece is a unit without its END, which goes on if no definition follows."""
    if _UNIT.match(piece) is None:
        return False
    start = end = 0
    while end < len(piece):
        start, end = end, _end_of_statement(piece, end)
    return _END_OF_UNIT.match(piece, start) is None


def _pieces_within_limit(files: LongList[ast.ParsedFile]) -> int:
    """Return how many pieces come before the one at which the work exceeds MAX_WORK."""
    work = (file.work for file in files.between(0, len(files) - 1))
    return sum(work_before <= MAX_WORK for work_before in accumulate(work, initial=0))


def _piece(file: str, text: str) -> Source:
    """Return the source of a new piece, with a name that no other piece of this process has."""
    return Source(text, f"{file}{_MARK}{next(_numbers)}")


def file_of_piece(name: str) -> str | None:
    """Return the name of the file that a piece belongs to; None when `name` is not that of a piece."""
    home, mark, _ = name.rpartition(_MARK)
    return home if mark else None


def changed_characters(left: str, right: str) -> int:
    """Return how many characters of the longer text remain without the common beginning and end of the two."""
    same_at_start = _common_start(left, right)
    same_at_end = _common_end(left, right, min(len(left), len(right)) - same_at_start)
    return max(len(left), len(right)) - same_at_start - same_at_end


def _common_start(left: str, right: str) -> int:
    """Return the length of the common beginning of two texts."""
    low, high = 0, min(len(left), len(right))
    step = COMPARED
    while low < high and left[low : low + step] == right[low : low + step]:
        low = min(low + step, high)
    high = min(low + step, high)
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(left: str, right: str, most: int) -> int:
    """Return the length of the common end of two texts, `most` at most."""
    low, high = 0, most
    step = COMPARED

    def is_same(start: int, end: int) -> bool:
        return left[len(left) - end : len(left) - start] == right[len(right) - end : len(right) - start]

    while low < high and is_same(low, min(low + step, high)):
        low = min(low + step, high)
    high = min(low + step, high)
    while low < high:
        middle = (low + high + 1) // 2
        if is_same(low, middle):
            low = middle
        else:
            high = middle - 1
    return low
