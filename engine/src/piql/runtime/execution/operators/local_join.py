"""Joins two bounded inputs in memory: a hash join on the equalities of its condition.

The result is in the order of the left rows, and for each of them in the order of the right rows. `PairTest` finds the
right rows of a left one; LocalSemiJoin uses it, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from piql.compiler.binding.types import type_of
from piql.compiler.logical.expressions import Comparison, Expression, conjuncts
from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator, together
from piql.runtime.execution.preparation import Fields, Preparation
from piql.schema.catalog import Kind
from piql.store.rows import Row


class LocalJoin(Operator):
    """An inner or left join; a left join fills the right columns with NULL where there is no match."""

    def __init__(self, node: physical.LocalJoin, left: Operator, right: Operator, preparation: Preparation) -> None:
        self._children = (left, right)
        self.fields = (*left.fields, *right.fields)
        self._padding = (None,) * len(right.fields)
        self._is_left = node.kind == "left"
        self._pairs = PairTest(node.condition, left.fields, right.fields, preparation)

    def run(self, execution: Execution) -> OperatorRun:
        left, right = yield from together(execution, self._children)
        candidates = self._pairs.candidates(right, execution.parameters)
        joined: list[Row] = []
        for row in left:
            matches = [row + candidate for candidate in candidates(row)]
            joined.extend(matches or ([row + self._padding] if self._is_left else []))
        return joined


def is_hashable_as_stored(a: Expression, b: Expression) -> bool:
    """Return whether equal values of two expressions have equal stored values: not for DECIMAL beside another type."""
    kinds = {type_of(a).kind, type_of(b).kind}
    return Kind.DECIMAL not in kinds or len(kinds) == 1


class PairTest:
    """Finds the right rows that satisfy a condition with a left row.

    Rows are hashed by the expressions that the condition sets equal; the whole condition is tested on those of a hash.
    """

    def __init__(self, condition: Expression | None, left: Fields, right: Fields, preparation: Preparation) -> None:
        of_left, of_right, of_pair = preparation.over(left), preparation.over(right), preparation.over_pair(left, right)
        left_keys: list[str] = []
        right_keys: list[str] = []
        for expression in conjuncts(condition) if condition is not None else ():
            if isinstance(expression, Comparison) and expression.operator == "=":
                for a, b in ((expression.left, expression.right), (expression.right, expression.left)):
                    if not is_hashable_as_stored(a, b):
                        continue
                    try:
                        sources = of_left.stored(a), of_right.stored(b)
                    except LookupError:
                        continue
                    left_keys.append(sources[0])
                    right_keys.append(sources[1])
                    break
        self._left_key = of_left.function("r, p", of_left.tuple_of(left_keys))
        self._right_key = of_right.function("r, p", of_right.tuple_of(right_keys))
        self._is_true = of_pair.function("l, r, p", of_pair.is_true(condition)) if condition is not None else None

    def candidates(self, rows: list[Row], parameters: list[Any]) -> Callable[[Row], list[Row]]:
        """Return a function from a left row to its matches among these right rows, in their order."""
        by_key: dict[Row, list[Row]] = {}
        for row in rows:
            by_key.setdefault(self._right_key(row, parameters), []).append(row)
        left_key, is_true = self._left_key, self._is_true

        def matches(left: Row) -> list[Row]:
            same_keys = by_key.get(left_key(left, parameters), [])
            return same_keys if is_true is None else [right for right in same_keys if is_true(left, right, parameters)]

        return matches
