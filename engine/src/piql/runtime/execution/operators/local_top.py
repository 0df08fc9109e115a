"""Gives the first rows in an order, and sorts no more rows than can be among them.

LIMIT 2 by age    ages 30, 25, 41, 25, 38   →   the second smallest is 25: only the two rows of 25 are sorted
"""

from __future__ import annotations

from heapq import nlargest, nsmallest
from typing import Any

from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator
from piql.runtime.execution.ordering import sorter
from piql.runtime.execution.preparation import Preparation
from piql.store.rows import Row


class LocalTop(Operator):
    """ORDER BY with LIMIT where many more rows come than are kept; for fewer, sorting all of them is quicker."""

    def __init__(self, node: physical.LocalTop, child: Operator, preparation: Preparation) -> None:
        self._child = child
        self.fields = child.fields
        self._count = preparation.count(node.count)
        self._sort = sorter(node.keys, child.fields, preparation)
        first, compiler = node.keys[0], preparation.over(child.fields)
        self._is_ascending = first.ascending
        self._first_key = compiler.function("r, p", compiler.stored(first.expression))
        self._many_times = node.MANY_TIMES

    def run(self, execution: Execution) -> OperatorRun:
        parameters = execution.parameters
        count = self._count(parameters)
        if count == 0:
            return []
        rows = yield from self._child.run(execution)
        if len(rows) >= self._many_times * count:
            rows = self._candidates(rows, count, parameters)
        return self._sort(rows, parameters)[:count]

    def _candidates(self, rows: list[Row], count: int, parameters: list[Any]) -> list[Row]:
        """Return, in their order, the rows whose first key is one of the first `count`; NULL is the smallest."""
        first_key = self._first_key
        values = [first_key(row, parameters) for row in rows]
        known = [value for value in values if value is not None]
        missing = len(values) - len(known) if self._is_ascending else 0
        if missing >= count:
            return [row for row, value in zip(rows, values, strict=True) if value is None]
        if missing + len(known) < count:
            return rows
        if self._is_ascending:
            last = nsmallest(count - missing, known)[-1]
            return [row for row, value in zip(rows, values, strict=True) if value is None or value <= last]
        last = nlargest(count, known)[-1]
        return [row for row, value in zip(rows, values, strict=True) if value is not None and value >= last]
