"""Keeps the left rows that have a match on the right (EXISTS, IN), or have none; or marks each with whether it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from piql.compiler.logical.expressions import conjuncts
from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator, together
from piql.runtime.execution.operators.local_join import PairTest
from piql.runtime.execution.preparation import Preparation
from piql.store.base import Row


class LocalSemiJoin(Operator):
    def __init__(self, node: physical.LocalSemiJoin, left: Operator, right: Operator, preparation: Preparation) -> None:
        self._children = (left, right)
        self.fields = node.fields
        self._is_mark = node.mark is not None
        self._is_anti = node.is_anti
        self._is_unlike = _unlike(node, left, right, preparation) if node.compared is not None else None
        self._pairs = PairTest(node.condition, left.fields, right.fields, preparation)

    def run(self, execution: Execution) -> OperatorRun:
        left, right = yield from together(execution, self._children)
        parameters = execution.parameters
        if self._is_mark:
            matches = self._pairs.candidates(right, parameters)
            return [(*row, True if matches(row) else self._unless_unknown(row, right, parameters)) for row in left]
        if self._is_anti and self._is_unlike is not None:  # NOT IN: unknown is not enough
            is_unlike = self._is_unlike
            return [row for row in left if all(is_unlike(row, right_row, parameters) for right_row in right)]
        matches = self._pairs.candidates(right, parameters)
        return [row for row in left if bool(matches(row)) != self._is_anti]

    def _unless_unknown(self, row: Row, right: list[Row], parameters: list[Any]) -> bool | None:
        """Say what a row without a match is marked with: IN is unknown where some comparison is."""
        is_unlike = self._is_unlike
        return False if is_unlike is None or all(is_unlike(row, right_row, parameters) for right_row in right) else None


def _unlike(
    node: physical.LocalSemiJoin, left: Operator, right: Operator, preparation: Preparation
) -> Callable[[Row, Row, list[Any]], bool]:
    """Return what says whether a right row is none that a left row may equal: not one of those that IN looks among, or
    surely another."""
    assert node.compared is not None
    conditions = list(conjuncts(node.condition)) if node.condition is not None else []
    for conjunct in conjuncts(node.compared):
        conditions.remove(conjunct)
    compiler = preparation.over_pair(left.fields, right.fields)
    tests = [f"not ({compiler.is_true(expression)})" for expression in conditions]
    tests.append(f"({compiler.is_false(node.compared)})")
    return compiler.function("l, r, p", " or ".join(tests))
