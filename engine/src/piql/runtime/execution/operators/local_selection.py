"""Keeps the rows for which a predicate is TRUE.

A plan may have proven that at most n rows pass. Then the operator returns no more than n, because the bounds of the
operators above rely on it: on a store without transactions, a row that changes while it is read can be read twice.

The proof may also say n rows for each row of an operator further down, the base. The number of its rows is not known
before the execution, so the selection runs the base itself and counts them. In the step of a recursive union it counts
them anew for each level.
"""

from __future__ import annotations

from piql.compiler.bounds.rows import rows_passing
from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator, Streaming, StreamingLocal
from piql.runtime.execution.preparation import Preparation
from piql.store.rows import Row


class LocalSelection(StreamingLocal):
    """A filter that returns at most a proven number of rows: in all, or for each row of its base."""

    def __init__(self, node: physical.LocalSelection, child: Operator, preparation: Preparation) -> None:
        self.child = child
        self.fields = child.fields
        compiler = preparation.over(child.fields)
        self._kept = compiler.function("rows, p", f"[r for r in rows if {compiler.is_true(node.predicate)}]")
        self._most = rows_passing(node.passing).value if node.passing is not None else None
        depth = node.passing.depth if node.passing is not None else 0
        self._is_per_base_row = depth > 0
        self._base, self._stages = _below(child, depth)

    def run(self, execution: Execution) -> OperatorRun:
        rows = yield from self._base.run(execution)
        most = self._most
        if most is not None and self._is_per_base_row:
            most *= len(rows)
        for stage in self._stages:
            rows = yield from stage.expand(execution, rows)
        selected = self.change(execution, rows)
        return selected if most is None else selected[:most]

    def change(self, execution: Execution, rows: list[Row]) -> list[Row]:
        selected: list[Row] = self._kept(rows, execution.parameters)
        return selected


def _below(child: Operator, depth: int) -> tuple[Operator, tuple[Streaming, ...]]:
    """Return the base, which is `depth` levels below the selection, and the operators between, the lowest first.

    With depth 0 or 1 the base is the child, and there are no operators between.
    """
    stages: list[Streaming] = []
    base = child
    for _ in range(depth - 1):
        if not isinstance(base, Streaming):
            raise TypeError(f"the rows of {type(base).__name__} cannot be counted by those of its child")
        stages.insert(0, base)
        base = base.child
    return base, tuple(stages)
