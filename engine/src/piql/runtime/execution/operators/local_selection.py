"""Keeps the rows for which a predicate is TRUE."""

from __future__ import annotations

from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution
from piql.runtime.execution.operators.base import Operator, StreamingLocal
from piql.runtime.execution.preparation import Preparation
from piql.store.base import Row


class LocalSelection(StreamingLocal):
    def __init__(self, node: physical.LocalSelection, child: Operator, preparation: Preparation) -> None:
        self.child = child
        self.fields = child.fields
        compiler = preparation.over(child.fields)
        self._kept = compiler.function("rows, p", f"[r for r in rows if {compiler.is_true(node.predicate)}]")
        self._most = node.passing.rows if node.passing is not None else None

    def change(self, execution: Execution, rows: list[Row]) -> list[Row]:
        selected: list[Row] = self._kept(rows, execution.parameters)
        if self._most is not None and len(selected) > self._most:  # as rows that move while they are read may seem
            return selected[: self._most]
        return selected
