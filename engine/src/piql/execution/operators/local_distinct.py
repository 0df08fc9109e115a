"""Keeps the first of rows that are equal in every key; NULLs are equal here."""

from __future__ import annotations

from piql.execution.execution import Execution, Steps
from piql.execution.operators.base import Operator
from piql.execution.preparation import Preparation
from piql.physical import operators as physical


class LocalDistinct(Operator):
    def __init__(self, node: physical.LocalDistinct, child: Operator, preparation: Preparation) -> None:
        self._child = child
        self.fields = child.fields
        compiler = preparation.over(child.fields)
        self._key_of = compiler.function("r, p", compiler.tuple_of([compiler.stored(each) for each in node.keys]))

    def run(self, execution: Execution) -> Steps:
        rows = yield from self._child.run(execution)
        seen: dict[object, tuple[object, ...]] = {}
        for row in rows:
            seen.setdefault(self._key_of(row, execution.parameters), row)
        return list(seen.values())
