"""Keeps the first of the rows that are equal in every key; NULLs are equal here.

With a tested column, each row that is kept gets a mark: TRUE if that column is set in one of the rows equal to it.
"""

from __future__ import annotations

from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator
from piql.runtime.execution.preparation import Preparation
from piql.store.rows import Row


class LocalDistinct(Operator):
    """Removes duplicates, in the order in which they first appear."""

    def __init__(self, node: physical.LocalDistinct, child: Operator, preparation: Preparation) -> None:
        self._child = child
        self.fields = node.fields
        compiler = preparation.over(child.fields)
        self._tested = child.fields.index(node.tested) if node.tested is not None else None
        self._key_of = compiler.function("r, p", compiler.tuple_of([compiler.stored(key) for key in node.keys]))

    def run(self, execution: Execution) -> OperatorRun:
        rows = yield from self._child.run(execution)
        if self._tested is not None:
            return self._marked(rows, self._tested, execution)
        first_rows: dict[object, Row] = {}
        for row in rows:
            first_rows.setdefault(self._key_of(row, execution.parameters), row)
        return list(first_rows.values())

    def _marked(self, rows: list[Row], tested: int, execution: Execution) -> list[Row]:
        """Return the rows that are kept, each with its mark; `tested` is the position of the tested column."""
        first: dict[object, Row] = {}
        marks: dict[object, bool] = {}
        for row in rows:
            key = self._key_of(row, execution.parameters)
            first.setdefault(key, row)
            marks[key] = marks.get(key, False) or row[tested] is not None
        return [(*row, marks[key]) for key, row in first.items()]
