"""Keeps the rows for which a predicate is TRUE.

Where the plan has proven how many rows can pass, no more are let through. On a store without transactions a row that
moves while it is read may seem to be there twice, and the bound of the operators above relies on that number. Where
so many pass for each row of an operator below, the rows that it gave are counted: a plan does not know how many there
are, least of all in the step of a recursive union, which runs over one level after the other.
"""

from __future__ import annotations

from piql.compiler.bounds.rows import rows_passing
from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator, Streaming, StreamingLocal
from piql.runtime.execution.preparation import Preparation
from piql.store.rows import Row


class LocalSelection(StreamingLocal):
    """A filter, with the most rows that may pass: in all, or for each row of the operator `base` below it."""

    def __init__(self, node: physical.LocalSelection, child: Operator, preparation: Preparation) -> None:
        self.child = child
        self.fields = child.fields
        compiler = preparation.over(child.fields)
        self._kept = compiler.function("rows, p", f"[r for r in rows if {compiler.is_true(node.predicate)}]")
        self._most = rows_passing(node.passing).value if node.passing is not None else None
        depth = node.passing.depth if node.passing is not None else 0
        self._is_of_each = depth > 0
        self._base, self._stages = _below(child, depth)

    def run(self, execution: Execution) -> OperatorRun:
        rows = yield from self._base.run(execution)
        most = self._most
        if most is not None and self._is_of_each:
            most *= len(rows)
        for stage in self._stages:
            rows = yield from stage.expand(execution, rows)
        selected = self.change(execution, rows)
        return selected if most is None else selected[:most]

    def change(self, execution: Execution, rows: list[Row]) -> list[Row]:
        selected: list[Row] = self._kept(rows, execution.parameters)
        return selected


def _below(child: Operator, depth: int) -> tuple[Operator, tuple[Streaming, ...]]:
    """Return the operator so many levels below a selection on `child`, and those between the two, from below.

    With depth 0 it is the child, and there are none.
    """
    stages: list[Streaming] = []
    base = child
    for _ in range(depth - 1):
        if not isinstance(base, Streaming):
            raise TypeError(f"the rows of {type(base).__name__} cannot be counted by those of its child")
        stages.insert(0, base)
        base = base.child
    return base, tuple(stages)
