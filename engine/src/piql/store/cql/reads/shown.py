"""What rows a read shows of those that it selected, as source: each driver compiles it for the rows that it gives.

(r[0], r[1] if r[2] else None)  if not r[3] or r[3] < 2          NULL for a stand-in, and no row that is hidden
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from piql.store.base import Row


@dataclass(frozen=True, slots=True)
class Shown:
    """The source of a row out of a selected one `r`, and of the condition under which it is shown: empty for always."""

    row: str
    condition: str
    width: int
    is_changed: bool

    @property
    def hidden(self) -> str:
        """Return the end of a comprehension's source that leaves out what is hidden."""
        return f" if {self.condition}" if self.condition else ""

    def rows(self) -> Callable[[list[Row]], list[Row]]:
        function: Callable[[list[Row]], list[Row]] = eval(f"lambda rows: [{self.source} for r in rows{self.hidden}]")
        return function

    def row_of_each(self, at: int) -> Callable[[list[Row]], dict[Any, list[Row]]]:
        """Return what finds the row of each key, which stands at a place of the selected rows."""
        function: Callable[[list[Row]], dict[Any, list[Row]]] = eval(
            f"lambda rows: {{r[{at}]: [{self.source}] for r in rows{self.hidden}}}"
        )
        return function

    @property
    def source(self) -> str:
        """Return the source of a row where others may stand behind its columns."""
        return self.row if self.is_changed else f"r[:{self.width}]"
