"""Reads the anchor, then the step over the rows of each level, until a level is empty or the last one has been read.

anchor    [1]                         level 0
step      [2, 3]                      level 1: the children of 1, all in one round trip
step      [4, 5, 6]                   level 2: those of 2 and 3
"""

from __future__ import annotations

from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator
from piql.store.rows import Row


class RecursiveUnion(Operator):
    """Runs its step once for each level; the execution holds the rows of the level before under the union's path."""

    def __init__(self, node: physical.RecursiveUnion, anchor: Operator, step: Operator) -> None:
        self._anchor = anchor
        self._step = step
        self._levels = node.levels
        self._is_distinct = not node.all
        self.fields = anchor.fields

    def run(self, execution: Execution) -> OperatorRun:
        level = yield from self._anchor.run(execution)
        seen: dict[Row, None] = {}
        if self._is_distinct:
            level = _new(level, seen)
        rows = list(level)
        for _ in range(self._levels):
            if not level:
                break
            execution.work_tables[self.path] = level
            level = yield from self._step.run(execution)
            if self._is_distinct:
                level = _new(level, seen)
            rows.extend(level)
        return rows


def _new(rows: list[Row], seen: dict[Row, None]) -> list[Row]:
    """Return the rows that have not been seen, each once, and note them as seen."""
    rows = [row for row in dict.fromkeys(rows) if row not in seen]
    seen.update(dict.fromkeys(rows))
    return rows
