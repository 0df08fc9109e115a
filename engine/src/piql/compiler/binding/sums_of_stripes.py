"""Whether a SUM over the rows of a view with stripes is what it would be over the groups.

    SUM(n)   SUM(n * price)   SUM(CASE WHEN post = 1 THEN n END)    the stripes add up to what the group gives
    SUM(n + 1)   SUM(n * n)   SUM(CASE WHEN n > 2 THEN n END)       it does not

A value of 0 or NULL changes no sum, however often it comes.
"""

from __future__ import annotations

from collections.abc import Callable

from piql.compiler.binding.types import type_of
from piql.compiler.logical import expressions as bound
from piql.schema.catalog import Kind
from piql.schema.types import WHOLE
from piql.trees.node import Node

IsSum = Callable[[bound.ColumnRef], bool]
"""Whether a column has another value in each stripe of a group."""


def adds_up(operand: bound.Expression, is_sum: IsSum, may_be_null: IsSum) -> bool:
    """Return whether the values of an operand in all stripes of a group add up to its value in the group.

    `may_be_null` tells of a sum whether it may be NULL in some stripes of a group, and not in others.
    """

    def does(part: bound.Expression) -> bool:
        return adds_up(part, is_sum, may_be_null)

    match operand:
        case bound.ColumnRef():
            return is_sum(operand)
        case bound.Constant():
            return _is_nothing(operand)
        case bound.Arithmetic(operator="+" | "-", left=left, right=right):
            return does(left) and does(right) and not _lacks_some(operand, is_sum, may_be_null)
        case bound.Arithmetic(operator="*", left=left, right=right):
            return (does(left) and not _reads(right, is_sum)) or (does(right) and not _reads(left, is_sum))
        case bound.Arithmetic(operator="/", left=left, right=right):
            return does(left) and not _reads(right, is_sum)
        case bound.Case(tests=tests, values=values, otherwise=otherwise):
            return all(map(does, (*values, otherwise))) and not any(_reads(test, is_sum) for test in tests)
        case bound.FunctionCall(name="NEGATE", arguments=(value,)):
            return does(value)
        case bound.FunctionCall(name="COALESCE", arguments=(value, *others)):
            return does(value) and all(map(_is_nothing, others))
        case bound.FunctionCall(name="CAST", arguments=(value,)):
            return does(value) and (operand.type.kind is Kind.DOUBLE or type_of(value).kind in WHOLE)
        case _:
            return False


def _is_nothing(expression: bound.Expression) -> bool:
    """Return whether an expression is NULL or 0, which change no sum."""
    return isinstance(expression, bound.Constant) and expression.value in (None, 0)


def _reads(expression: Node, is_sum: IsSum) -> bool:
    return any(is_sum(column) for column in bound.columns_in(expression))


def _lacks_some(expression: Node, is_sum: IsSum, may_be_null: IsSum) -> bool:
    """Return whether an expression may be NULL in some stripes of a group, and not in others."""
    match expression:
        case bound.ColumnRef():
            return is_sum(expression) and may_be_null(expression)
        case bound.FunctionCall(name="COALESCE", arguments=(_, *others)) if any(
            isinstance(value, bound.Constant) and value.value is not None for value in others
        ):
            return False
        case _:
            return any(_lacks_some(child, is_sum, may_be_null) for child in expression.children())
