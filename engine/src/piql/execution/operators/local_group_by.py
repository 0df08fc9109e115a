"""Groups rows and computes aggregates; without keys there is exactly one group."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from piql.binding.types import type_of
from piql.catalog import Kind
from piql.execution.execution import Execution, Steps
from piql.execution.operators.base import Operator
from piql.execution.preparation import Preparation
from piql.logical.expressions import Aggregate
from piql.physical import operators as physical
from piql.store.base import Row

Summary = Callable[[list[Row], list[Any]], Any]


class LocalGroupBy(Operator):
    def __init__(self, node: physical.LocalGroupBy, child: Operator, preparation: Preparation) -> None:
        self._child = child
        self.fields = node.fields
        compiler = preparation.over(child.fields)
        self._has_keys = bool(node.keys)
        self._key_of = compiler.function("r, p", compiler.tuple_of([compiler.stored(each) for each in node.keys]))
        self._summaries = [_summary(each, child, preparation) for each in node.aggregates]

    def run(self, execution: Execution) -> Steps:
        rows = yield from self._child.run(execution)
        parameters, key_of = execution.parameters, self._key_of
        groups: dict[Row, list[Row]] = {} if self._has_keys else {(): []}
        for row in rows:
            groups.setdefault(key_of(row, parameters), []).append(row)
        return [
            (*key, *(summary(members, parameters) for summary in self._summaries)) for key, members in groups.items()
        ]


def _summary(aggregate: Aggregate, child: Operator, preparation: Preparation) -> Summary:
    """Give what computes an aggregate of a group as a stored value; NULLs do not take part."""
    if aggregate.operand is None:
        return lambda rows, parameters: len(rows)
    compiler = preparation.over(child.fields)
    needs_values = aggregate.function in ("SUM", "AVG")
    source = compiler.value(aggregate.operand) if needs_values else compiler.stored(aggregate.operand)
    listed = compiler.function("rows, p", f"[v for r in rows if (v := {source}) is not None]")
    compute = _COMPUTE[aggregate.function]
    codec = preparation.store.codec(aggregate.type)
    encode = codec.encode if codec and needs_values else None
    as_float = aggregate.type.kind is Kind.DOUBLE and type_of(aggregate.operand).kind is Kind.DECIMAL

    def summary(rows: list[Row], parameters: list[Any]) -> Any:
        values = listed(rows, parameters)
        if aggregate.distinct:
            values = list(dict.fromkeys(values))
        found = compute(values)
        if found is None:
            return None
        if as_float and aggregate.function in ("SUM", "AVG"):
            found = float(found)
        return encode(found) if encode else found

    return summary


def _average(values: list[Any]) -> Any:
    if not values:
        return None
    total = sum(values)
    return total / len(values) if isinstance(total, Decimal) else float(total) / len(values)


_COMPUTE: dict[str, Callable[[list[Any]], Any]] = {
    "COUNT": len,
    "SUM": lambda values: sum(values) if values else None,
    "AVG": _average,
    "MIN": lambda values: min(values, default=None),
    "MAX": lambda values: max(values, default=None),
}
