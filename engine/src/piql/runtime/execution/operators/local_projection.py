"""Computes the outputs of each row."""

from __future__ import annotations

from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution
from piql.runtime.execution.operators.base import Operator, StreamingLocal
from piql.runtime.execution.preparation import Preparation
from piql.store.rows import Row


class LocalProjection(StreamingLocal):
    """Turns each row into one of the plan's outputs, in their order."""

    def __init__(self, node: physical.LocalProjection, child: Operator, preparation: Preparation) -> None:
        self.child = child
        self.fields = node.fields
        compiler = preparation.over(child.fields)
        row_source = compiler.tuple_of([compiler.stored(output.expression) for output in node.outputs])
        self._projected = compiler.function("rows, p", f"[{row_source} for r in rows]")

    def change(self, execution: Execution, rows: list[Row]) -> list[Row]:
        projected: list[Row] = self._projected(rows, execution.parameters)
        return projected
