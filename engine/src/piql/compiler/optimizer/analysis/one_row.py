"""Whether a query gives one row at most, whatever the tables hold."""

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


def gives_one_row(query: LogicalNode) -> bool:
    """Whether a query stops after one row, or is a group without keys."""
    match query:
        case Stop(count=count, group_keys=()) if count.max <= 1:
            return True
        case GroupBy(keys=()):
            return True
        case Projection() | Selection() | Sort() | Distinct() | Stop() | Derived():
            return gives_one_row(query.input)
        case (
            Relation()
            | WorkTable()
            | DataStop()
            | Join()
            | SemiJoin()
            | Union()
            | Cases()
            | RecursiveUnion()
            | GroupBy()
        ):
            return False
        case _:
            assert_never(query)
