"""Lets the first rows through: a LIMIT, or one page of a PAGINATE query.

A page leaves out the rows up to the position where the page before ended. If it is full, it notes where it ends, and
a cursor is made of that. A lazy execution asks for rows only until there are enough.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator
from piql.runtime.execution.operators.first_rows import first_rows
from piql.runtime.execution.ordering import is_after, position_of
from piql.runtime.execution.preparation import Preparation
from piql.store.rows import Row


class LocalStop(Operator):
    """A LIMIT or a page; the plan's order is needed for pages only."""

    def __init__(self, node: physical.LocalStop, child: Operator, preparation: Preparation) -> None:
        self._child = child
        self.fields = child.fields
        self._count = preparation.count(node.count)
        self._position_of: Callable[[Row, list[Any]], Row] | None = None
        if node.is_page:
            self._position_of = position_of(node.order, child.fields, preparation)
            self._directions = tuple(key.ascending for key in node.order)

    def run(self, execution: Execution) -> OperatorRun:
        parameters = execution.parameters
        count = self._count(parameters)
        if count == 0:
            execution.page_end = execution.position
            return []
        if execution.is_lazy:
            rows = yield from first_rows(self._child, execution, count, self._after)
        else:
            rows = self._after(execution, (yield from self._child.run(execution)))
        if len(rows) < count:
            return rows
        rows = rows[:count]
        if self._position_of is not None:
            execution.page_end = self._position_of(rows[-1], parameters)
        return rows

    def _after(self, execution: Execution, rows: list[Row]) -> list[Row]:
        """Leave out the rows of the pages before."""
        position, position_of = execution.position, self._position_of
        if position is None or position_of is None:
            return rows
        parameters, directions = execution.parameters, self._directions
        return [row for row in rows if is_after(position_of(row, parameters), position, directions)]
