"""Whether a query gives one row at most, whatever the tables hold."""

from __future__ import annotations

from piql.compiler.logical.operators import Derived, Distinct, GroupBy, LogicalNode, Projection, Selection, Sort, Stop


def gives_one_row(query: LogicalNode) -> bool:
    """Return whether a query stops after one row, or is one group."""
    match query:
        case Stop(count=count, group_keys=()) if count.max <= 1:
            return True
        case GroupBy(keys=()):
            return True
        case Projection() | Selection() | Sort() | Distinct() | Stop() | Derived():
            return gives_one_row(query.input)
        case _:
            return False
