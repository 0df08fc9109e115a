"""Text and positions in it: a `Source` is one file's text, a `Span` a range of it that knows its line and column."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

from piql.trees.cached_property import cached_property

_LINE_END = re.compile("\n")
_WIDE = re.compile("[\U00010000-\U0010ffff]")


def utf16_units(text: str) -> int:
    """Count the units of UTF-16: two for characters such as 😀."""
    return len(text) + (0 if text.isascii() else sum(character > "\uffff" for character in text))


@dataclass(frozen=True)
class Source:
    """One file of PIQL text; `name` is empty for plain text given to `compile`."""

    text: str
    name: str = ""

    @cached_property
    def _line_starts(self) -> array[int]:
        return array("Q", chain((0,), (match.end() for match in _LINE_END.finditer(self.text))))

    @cached_property
    def _wide_characters(self) -> Sequence[int]:
        """The offsets of all characters of two UTF-16 units.

        They are found once for the file: a line may be as long as the file, and hold many diagnostics.
        """
        if self.text.isascii():
            return ()
        return array("Q", (match.start() for match in _WIDE.finditer(self.text)))

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and the UTF-16 column of a code-point offset, both counted from 1."""
        line = bisect_right(self._line_starts, offset)
        start = self._line_starts[line - 1]
        offset = min(offset, len(self.text))
        wide = bisect_left(self._wide_characters, offset) - bisect_left(self._wide_characters, start)
        return line, 1 + offset - start + wide

    def offset(self, line: int, utf16_column: int) -> int:
        """Return the code-point offset of a line and a UTF-16 column, both counted from 1; clipped to the line."""
        line = max(1, min(line, len(self._line_starts)))
        at = self._line_starts[line - 1]
        end = self._line_starts[line] - 1 if line < len(self._line_starts) else len(self.text)
        units = utf16_column - 1
        while units > 0 and at < end:
            units -= 2 if self.text[at] > "\uffff" else 1
            at += 1
        return at

    def span(self, start: int, end: int) -> Span:
        return Span(self, start, end)


@dataclass(frozen=True, slots=True)
class Span:
    """A range `start..end` of code points in a source, the end excluded; columns are counted in UTF-16 units."""

    source: Source = field(compare=False, repr=False)
    start: int
    end: int

    @property
    def file(self) -> str:
        return self.source.name

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def utf16_column(self) -> int:
        return self.source.position(self.start)[1]

    @property
    def end_line(self) -> int:
        return self.source.position(self.end)[0]

    @property
    def end_utf16_column(self) -> int:
        return self.source.position(self.end)[1]

    def to(self, other: Span) -> Span:
        """Return the smallest span that covers both."""
        return Span(self.source, min(self.start, other.start), max(self.end, other.end))
