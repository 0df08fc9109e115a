"""Combines several tests of one column into one that an index can serve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

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
Operators = tuple[ComparisonOperator, ComparisonOperator]

# Two tests of one column by one value, and the operator of the test that stands for both. The order does not matter.
_AND_OF: dict[Operators, ComparisonOperator] = {
    (">=", "<="): "=",
    ("<=", "<>"): "<",
    (">=", "<>"): ">",
}
_OR_OF: dict[Operators, ComparisonOperator] = {
    ("=", "<"): "<=",
    ("=", "<="): "<=",
    ("<", "<="): "<=",
    ("=", ">"): ">=",
    ("=", ">="): ">=",
    (">", ">="): ">=",
}


class _ColumnTest(NamedTuple):
    """A test of a column by a literal or parameter, read with the column on the left: `1 < a` is a, >, 1."""

    column: ColumnRef
    operator: ComparisonOperator
    value: Expression


def combine_conjuncts(parts: Sequence[Expression], meaning: Meaning) -> tuple[Expression, ...]:
    """Combine the tests of an AND that compare one column with one value; leave out an OR that another test implies.

    a >= 1 AND a <= 1 → a = 1      a <= 1 AND a <> 1 → a < 1
    a IN (1, 2) AND a IN (2, 3) → a = 2      a = 1 AND (a = 1 OR b = 2) → a = 1

    `meaning` maps tests that are equal but for the order of their parts to one value. The result has the same truth
    value as the tests, NULLs included.
    """
    tests = _merge_pairs(parts, and_of)
    if not any(isinstance(expression, Or) for expression in tests):
        return tests
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
    return _merge_pairs(operands, _or_of)


def _merge_pairs(
    parts: Sequence[Expression], merge: Callable[[Expression, Expression], Expression | None]
) -> tuple[Expression, ...]:
    """Replace each two tests of one subject by the one test that `merge` returns for them, if it returns one."""
    tests: dict[int, Expression] = {}
    by_subject: dict[object, list[int]] = {}
    for number, part in enumerate(parts):
        test = part
        for at in by_subject.get(_subject(part), ()):
            merged = merge(tests[at], test)
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
    occurrences = Counter(chain.from_iterable(branches))
    # A wide branch is part of a narrow one only if the narrow one has the rarest test of the wide one.
    by_rarest: dict[object, list[frozenset[object]]] = {}
    for branch in branches:
        by_rarest.setdefault(min(branch, key=occurrences.__getitem__), []).append(branch)
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
    shared = [key for key in tests_by_meaning[0] if all(key in tests for tests in tests_by_meaning[1:])]
    if not shared:
        return (), tuple(operands)
    rests = (tuple(test for key, test in tests.items() if key not in shared) for tests in tests_by_meaning)
    return (
        tuple(tests_by_meaning[0][key] for key in shared),
        tuple(tests[0] if len(tests) == 1 else And(operands=tests) for tests in rests),
    )


def _is_implied(operand: Expression, meanings: set[object], meaning: Meaning) -> bool:
    """Whether all tests of a branch are among those with these meanings."""
    return all(meaning(conjunct) in meanings for conjunct in conjuncts(operand))


def _subject(test: Expression) -> object:
    """Return a value that is equal for two tests which may be merged; None for a test that is merged with no other.

    It is the column of an IN list, or the column and the value of a comparison.
    """
    if isinstance(test, InList) and isinstance(test.operand, ColumnRef):
        return test.operand
    column_test = _column_test(test)
    return None if column_test is None else (column_test.column, column_test.value)


def and_of(first: Expression, second: Expression) -> Expression | None:
    """Return one test equal to the AND of two tests of one subject; None where there is none."""
    if isinstance(first, InList) and isinstance(second, InList):
        return _items_in_both(first, second)
    return _one_comparison(first, second, _AND_OF)


def _or_of(first: Expression, second: Expression) -> Expression | None:
    """Return one test equal to the OR of two tests of one subject; None where there is none."""
    return _one_comparison(first, second, _OR_OF)


def _items_in_both(first: InList, second: InList) -> Expression | None:
    """Return a test for the literals that stand in both lists; None where an item is no literal, or none is in both."""
    if not all(isinstance(item, Constant) and item.value is not None for item in (*first.items, *second.items)):
        return None
    second_items = set(second.items)
    shared = tuple(item for item in first.items if item in second_items)
    if len(shared) == 1:
        return Comparison(operator="=", left=first.operand, right=shared[0], span=first.span)
    return InList(operand=first.operand, items=shared, span=first.span) if shared else None


def _one_comparison(
    first: Expression, second: Expression, merged_operators: Mapping[Operators, ComparisonOperator]
) -> Expression | None:
    """Return a comparison with the operator that stands for those of two comparisons of one subject."""
    test, second_test = _column_test(first), _column_test(second)
    if test is None or second_test is None:
        return None
    operators = (test.operator, second_test.operator)
    operator = merged_operators.get(operators) or merged_operators.get(operators[::-1])
    if operator is None:
        return None
    return Comparison(operator=operator, left=test.column, right=test.value, span=first.span)


def _column_test(test: Expression) -> _ColumnTest | None:
    """Return the parts of a test of a column by a literal or parameter; None for any other test."""
    match test:
        case Comparison(left=ColumnRef() as column, right=Constant() | Parameter(max_items=None) as value):
            return _ColumnTest(column, test.operator, value)
        case Comparison(left=Constant() | Parameter(max_items=None) as value, right=ColumnRef() as column):
            return _ColumnTest(column, MIRRORED[test.operator], value)
        case _:
            return None
