"""How many columns the stars of one file may stand for: every stage looks at each column of each query.

The longer the file is otherwise, the fewer; files do not count together, so a set of any size has room in several.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

MOST_COLUMNS = 330_000  # less one for each unit of the file's work, as the parser counts it
ALWAYS = 100_000  # there is room for, however long the file is


@dataclass(frozen=True, slots=True)
class StarRoom:
    """The room of one file."""

    work: int = 0  # of all its statements
    columns: int = 0  # that its stars stand for so far
    is_short: bool = False  # a query was refused for want of room

    @property
    def left(self) -> int:
        return 0 if self.is_short else max(ALWAYS, MOST_COLUMNS - self.work) - self.columns

    def with_more(self, work: int = 0, columns: int = 0) -> StarRoom:
        return replace(self, work=self.work + work, columns=self.columns + columns)

    def taking(self, columns: int) -> StarRoom:
        """Return the room once a query has taken some of it, or found too little."""
        if columns > self.left:
            return replace(self, is_short=True)
        return self if columns == 0 else self.with_more(columns=columns)
