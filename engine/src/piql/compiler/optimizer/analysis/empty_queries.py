"""Subqueries that give no row whatever the data, because a test in them is never true."""

from __future__ import annotations

from typing import assert_never

from piql.compiler.logical.operators import (
    Cases,
    DataStop,
    Derived,
    Distinct,
    GroupBy,
    Join,
    LogicalNode,
    Projection,
    RecursiveUnion,
    Relation,
    Selection,
    SemiJoin,
    Sort,
    Stop,
    Union,
    WorkTable,
)
from piql.compiler.optimizer.analysis.decided_tests import is_never


def is_empty(query: LogicalNode) -> bool:
    """Whether a query whose tests are simplified gives no row; an aggregate without groups always gives one."""
    match query:
        case Selection(predicate=predicate, input=below):
            return is_never(predicate) or is_empty(below)
        case Projection(input=below) | Distinct(input=below) | Derived(input=below):
            return is_empty(below)
        case Sort(input=below) | Stop(input=below):
            return is_empty(below)
        case GroupBy(keys=keys, input=below):
            return bool(keys) and is_empty(below)
        case Join(kind="left", left=left):
            return is_empty(left)
        case Join(left=left, right=right, condition=condition):
            return is_empty(left) or is_empty(right) or (condition is not None and is_never(condition))
        case Union(inputs=inputs) | Cases(inputs=inputs):
            return all(map(is_empty, inputs))
        case RecursiveUnion(anchor=anchor):
            return is_empty(anchor)
        case Relation() | WorkTable() | DataStop() | SemiJoin():
            return False
        case _:
            assert_never(query)
