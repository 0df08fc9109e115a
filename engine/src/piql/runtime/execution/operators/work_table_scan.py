"""The rows of the level before, in the step of a recursive union, numbered where an operator above tells them apart."""

from __future__ import annotations

from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator
from piql.runtime.execution.preparation import Preparation


class WorkTableScan(Operator):
    """Makes no request: its union has put the rows into the execution."""

    def __init__(self, node: physical.WorkTableScan, preparation: Preparation) -> None:
        self.fields = node.fields
        self._union = preparation.work_tables[node.name]
        self._is_numbered = node.row in node.fields

    def run(self, execution: Execution) -> OperatorRun:
        yield from ()
        rows = execution.work_tables[self._union]
        return [(*row, number) for number, row in enumerate(rows)] if self._is_numbered else rows
