"""Combines several tests of one column into one that an index can serve."""

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


def combine_conjuncts(parts: Sequence[Expression], meaning: Meaning) -> tuple[Expression, ...]:
    """Combine the tests of an AND that compare one column with one value; leave out an OR that another test implies.

    a >= 1 AND a <= 1 → a = 1      a <= 1 AND a <> 1 → a < 1
    a IN (1, 2) AND a IN (2, 3) → a = 2      a = 1 AND (a = 1 OR b = 2) → a = 1

    `meaning` maps tests that are equal but for the order of their parts to one value. The result has the same truth
    value as the tests, NULLs included.
    """
    tests = _merge_pairs(parts, _merged_conjuncts)
    meanings = {meaning(expression) for expression in tests}
    return tuple(
        expression
        for expression in tests
        if not (
            isinstance(expression, Or)
            and any(_is_implied(operand, meanings, meaning) for operand in expression.operands)
        )
    )


def combine_alternatives(operands: Sequence[Expression]) -> tuple[Expression, ...]:
    """Combine the branches of an OR that are a range and its end: a = 1 OR a > 1 → a >= 1."""
    return _merge_pairs(operands, _merged_alternatives)


def _merge_pairs(
    parts: Sequence[Expression], make: Callable[[Expression, Expression], Expression | None]
) -> tuple[Expression, ...]:
    """Replace each two tests of one subject by the one that `make` returns for them, if it returns one."""
    tests: dict[int, Expression] = {}
    by_subject: dict[object, list[int]] = {}
    for number, part in enumerate(parts):
        test = part
        for at in by_subject.get(_subject(part), ()):
            merged = make(tests[at], test)
            if merged is not None:
                test = merged
                by_subject[_subject(tests.pop(at))].remove(at)
                break
        tests[number] = test
        subject = _subject(test)
        if subject is not None:
            by_subject.setdefault(subject, []).append(number)
    return tuple(tests.values())


def without_implied_branches(operands: Sequence[Expression], meaning: Meaning) -> tuple[Expression, ...]:
    """Return the branches of an OR without those that another branch includes: a = 1 OR (a = 1 AND b = 2) → a = 1."""
    branches = [frozenset(map(meaning, conjuncts(operand))) for operand in operands]
    times = Counter(chain.from_iterable(branches))
    by_rarest: dict[
        object, list[frozenset[object]]
    ] = {}  # a branch is compared only with those that hold its rarest test
    for branch in branches:
        by_rarest.setdefault(min(branch, key=times.__getitem__), []).append(branch)
    return tuple(
        operand
        for operand, branch in zip(operands, branches, strict=True)
        if not (isinstance(operand, And) and any(wide < branch for test in branch for wide in by_rarest.get(test, ())))
    )


def factor_out_shared(
    operands: Sequence[Expression], meaning: Meaning
) -> tuple[tuple[Expression, ...], tuple[Expression, ...]]:
    """Return the tests that all branches of an OR share, and the rest of each branch. No branch may imply another.

    a = 1 AND b = 2 OR a = 1 AND c = 3 → a = 1    and    b = 2, c = 3
    """
    if not all(isinstance(operand, And) for operand in operands):
        return (), tuple(operands)
    tests_by_meaning = [{meaning(conjunct): conjunct for conjunct in conjuncts(operand)} for operand in operands]
    common = [mean for mean in tests_by_meaning[0] if all(mean in tests for tests in tests_by_meaning[1:])]
    if not common:
        return (), tuple(operands)
    rests = (tuple(test for mean, test in tests.items() if mean not in common) for tests in tests_by_meaning)
    return (
        tuple(tests_by_meaning[0][mean] for mean in common),
        tuple(tests[0] if len(tests) == 1 else And(operands=tests) for tests in rests),
    )


def _is_implied(operand: Expression, meanings: set[object], meaning: Meaning) -> bool:
    return all(meaning(conjunct) in meanings for conjunct in conjuncts(operand))


def _subject(test: Expression) -> object:
    """Return a value that is equal for two tests which may be merged: a column and a value, or the column of a list."""
    match test:
        case InList(operand=ColumnRef() as column):
            return column
        case Comparison():
            parts = _column_test(test)
            return None if parts is None else (parts[0], parts[2])
        case _:
            return None


def _merged_conjuncts(first: Expression, second: Expression) -> Expression | None:
    """Return the test equal to the AND of two; None where there is no single one."""
    match first, second:
        case InList(operand=ColumnRef() as column, items=items), InList(operand=same, items=second_items) if (
            column == same
        ):
            if not all(
                isinstance(expression, Constant) and expression.value is not None
                for expression in (*items, *second_items)
            ):
                return None
            second_set = set(second_items)
            shared = tuple(item for item in items if item in second_set)
            if len(shared) == 1:
                return Comparison(operator="=", left=column, right=shared[0], span=first.span)
            return InList(operand=column, items=shared, span=first.span) if shared else None
        case Comparison(), Comparison():
            first_parts, second_parts = _column_test(first), _column_test(second)
            if (
                first_parts is None
                or second_parts is None
                or first_parts[0] != second_parts[0]
                or first_parts[2] != second_parts[2]
            ):
                return None
            operator = _CLOSED.get((first_parts[1], second_parts[1]))
            if operator is None:
                return None
            return Comparison(operator=operator, left=first_parts[0], right=first_parts[2], span=first.span)
        case _:
            return None


def _merged_alternatives(first: Expression, second: Expression) -> Expression | None:
    """Return the test equal to the OR of two; None where there is no single one."""
    if not isinstance(first, Comparison) or not isinstance(second, Comparison):
        return None
    first_parts, second_parts = _column_test(first), _column_test(second)
    if (
        first_parts is None
        or second_parts is None
        or first_parts[0] != second_parts[0]
        or first_parts[2] != second_parts[2]
    ):
        return None
    operator = _OPEN.get((first_parts[1], second_parts[1])) or _OPEN.get((second_parts[1], first_parts[1]))
    if operator is None:
        return None
    return Comparison(operator=operator, left=first_parts[0], right=first_parts[2], span=first.span)


def _column_test(test: Comparison) -> tuple[ColumnRef, ComparisonOperator, Expression] | None:
    """Return the column, operator and value of a test of a column by a literal or parameter."""
    match test:
        case Comparison(left=ColumnRef() as column, right=Constant() | Parameter(max_items=None) as value):
            return column, test.operator, value
        case Comparison(left=Constant() | Parameter(max_items=None) as value, right=ColumnRef() as column):
            return column, MIRRORED[test.operator], value
        case _:
            return None
