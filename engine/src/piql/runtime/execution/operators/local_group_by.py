"""Groups rows and computes aggregates; without keys there is exactly one group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from piql.compiler.binding.types import type_of
from piql.compiler.logical.expressions import Aggregate
from piql.compiler.logical.operators import SortKey
from piql.compiler.physical import operators as physical
from piql.runtime.execution import numbers
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.expressions import words_for
from piql.runtime.execution.listed_values import joined_texts, json_array_of
from piql.runtime.execution.operators.base import Operator
from piql.runtime.execution.ordering import Sorter, sorter
from piql.runtime.execution.preparation import Preparation
from piql.schema.catalog import Kind
from piql.store.rows import Row

Summary = Callable[[list[Row], list[Any]], Any]
"""From the rows of a group and the parameters to the stored value of one aggregate."""


class LocalGroupBy(Operator):
    """Returns one row a group: its keys, then its aggregates; groups come in the order of their first rows."""

    def __init__(self, node: physical.LocalGroupBy, child: Operator, preparation: Preparation) -> None:
        self._child = child
        self.fields = node.fields
        compiler = preparation.over(child.fields)
        self._has_keys = bool(node.keys)
        self._key_of = compiler.function("r, p", compiler.tuple_of([compiler.stored(key) for key in node.keys]))
        self._summaries = [_summary(aggregate, child, preparation) for aggregate in node.aggregates]

    def run(self, execution: Execution) -> OperatorRun:
        rows = yield from self._child.run(execution)
        parameters, key_of = execution.parameters, self._key_of
        groups: dict[Row, list[Row]] = {} if self._has_keys else {(): []}
        for row in rows:
            groups.setdefault(key_of(row, parameters), []).append(row)
        return [
            (*key, *(summary(members, parameters) for summary in self._summaries)) for key, members in groups.items()
        ]


def _summary(aggregate: Aggregate, child: Operator, preparation: Preparation) -> Summary:
    """Return the function of an aggregate; NULLs do not take part, and without any value it returns NULL (COUNT: 0)."""
    if aggregate.operand is None:
        return lambda rows, parameters: len(rows)
    compiler = preparation.over(child.fields)
    needs_values = aggregate.function in ("SUM", "AVG")
    source = compiler.value(aggregate.operand) if needs_values else compiler.stored(aggregate.operand)
    listed = compiler.function("rows, p", f"[v for r in rows if (v := {source}) is not None]")
    is_list = aggregate.function in ("ARRAY_AGG", "STRING_AGG")
    compute = _listing(aggregate, preparation) if is_list else _computing(aggregate)
    in_order = _in_order(aggregate, child, preparation) if is_list else None
    codec = preparation.store.codec(aggregate.type)
    encode = codec.encode if codec and needs_values else None

    def summary(rows: list[Row], parameters: list[Any]) -> Any:
        values = listed(in_order(rows, parameters) if in_order is not None else rows, parameters)
        if aggregate.distinct:
            values = list(dict.fromkeys(values))
        result = compute(values) if values or aggregate.function == "COUNT" else None
        return encode(result) if encode and result is not None else result

    return summary


def _in_order(aggregate: Aggregate, child: Operator, preparation: Preparation) -> Sorter:
    """Return the sort of a group's rows by the order of an aggregate, then by the values, whatever plan reads them."""
    assert aggregate.operand is not None
    keys = [
        SortKey(expression=expression, ascending=ascending)
        for expression, ascending in zip(aggregate.order, aggregate.ascending, strict=True)
    ]
    return sorter([*keys, SortKey(expression=aggregate.operand)], child.fields, preparation)


def _listing(aggregate: Aggregate, preparation: Preparation) -> Callable[[list[Any]], str]:
    """Return the function from a group's values, in their order, to the text that lists them."""
    assert aggregate.operand is not None
    operand_type = type_of(aggregate.operand)
    codec = preparation.store.codec(operand_type)
    if aggregate.function == "STRING_AGG":
        return joined_texts(aggregate.separator, codec)
    return json_array_of(operand_type, codec)


def _computing(aggregate: Aggregate) -> Callable[[list[Any]], Any]:
    """Return the function from a group's values to its aggregate. Only COUNT is called without any value."""
    assert aggregate.operand is not None
    kind = type_of(aggregate.operand).kind
    match aggregate.function:
        case "COUNT":
            return len
        case "MIN":
            return min
        case "MAX":
            return max
        case "AVG":
            return _AVERAGES.get(kind, numbers.average_of_whole)
    if kind is Kind.DOUBLE:
        return numbers.sum_of_doubles
    add = numbers.sum_of_decimals if kind is Kind.DECIMAL else numbers.sum_of_whole
    checked = numbers.checked_result(aggregate.type, words_for(aggregate))
    return lambda values: checked(add(values))


_AVERAGES: dict[Kind, Callable[[list[Any]], Any]] = {
    Kind.DOUBLE: numbers.average_of_doubles,
    Kind.DECIMAL: numbers.average_of_decimals,
}
