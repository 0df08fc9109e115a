"""Keeps the left rows that have a match on the right, or those that have none, or marks each with whether it has one.

                         left rows kept, or their mark
EXISTS, IN               those with a match
NOT EXISTS               those without a match
NOT IN                   those for which the comparison is FALSE with every right row: a NULL on the right keeps none
IN as a value (mark)     all, marked TRUE with a match, FALSE as for NOT IN, NULL otherwise

The condition of an IN has two parts: `compared`, which IN compares, and the rest, which says among which right rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from piql.compiler.logical.expressions import conjuncts
from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator, together
from piql.runtime.execution.operators.local_join import PairTest
from piql.runtime.execution.preparation import Preparation
from piql.store.rows import Row


class LocalSemiJoin(Operator):
    """A semi join, an anti join, or a mark join, as the plan says."""

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
        if self._is_anti and self._is_unlike is not None:  # NOT IN: a row with an unknown comparison is not kept
            is_unlike = self._is_unlike
            return [row for row in left if all(is_unlike(row, right_row, parameters) for right_row in right)]
        matches = self._pairs.candidates(right, parameters)
        return [row for row in left if bool(matches(row)) != self._is_anti]

    def _unless_unknown(self, row: Row, right: list[Row], parameters: list[Any]) -> bool | None:
        """Return the mark of a row without a match: None, unknown, where IN has an unknown comparison."""
        is_unlike = self._is_unlike
        return False if is_unlike is None or all(is_unlike(row, right_row, parameters) for right_row in right) else None


def _unlike(
    node: physical.LocalSemiJoin, left: Operator, right: Operator, preparation: Preparation
) -> Callable[[Row, Row, list[Any]], bool]:
    """Return a test of a left and a right row: whether the right row surely is no match of the left one.

    It is none if the rest of the condition is not TRUE, so that IN does not look at it, or if `compared` is FALSE.
    """
    assert node.compared is not None
    conditions = list(conjuncts(node.condition)) if node.condition is not None else []
    for conjunct in conjuncts(node.compared):
        conditions.remove(conjunct)
    compiler = preparation.over_pair(left.fields, right.fields)
    tests = [f"not ({compiler.is_true(expression)})" for expression in conditions]
    tests.append(f"({compiler.is_false(node.compared)})")
    return compiler.function("l, r, p", " or ".join(tests))
