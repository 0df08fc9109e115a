"""The columns that a predicate compares with values, and the same predicate of columns equal to them."""

from __future__ import annotations

from collections.abc import Sequence

from piql.compiler.logical.expressions import (
    ColumnRef,
    Comparison,
    Constant,
    Expression,
    InList,
    Or,
    Parameter,
    conjuncts,
)
from piql.compiler.optimizer.analysis.equalities import Equalities
from piql.compiler.optimizer.analysis.predicates import ColumnKey, are_given, is_given, key_of, replace_columns


def compared_column(predicate: Expression) -> ColumnRef | None:
    """Return the column of `column = value`, of a range on it, or of `column IN (values)`."""
    match predicate:
        case Comparison(operator="<>"):
            return None
        case Comparison(left=ColumnRef() as column, right=value) if is_given(value):
            return column
        case Comparison(left=value, right=ColumnRef() as column) if is_given(value):
            return column
        case InList(operand=ColumnRef() as column, items=items) if are_given(items):
            return column
        case _:
            return None


def fixes_one_value(predicate: Expression) -> bool:
    """Whether a test is `column = value`, or IN of a single value."""
    if compared_column(predicate) is None:
        return False
    match predicate:
        case Comparison(operator="="):
            return True
        case InList(items=(Constant() | Parameter(max_items=None),)):
            return True
        case _:
            return False


def compared_columns(predicate: Or) -> tuple[ColumnRef, ...]:
    """Return the columns that an OR compares with values; none where a branch tests anything else."""
    compared = [compared_column(test) for operand in predicate.operands for test in conjuncts(operand)]
    columns = tuple(column for column in compared if column is not None)
    return columns if len(columns) == len(compared) else ()


def moved_to_relation(
    predicate: Expression, columns: Sequence[ColumnRef], relation: str, classes: Equalities
) -> Expression | None:
    """Return a predicate with its `columns` replaced by equal ones of a relation; None where one has no equal there."""
    counterparts: dict[ColumnKey, Expression] = {}
    for column in columns:
        counterpart = next(
            (candidate for candidate in classes.equal_to(column) if candidate.relation == relation), None
        )
        if counterpart is None:
            return None
        counterparts[key_of(column)] = counterpart
    return replace_columns(predicate, counterparts)
