"""Keeps the left rows that have a match on the right (EXISTS, IN), or have none (NOT EXISTS, NOT IN)."""

from __future__ import annotations

from piql.execution.execution import Execution, Steps
from piql.execution.operators.base import Operator, together
from piql.execution.operators.local_join import PairTest
from piql.execution.preparation import Preparation
from piql.physical import operators as physical


class LocalSemiJoin(Operator):
    def __init__(self, node: physical.LocalSemiJoin, left: Operator, right: Operator, preparation: Preparation) -> None:
        self._children = (left, right)
        self.fields = left.fields
        self._is_anti = node.is_anti
        self._is_null_aware = node.is_null_aware
        self._pairs = PairTest(node.condition, left.fields, right.fields, preparation)

    def run(self, execution: Execution) -> Steps:
        left, others = yield from together(execution, self._children)
        parameters = execution.parameters
        if self._is_anti and self._is_null_aware:  # NOT IN: unknown is not enough
            sure = self._pairs.is_surely_false
            return [row for row in left if all(sure(row, other, parameters) for other in others)]
        matches = self._pairs.candidates(others, parameters)
        return [row for row in left if bool(matches(row)) != self._is_anti]
