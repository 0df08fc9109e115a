"""Runs the one plan that is for the parameters of an execution: the first whose test is true."""

from __future__ import annotations

from collections.abc import Sequence

from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator
from piql.runtime.execution.preparation import Preparation


class LocalCases(Operator):
    """A plan for each case of the parameters; only one of them makes requests."""

    def __init__(self, node: physical.LocalCases, children: Sequence[Operator], preparation: Preparation) -> None:
        compiler = preparation.over(())
        tests = ", ".join(compiler.is_true(test) for test in node.tests)
        self._answers = compiler.function("p", f"({tests},)")
        self._children = children
        self.fields = children[0].fields

    def run(self, execution: Execution) -> OperatorRun:
        answers = self._answers(execution.parameters)
        case: Operator = self._children[answers.index(True)]
        return (yield from case.run(execution))
