"""Which of the selected rows a read returns, and their columns, as Python source over a selected row `r`.

    row          (r[0], r[1] if r[2] else None)    NULL in place of a stand-in
    condition    not r[3] or r[3] < 2              no row that is hidden

It is source and no function because the Rust driver's rows are other objects, for which it is rewritten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from piql.store.rows import Row


@dataclass(frozen=True, slots=True)
class Shown:
    """The sources of the row that a read returns, and of the condition under which it does (empty: always).

    width         how many columns were asked for
    is_changed    whether the row is not just the first `width` columns of the selected one
    """

    row: str
    condition: str
    width: int
    is_changed: bool

    @property
    def hidden(self) -> str:
        """Return the end of a comprehension's source that leaves out hidden rows."""
        return f" if {self.condition}" if self.condition else ""

    def rows(self) -> Callable[[list[Row]], list[Row]]:
        """Return the function from the selected rows to those that the read returns."""
        function: Callable[[list[Row]], list[Row]] = eval(f"lambda rows: [{self.source} for r in rows{self.hidden}]")
        return function

    def row_by_key(self, at: int) -> Callable[[list[Row]], dict[Any, list[Row]]]:
        """Return the function from the selected rows to those that the read returns, by the key at a position."""
        function: Callable[[list[Row]], dict[Any, list[Row]]] = eval(
            f"lambda rows: {{r[{at}]: [{self.source}] for r in rows{self.hidden}}}"
        )
        return function

    @property
    def source(self) -> str:
        """Return the source of a row, cut to the columns that were asked for."""
        return self.row if self.is_changed else f"r[:{self.width}]"
