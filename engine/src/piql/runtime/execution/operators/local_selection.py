"""Keeps the rows for which a predicate is TRUE.

Where the plan has proven how many rows can pass, no more are let through. On a store without transactions a row that
moves while it is read may seem to be there twice, and the bound of the operators above relies on that number.
"""

from __future__ import annotations

from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution
from piql.runtime.execution.operators.base import Operator, StreamingLocal
from piql.runtime.execution.preparation import Preparation
from piql.store.rows import Row


class LocalSelection(StreamingLocal):
    """A filter, with the most rows that may pass."""

    def __init__(self, node: physical.LocalSelection, child: Operator, preparation: Preparation) -> None:
        self.child = child
        self.fields = child.fields
        compiler = preparation.over(child.fields)
        self._kept = compiler.function("rows, p", f"[r for r in rows if {compiler.is_true(node.predicate)}]")
        self._most = node.passing.rows if node.passing is not None else None

    def change(self, execution: Execution, rows: list[Row]) -> list[Row]:
        selected: list[Row] = self._kept(rows, execution.parameters)
        return selected if self._most is None else selected[: self._most]
