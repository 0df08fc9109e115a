"""Makes one test of several on one column: what an index serves once is not lost among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain

from piql.compiler.logical.expressions import (
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
from piql.compiler.optimizer.analysis.predicates import MIRRORED

Meaning = Callable[[Expression], object]
_CLOSED: dict[tuple[ComparisonOperator, ComparisonOperator], ComparisonOperator] = {
    (">=", "<="): "=",
    ("<=", ">="): "=",
    ("<=", "<>"): "<",
    ("<>", "<="): "<",
    (">=", "<>"): ">",
    ("<>", ">="): ">",
}
_OPEN: dict[tuple[ComparisonOperator, ComparisonOperator], ComparisonOperator] = {
    ("=", "<"): "<=",
    ("=", "<="): "<=",
    ("<", "<="): "<=",
    ("=", ">"): ">=",
    ("=", ">="): ">=",
    (">", ">="): ">=",
}


def combined(parts: Sequence[Expression], meaning: Meaning) -> tuple[Expression, ...]:
    """Return tests that must all hold with those of one column and value made one, and those another implies left out.

    a >= 1 AND a <= 1 → a = 1      a <= 1 AND a <> 1 → a < 1
    a IN (1, 2) AND a IN (2, 3) → a = 2      a = 1 AND (a = 1 OR b = 2) → a = 1

    Each has the same truth value as what it is made of, NULLs included.
    """
    found = _made_one(parts, _both)
    said = {meaning(expression) for expression in found}
    return tuple(
        expression
        for expression in found
        if not (isinstance(expression, Or) and any(_says(operand, said, meaning) for operand in expression.operands))
    )


def either(operands: Sequence[Expression]) -> tuple[Expression, ...]:
    """Return the branches of an OR with a range and its end made one range: a = 1 OR a > 1 → a >= 1."""
    return _made_one(operands, _either)


def _made_one(
    parts: Sequence[Expression], make: Callable[[Expression, Expression], Expression | None]
) -> tuple[Expression, ...]:
    """Return tests with each two of one column of which `make` makes one replaced by that."""
    found: dict[int, Expression] = {}
    by_subject: dict[object, list[int]] = {}
    for number, part in enumerate(parts):
        together = part
        for at in by_subject.get(_subject(part), ()):
            one = make(found[at], together)
            if one is not None:
                together = one
                by_subject[_subject(found.pop(at))].remove(at)
                break
        found[number] = together
        subject = _subject(together)
        if subject is not None:
            by_subject.setdefault(subject, []).append(number)
    return tuple(found.values())


def without_implied(operands: Sequence[Expression], meaning: Meaning) -> tuple[Expression, ...]:
    """Return the branches of an OR without those that another branch includes: a = 1 OR (a = 1 AND b = 2) → a = 1."""
    said = [frozenset(map(meaning, conjuncts(operand))) for operand in operands]
    times = Counter(chain.from_iterable(said))
    by_rarest: dict[object, list[frozenset[object]]] = {}  # a branch is looked for only where its rarest test is said
    for tests in said:
        by_rarest.setdefault(min(tests, key=times.__getitem__), []).append(tests)
    return tuple(
        each
        for each, tests in zip(operands, said, strict=True)
        if not (isinstance(each, And) and any(wide < tests for one in tests for wide in by_rarest.get(one, ())))
    )


def apart(operands: Sequence[Expression], meaning: Meaning) -> tuple[tuple[Expression, ...], tuple[Expression, ...]]:
    """Return the tests that all branches of an OR share, and what is left of each; no branch may include another.

    a = 1 AND b = 2 OR a = 1 AND c = 3 → a = 1    and    b = 2, c = 3
    """
    if not all(isinstance(operand, And) for operand in operands):
        return (), tuple(operands)
    said = [{meaning(conjunct): conjunct for conjunct in conjuncts(operand)} for operand in operands]
    common = [each for each in said[0] if all(each in tests for tests in said[1:])]
    if not common:
        return (), tuple(operands)
    rests = (tuple(test for mean, test in tests.items() if mean not in common) for tests in said)
    return (
        tuple(said[0][each] for each in common),
        tuple(rest[0] if len(rest) == 1 else And(operands=rest) for rest in rests),
    )


def _says(operand: Expression, said: set[object], meaning: Meaning) -> bool:
    return all(meaning(conjunct) in said for conjunct in conjuncts(operand))


def _subject(test: Expression) -> object:
    """Return what two tests have in common that may become one: a column and a value, or the column of a list."""
    match test:
        case InList(operand=ColumnRef() as column):
            return column
        case Comparison():
            found = _of_column(test)
            return None if found is None else (found[0], found[2])
        case _:
            return None


def _both(one: Expression, other: Expression) -> Expression | None:
    """Return the one test that two make together."""
    match one, other:
        case InList(operand=ColumnRef() as column, items=items), InList(operand=same, items=others) if column == same:
            if not all(
                isinstance(expression, Constant) and expression.value is not None for expression in (*items, *others)
            ):
                return None
            there = set(others)
            shared = tuple(item for item in items if item in there)
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


def _either(one: Expression, other: Expression) -> Expression | None:
    """Return the one test that says that one of two holds."""
    if not isinstance(one, Comparison) or not isinstance(other, Comparison):
        return None
    first, second = _of_column(one), _of_column(other)
    if first is None or second is None or first[0] != second[0] or first[2] != second[2]:
        return None
    operator = _OPEN.get((first[1], second[1])) or _OPEN.get((second[1], first[1]))
    if operator is None:
        return None
    return Comparison(operator=operator, left=first[0], right=first[2], span=one.span)


def _of_column(test: Comparison) -> tuple[ColumnRef, ComparisonOperator, Expression] | None:
    """Return the column, operator and value of a test of a column by a literal or parameter."""
    match test:
        case Comparison(left=ColumnRef() as column, right=Constant() | Parameter(max_items=None) as value):
            return column, test.operator, value
        case Comparison(left=Constant() | Parameter(max_items=None) as value, right=ColumnRef() as column):
            return column, MIRRORED[test.operator], value
        case _:
            return None
