"""Sorts all rows; equal rows keep their order."""

from __future__ import annotations

from piql.execution.execution import Execution, Steps
from piql.execution.operators.base import Operator
from piql.execution.ordering import sorter
from piql.execution.preparation import Preparation
from piql.physical import operators as physical


class LocalSort(Operator):
    def __init__(self, node: physical.LocalSort, child: Operator, preparation: Preparation) -> None:
        self._child = child
        self.fields = child.fields
        self._sort = sorter(node.keys, child.fields, preparation)

    def run(self, execution: Execution) -> Steps:
        rows = yield from self._child.run(execution)
        return self._sort(rows, execution.parameters)
