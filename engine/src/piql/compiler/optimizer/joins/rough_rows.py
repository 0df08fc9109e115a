"""How many rows a derived table has, roughly: only orders of joins are compared by it, and no bound holds it."""

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


def rough_rows(node: LogicalNode) -> int:
    """A rough upper count of a derived table's rows, only to compare join orders by."""
    match node:
        case Stop():
            return node.count.max
        case GroupBy(keys=()):
            return 1
        case Union() | Cases():
            return sum(rough_rows(source) for source in node.inputs)
        case Derived() | Distinct() | Projection() | Sort() | GroupBy():
            return rough_rows(node.input)
        case Selection() | DataStop() | Join() | SemiJoin() | Relation() | RecursiveUnion() | WorkTable():
            return 100  # the planner will bound it, or say why not
        case _:
            assert_never(node)
