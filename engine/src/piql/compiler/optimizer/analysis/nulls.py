"""Which expressions are NULL where a left join found no match."""

from __future__ import annotations

from piql.compiler.binding.functions import takes_null
from piql.compiler.logical.expressions import Arithmetic, ColumnRef, Expression, FunctionCall


def is_null_with(expression: Expression, relations: frozenset[str]) -> bool:
    """Whether an expression is NULL when all columns of these relations are."""
    match expression:
        case ColumnRef(relation=relation):
            return relation in relations
        case Arithmetic(left=left, right=right):
            return is_null_with(left, relations) or is_null_with(right, relations)
        case FunctionCall(name=name, arguments=arguments) if not takes_null(name):
            return any(is_null_with(argument, relations) for argument in arguments)
        case _:
            return False
