"""Constant folding: tests that have one answer whatever the data."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from piql.compiler.logical.expressions import (
    ColumnRef,
    Comparison,
    ComparisonOperator,
    Constant,
    Expression,
    IsNull,
    Not,
)
from piql.schema.catalog import Kind, SqlType

_BOOLEAN = SqlType(Kind.BOOLEAN)
_COMPARED: dict[ComparisonOperator, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def decide(test: Expression) -> Expression:
    """Return TRUE, FALSE or NULL for a test that has this answer whatever the data; any other test as it is.

    1 = 0 → FALSE      a < NULL → NULL      id IS NULL → FALSE, where id is NOT NULL      id = id → TRUE, too

    Where a column may be NULL, comparing it with itself asks whether it is: text = text → text IS NOT NULL keeps the
    same rows, with FALSE in the place of NULL.
    """
    match test:
        case Comparison(left=Constant(value=None)) | Comparison(right=Constant(value=None)):
            return Constant(value=None, type=_BOOLEAN, span=test.span)
        case Comparison(left=Constant(value=left), right=Constant(value=right)):
            return Constant(value=_COMPARED[test.operator](left, right), type=_BOOLEAN, span=test.span)
        case Comparison(left=ColumnRef() as column, right=ColumnRef() as same) if column == same:
            if test.operator in ("<>", "<", ">"):
                return Constant(value=False, type=_BOOLEAN, span=test.span)
            if not column.nullable:
                return Constant(value=True, type=_BOOLEAN, span=test.span)
            return Not(operand=IsNull(operand=column, span=test.span), span=test.span)
        case IsNull(operand=Constant(value=value)):
            return Constant(value=value is None, type=_BOOLEAN, span=test.span)
        case IsNull(operand=ColumnRef(nullable=False)):
            return Constant(value=False, type=_BOOLEAN, span=test.span)
        case _:
            return test


def is_never(predicate: Expression) -> bool:
    """Whether a simplified predicate keeps no row."""
    return isinstance(predicate, Constant) and predicate.value is not True
