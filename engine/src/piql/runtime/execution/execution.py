"""What one execution carries from operator to operator, and the type of an operator's run.

An operator's run is a generator. `strategy.drive` answers what it yields:

    yields     a list of batches: all requests that it can make at once
    is sent    the answers, one for each batch: for each request its rows
    returns    its rows
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar

from piql.store.base import Answers, Batch
from piql.store.rows import Row

T = TypeVar("T")
RunReturning: TypeAlias = Generator[list[Batch], Answers, T]
OperatorRun: TypeAlias = RunReturning[list[Row]]


class Execution:
    """The state of one execution.

    parameters    stored values, in the order of the query's parameters
    position      the values of the page's order in the last row of the page before; None for a first page
    page_end      the same of this page's last row, set when the page is full
    work_tables   the rows of the level before, by the path of their recursive union
    is_lazy       operators get their child rows one by one (see `operators/first_rows.py`)
    """

    __slots__ = ("_known", "is_lazy", "page_end", "parameters", "position", "work_tables")

    def __init__(self, parameters: list[Any], position: tuple[Any, ...] | None = None, is_lazy: bool = False) -> None:
        self.parameters = parameters
        self.position = position
        self.is_lazy = is_lazy
        self.page_end: tuple[Any, ...] | None = None
        self.work_tables: dict[tuple[int, ...], list[Row]] = {}
        self._known: dict[object, dict[Any, list[Row]]] = {}

    def known(self, operator: object) -> dict[Any, list[Row]]:
        """Return the answers that an operator has already had, by request; the operator adds to it.

        Only a lazy execution comes back to an operator with further rows; for the others it is always empty.
        """
        return self._known.setdefault(operator, {}) if self.is_lazy else {}

    def begin_again(self) -> None:
        """Forget what was read: a record moved meanwhile."""
        self.page_end = None
        self._known.clear()
