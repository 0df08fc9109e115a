"""Sorts all rows; equal rows keep their order."""

from __future__ import annotations

from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator
from piql.runtime.execution.ordering import sorter
from piql.runtime.execution.preparation import Preparation


class LocalSort(Operator):
    """A stable sort of all rows of the child."""

    def __init__(self, node: physical.LocalSort, child: Operator, preparation: Preparation) -> None:
        self._child = child
        self.fields = child.fields
        self._sort = sorter(node.keys, child.fields, preparation)

    def run(self, execution: Execution) -> OperatorRun:
        rows = yield from self._child.run(execution)
        return self._sort(rows, execution.parameters)
