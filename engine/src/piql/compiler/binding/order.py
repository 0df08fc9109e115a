"""A key of ORDER BY as sort keys: NULL is the smallest value, unless NULLS FIRST or NULLS LAST says otherwise.

ORDER BY n              →   n
ORDER BY n NULLS LAST   →   n IS NULL, n        and n alone where it is never NULL
"""

from __future__ import annotations

from piql.compiler.logical.expressions import ColumnRef, Expression, IsNull
from piql.compiler.logical.operators import SortKey
from piql.compiler.syntax import ast


def sort_keys(item: ast.OrderItem, expression: Expression) -> list[SortKey]:
    """Return the keys that a term of ORDER BY, bound as `expression`, sorts by."""
    key = SortKey(expression=expression, ascending=item.is_ascending)
    is_usual = item.nulls in (None, "FIRST" if item.is_ascending else "LAST")
    if is_usual or (isinstance(expression, ColumnRef) and not expression.nullable):
        return [key]
    is_null = IsNull(operand=expression, span=item.expression.span)
    return [SortKey(expression=is_null, ascending=item.nulls == "LAST"), key]


def is_of_outputs(key: SortKey, outputs: list[Expression]) -> bool:
    """Return whether the columns of a result determine a sort key: it is one of them, or tests whether one is NULL."""
    expression = key.expression
    return expression in outputs or (isinstance(expression, IsNull) and expression.operand in outputs)
