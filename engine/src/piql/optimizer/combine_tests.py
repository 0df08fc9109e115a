"""Makes one test of several on one column: what an index serves once is not lost among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from piql.logical.expressions import (
    And,
    ColumnRef,
    Comparison,
    ComparisonOperator,
    Constant,
    Expression,
    InList,
    Or,
    Parameter,
    conjuncts,
)
from piql.optimizer.predicates import MIRRORED

Meaning = Callable[[Expression], object]
_CLOSED: dict[tuple[ComparisonOperator, ComparisonOperator], ComparisonOperator] = {
    (">=", "<="): "=",
    ("<=", ">="): "=",
    ("<=", "<>"): "<",
    ("<>", "<="): "<",
    (">=", "<>"): ">",
    ("<>", ">="): ">",
}


def combined(parts: Sequence[Expression], meaning: Meaning) -> tuple[Expression, ...]:
    """Give tests that must all hold with those of one column and value made one, and those another implies left out.

    a >= 1 AND a <= 1 → a = 1      a <= 1 AND a <> 1 → a < 1
    a IN (1, 2) AND a IN (2, 3) → a = 2      a = 1 AND (a = 1 OR b = 2) → a = 1

    Each has the same truth value as what it is made of, NULLs included.
    """
    found: list[Expression] = []
    for part in parts:
        together = part
        for at, each in enumerate(found):
            one = _both(each, together)
            if one is not None:
                together = one
                del found[at]
                break
        found.append(together)
    said = {meaning(each) for each in found}
    return tuple(
        each
        for each in found
        if not (isinstance(each, Or) and any(_says(operand, said, meaning) for operand in each.operands))
    )


def without_implied(operands: Sequence[Expression], meaning: Meaning) -> tuple[Expression, ...]:
    """Give the branches of an OR without those that another branch includes: a = 1 OR (a = 1 AND b = 2) → a = 1."""
    return tuple(
        each
        for each in operands
        if not (isinstance(each, And) and any(_includes(each, other, meaning) for other in operands if other != each))
    )


def _says(operand: Expression, said: set[object], meaning: Meaning) -> bool:
    return all(meaning(each) in said for each in conjuncts(operand))


def _includes(narrow: And, wide: Expression, meaning: Meaning) -> bool:
    return {meaning(each) for each in conjuncts(wide)} < {meaning(each) for each in conjuncts(narrow)}


def _both(one: Expression, other: Expression) -> Expression | None:
    """Give the one test that two make together."""
    match one, other:
        case InList(operand=ColumnRef() as column, items=items), InList(operand=same, items=others) if column == same:
            if not all(isinstance(each, Constant) and each.value is not None for each in (*items, *others)):
                return None
            shared = tuple(each for each in items if each in others)
            if len(shared) == 1:
                return Comparison(operator="=", left=column, right=shared[0], span=one.span)
            return InList(operand=column, items=shared, span=one.span) if shared else None
        case Comparison(), Comparison():
            first, second = _of_column(one), _of_column(other)
            if first is None or second is None or first[0] != second[0] or first[2] != second[2]:
                return None
            operator = _CLOSED.get((first[1], second[1]))
            if operator is None:
                return None
            return Comparison(operator=operator, left=first[0], right=first[2], span=one.span)
        case _:
            return None


def _of_column(test: Comparison) -> tuple[ColumnRef, ComparisonOperator, Expression] | None:
    """Give the column, operator and value of a test of a column by a literal or parameter."""
    match test:
        case Comparison(left=ColumnRef() as column, right=Constant() | Parameter(max_items=None) as value):
            return column, test.operator, value
        case Comparison(left=Constant() | Parameter(max_items=None) as value, right=ColumnRef() as column):
            return column, MIRRORED[test.operator], value
        case _:
            return None
