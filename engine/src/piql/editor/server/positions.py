"""Converts offsets to the client's positions and back.

A position is a line and a column. Both count from 0, and columns count in the units that client and server agreed on.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal

from piql.text.source import utf16_units
from piql.trees.cached_property import cached_property

Units = Literal["utf-8", "utf-16", "utf-32"]

_LINE_END = re.compile(r"\r\n|\n|\r")


def units_of(text: str, units: Units) -> int:
    """Count how long a text is in the client's units."""
    if units == "utf-16":
        return utf16_units(text)
    return len(text.encode("utf-8", "replace")) if units == "utf-8" else len(text)


@dataclass(frozen=True)
class Text:
    """A document's text; lines and columns count from 0."""

    text: str
    units: Units = "utf-16"

    @cached_property
    def _lines(self) -> tuple[tuple[int, int], ...]:
        """Return where each line starts and where it ends without its line end."""
        starts = [0]
        ends = []
        for match in _LINE_END.finditer(self.text):
            ends.append(match.start())
            starts.append(match.end())
        return tuple(zip(starts, (*ends, len(self.text)), strict=True))

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return tuple(start for start, _ in self._lines)

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset."""
        line = bisect_right(self._starts, max(0, offset)) - 1
        start, end = self._lines[line]
        return line, units_of(self.text[start : min(offset, end)], self.units)

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and column; what lies behind the end of a line or the text means that end."""
        if line >= len(self._lines):
            return len(self.text)
        at, end = self._lines[max(0, line)]
        left = column
        while left > 0 and at < end:
            left -= units_of(self.text[at], self.units)
            at += 1
        return at

    def replaced(self, start: tuple[int, int], end: tuple[int, int], text: str) -> Text:
        """Return the text after an edit of the client."""
        return Text(self.text[: self.offset(*start)] + text + self.text[self.offset(*end) :], self.units)
