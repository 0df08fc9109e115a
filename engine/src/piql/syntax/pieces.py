"""A file → one text for each statement, parsed by itself: after a keystroke only the statement under it is read again.

Enters: a `Source`, and how an earlier text of the same file was cut. Leaves: its `Pieces`. Next: `binding.binder`.
A piece ends with its semicolon. No statement goes on behind a semicolon, and no comment or quote is open there, so what
a piece means depends on nothing around it. How a text is cut depends on the text alone, whatever was cut before.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate, compress, count, pairwise
from operator import is_not

from piql.source import Source
from piql.syntax import ast
from piql.syntax.parser import MAX_WORK, parse, parse_rest

MOST_PIECES = 10_000  # a file of more statements is read as one piece

# Everything up to a semicolon that is not in a quote or a comment; their ends are those of the lexer.
_PIECE = re.compile(
    r"""(?:
      [^;'"/-]++
    | '(?:[^'\n]|'')*+(?:'|(?=\n)|\Z)
    | "(?:[^"\n]|"")*+(?:"|(?=\n)|\Z)
    | --[^\n]*+
    | //[^\n]*+
    | /\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)
    | [/-]
    )*+;""",
    re.VERBOSE,
)
_MARK = "\0"  # stands in the names of pieces between the name of the file and a number
_FEW = 4
_numbers = count()


class Pieces:
    """One file, cut. Each piece is a parsed file with a `Source` of its own, whose places count from its start."""

    def __init__(
        self, source: Source, files: list[ast.ParsedFile], lengths: list[int], work: int = 0, *, is_anew: bool = False
    ) -> None:
        self.source = source
        self.files = files
        self.lengths = lengths
        self.work = work
        self._asked = 0
        self.is_anew = is_anew  # there is so much that other texts of the file are cut without this one

    @cached_property
    def starts(self) -> list[int]:
        """Where each piece begins, and the end of the last."""
        return list(accumulate(self.lengths, initial=0))

    def start_of(self, name: str) -> int:
        """Where a piece begins. A key in one of a thousand asks for one or two, a file full of faults for all."""
        self._asked += 1
        if self._asked > _FEW:
            return self._start_by_name[name]
        return self.starts[next(at for at, each in enumerate(self.files) if each.source.name == name)]

    @cached_property
    def _start_by_name(self) -> dict[str, int]:
        return dict(zip((each.source.name for each in self.files), self.starts, strict=False))


def cut(source: Source, before: Pieces | None = None) -> Pieces:
    """Cut a text; pieces that `before` has in common with it, at its beginning and end, are not parsed again."""
    if before is None or before.is_anew:
        return _cut(source, Pieces(source, [], []), 0, 0)
    old, new = before.source.text, source.text
    same = _common_start(old, new)
    same_at_end = _common_end(old, new, min(len(old), len(new)) - same)
    starts = before.starts
    first = bisect_right(starts, same) - 1  # the first piece that does not end within what is the same
    if first == len(before.files):
        first = max(first - 1, 0)  # the last one may go on
    last = bisect_left(starts, len(old) - same_at_end, first)
    return _cut(source, before, first, last)


def _cut(source: Source, before: Pieces, first: int, last: int) -> Pieces:
    """Cut what stands behind the pieces up to `first`, until a piece from `last` on begins; all behind it are kept."""
    text = source.text
    lengths = before.lengths
    at = before.starts[first]
    kept, kept_at = last, before.starts[last] + len(text) - len(before.source.text)
    files: list[ast.ParsedFile] = []
    bounds = [at]
    work = 0
    while at < len(text):
        while kept < len(lengths) and kept_at < at:
            kept_at += lengths[kept]
            kept += 1
        if kept < len(lengths) and at == kept_at:
            break
        if work > MAX_WORK or first + len(files) >= MOST_PIECES:
            kept = len(lengths)
            break
        found = _PIECE.match(text, at)
        end = found.end() if found is not None else len(text)
        files.append(parse(_piece(source.name, text[at:end]), MAX_WORK))
        at = end
        bounds.append(at)
        work += files[-1].work
    else:
        kept = len(lengths)
    work += before.work - sum(each.work for each in before.files[first:kept])
    files = [*before.files[:first], *files, *before.files[kept:]]
    lengths = [*lengths[:first], *(end - start for start, end in pairwise(bounds)), *lengths[kept:]]
    most = _as_much_as_is_compiled(files) if work > MAX_WORK else len(files)
    if most >= MOST_PIECES:
        return Pieces(source, [parse(_piece(source.name, text), MAX_WORK)], [len(text)], is_anew=True)
    end = sum(lengths[:most])
    if end == len(text):
        return Pieces(source, files, lengths, work)
    rest = parse_rest(_piece(source.name, text[end:]))
    return Pieces(source, [*files[:most], rest], [*lengths[:most], len(text) - end], is_anew=True)


def _as_much_as_is_compiled(files: list[ast.ParsedFile]) -> int:
    """Give how many pieces there are before which there is not too much."""
    return sum(each <= MAX_WORK for each in accumulate((each.work for each in files[:-1]), initial=0))


def _piece(file: str, text: str) -> Source:
    return Source(text, f"{file}{_MARK}{next(_numbers)}")


def home_of(name: str) -> str | None:
    """Give the name of the file that a piece belongs to; None when `name` is no piece's."""
    home, mark, _ = name.rpartition(_MARK)
    return home if mark else None


def differing(one: str, other: str) -> int:
    """Give how many characters of the longer text stand where the two are not the same."""
    same = _common_start(one, other)
    return max(len(one), len(other)) - same - _common_end(one, other, min(len(one), len(other)) - same)


def _common_start(one: str, other: str) -> int:
    """Give how many characters two texts have in common at their beginning."""
    low, high = 0, min(len(one), len(other))
    step = 4096
    while low < high and one[low : low + step] == other[low : low + step]:
        low = min(low + step, high)
    high = min(low + step, high)
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(one: str, other: str, most: int) -> int:
    """Give how many characters two texts have in common at their end, `most` at most."""
    low, high = 0, most
    step = 4096

    def is_same(start: int, end: int) -> bool:
        return one[len(one) - end : len(one) - start] == other[len(other) - end : len(other) - start]

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


def common_ends(before: list[ast.ParsedFile], now: list[ast.ParsedFile]) -> tuple[int, int]:
    """Give how many pieces two cuts have in common at the beginning, and how many at the end."""
    shorter = min(len(before), len(now))
    head = next(compress(count(), map(is_not, before, now)), shorter)
    tail = next(compress(count(), map(is_not, reversed(before), reversed(now))), shorter)
    return head, min(tail, shorter - head)
