"""The limit on the columns that the stars of one file stand for: every stage looks at each column of each query.

The longer the rest of the file, the lower the limit. Files are counted separately, so a project of any size fits in
several.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

MOST_COLUMNS = 330_000  # less one for each unit of the file's work, as the parser counts it
ALWAYS = 100_000  # the least room, however long the file is


@dataclass(frozen=True, slots=True)
class StarRoom:
    """The work and the star columns of one file so far."""

    work: int = 0  # of all its statements
    columns: int = 0  # that its stars stand for so far
    is_short: bool = False  # a query was refused because it had too many

    @property
    def left(self) -> int:
        """How many columns the next stars may stand for."""
        return 0 if self.is_short else max(ALWAYS, MOST_COLUMNS - self.work) - self.columns

    def with_more(self, work: int = 0, columns: int = 0) -> StarRoom:
        """Return the room after some more work and star columns."""
        return replace(self, work=self.work + work, columns=self.columns + columns)

    def taking(self, columns: int) -> StarRoom:
        """Return the room after a query with so many star columns; without any left if they were too many."""
        if columns > self.left:
            return replace(self, is_short=True)
        return self if columns == 0 else self.with_more(columns=columns)
