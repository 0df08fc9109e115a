"""Lets the first rows through; as the page of a query, those after the place where the last page ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator
from piql.runtime.execution.operators.lazily import first_rows
from piql.runtime.execution.ordering import is_after, place_of
from piql.runtime.execution.preparation import Preparation
from piql.store.base import Row


class LocalStop(Operator):
    def __init__(self, node: physical.LocalStop, child: Operator, preparation: Preparation) -> None:
        self._child = child
        self.fields = child.fields
        self._count = preparation.count(node.count)
        self._place_of: Callable[[Row, list[Any]], Row] | None = None
        if node.is_page:
            self._place_of = place_of(node.order, child.fields, preparation)
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
        if self._place_of is not None:
            execution.page_end = self._place_of(rows[-1], parameters)
        return rows

    def _after(self, execution: Execution, rows: list[Row]) -> list[Row]:
        """Leave out the rows of the pages before."""
        position, place_of = execution.position, self._place_of
        if position is None or place_of is None:
            return rows
        parameters, directions = execution.parameters, self._directions
        return [row for row in rows if is_after(place_of(row, parameters), position, directions)]
