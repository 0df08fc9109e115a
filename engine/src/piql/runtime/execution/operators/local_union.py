"""The rows of all children, read at the same time; one after the other, or merged by an order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator, together
from piql.runtime.execution.ordering import sorter
from piql.runtime.execution.preparation import Preparation


class LocalUnion(Operator):
    """UNION ALL, or UNION, which keeps the first of equal rows; the children's requests share round trips."""

    def __init__(self, node: physical.LocalUnion, children: Sequence[Operator], preparation: Preparation) -> None:
        self._children = children
        self.fields = children[0].fields
        self._is_distinct = not node.all
        self._sort = sorter(node.order, self.fields, preparation) if node.order else None

    def run(self, execution: Execution) -> OperatorRun:
        lists = yield from together(execution, self._children)
        rows = list(chain.from_iterable(lists))
        if self._sort:
            rows = self._sort(rows, execution.parameters)
        return list(dict.fromkeys(rows)) if self._is_distinct else rows
