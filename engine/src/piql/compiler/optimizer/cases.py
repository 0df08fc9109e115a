"""Queries with tests of parameters: a query is planned for each case of them, and one of these plans is run.

SELECT … WHERE a = :a AND (:b IS NULL OR b = :b)

    :b IS NULL       SELECT … WHERE a = :a
    otherwise        SELECT … WHERE a = :a AND b = :b

No single index serves both. Enters: a bound query. Leaves: its `Cases`, or None where it has no such test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import cast

from piql.compiler.logical.expressions import (
    And,
    ColumnRef,
    Comparison,
    Constant,
    Expression,
    FunctionCall,
    IsNull,
    Not,
    Or,
    Parameter,
)
from piql.compiler.logical.operators import Cases, Join, LogicalNode, Selection
from piql.compiler.optimizer.analysis.decided_tests import is_never
from piql.compiler.optimizer.analysis.predicates import MIRRORED, conjunction, has_subquery
from piql.compiler.optimizer.rules.simplify_predicates import simplified
from piql.schema.catalog import Kind, SqlType
from piql.trees.node import Node, kinds_of

_MOST_TESTS = 4  # so 16 cases: each is planned by itself
_BOOLEAN = SqlType(Kind.BOOLEAN)
_ALTERNATIVES = (Or, Not, FunctionCall)  # a test of a parameter decides an OR: as written, of a NOT, or of a COALESCE


def cases_of(plan: LogicalNode) -> Cases | None:
    """Return the query for each combination of the answers of its tests of parameters; None where it has none.

    A test that is not true is false or unknown; in a WHERE both drop the row, so FALSE takes the place of both.
    """
    kinds = kinds_of(plan)
    if Parameter not in kinds or kinds.isdisjoint(_ALTERNATIVES):
        return None
    plan = cast("LogicalNode", plan.transform_up(_with_test_of_parameter))
    tests = tuple(dict.fromkeys(_tests_of_parameters(plan)))[:_MOST_TESTS]
    if not tests:
        return None
    answers: list[Expression] = []
    inputs: list[LogicalNode] = []
    for size in range(len(tests), -1, -1):  # the first case whose tests are all true is taken: more tests come first
        for true in combinations(tests, size):
            answer = conjunction(true) or _constant(True)
            simple = simplified(answer)
            if simple is not None and is_never(simple):
                continue
            answers.append(answer)
            inputs.append(_answered(plan, {test: test in true for test in tests}))
    return Cases(tests=tuple(answers), inputs=tuple(inputs), span=plan.span)


def _constant(value: bool) -> Constant:
    return Constant(value=value, type=_BOOLEAN)


def _with_test_of_parameter(node: Node) -> Node:
    """Write `c = COALESCE([p], c)` as `[p] IS NULL AND c IS NOT NULL OR c = [p]`, also of >= and <=, in conditions.

    Either may be the left side, and a NOT may stand before the opposite test.
    """
    if isinstance(node, Selection):
        return replace(node, predicate=_written_out(node.predicate))
    if isinstance(node, Join) and node.condition is not None:
        return replace(node, condition=_written_out(node.condition))
    return node


def _written_out(test: Expression) -> Expression:
    match test:
        case And() | Or():
            return replace(test, operands=tuple(map(_written_out, test.operands)))
        case Not():
            positive = simplified(test)
            return test if positive is None or isinstance(positive, Not | Constant) else _written_out(positive)
        case Comparison(operator="=" | ">=" | "<=", left=FunctionCall(name="COALESCE"), right=ColumnRef()):
            mirrored = replace(test, operator=MIRRORED[test.operator], left=test.right, right=test.left)
            written_out = _written_out(mirrored)
            return test if written_out is mirrored else written_out
        case Comparison(
            operator="=" | ">=" | "<=",
            left=ColumnRef() as column,
            right=FunctionCall(name="COALESCE", arguments=(Parameter() as parameter, ColumnRef() as same)),
        ) if column == same:
            any_value: Expression = IsNull(operand=parameter, span=test.span)
            if column.nullable:
                any_value = And(operands=(any_value, Not(operand=IsNull(operand=column))), span=test.span)
            return Or(operands=(any_value, replace(test, right=parameter)), span=test.span)
        case _:
            return test


def _tests_of_parameters(plan: LogicalNode) -> Iterator[Expression]:
    """Yield the tests that read parameters and no columns, where they decide an OR of a condition."""
    for node in plan.walk():
        if isinstance(node, Selection):
            yield from _in_alternatives(node.predicate, is_alternative=False)
        elif isinstance(node, Join) and node.condition is not None:
            yield from _in_alternatives(node.condition, is_alternative=False)


def _in_alternatives(test: Expression, *, is_alternative: bool) -> Iterator[Expression]:
    match test:
        case And() | Or():
            for operand in test.operands:
                yield from _in_alternatives(operand, is_alternative=is_alternative or isinstance(test, Or))
        case _:
            if is_alternative and _reads_only_parameters(test):
                yield test


def _reads_only_parameters(test: Expression) -> bool:
    kinds = kinds_of(test)
    return Parameter in kinds and ColumnRef not in kinds and not has_subquery(test)


def _answered(plan: LogicalNode, answers: dict[Expression, bool]) -> LogicalNode:
    """Return the plan with the answers in the places of the tests."""

    def change(node: Node) -> Node:
        if isinstance(node, Selection):
            return replace(node, predicate=_with_answers(node.predicate, answers))
        if isinstance(node, Join) and node.condition is not None:
            return replace(node, condition=_with_answers(node.condition, answers))
        return node

    return cast("LogicalNode", plan.transform_up(change))


def _with_answers(test: Expression, answers: dict[Expression, bool]) -> Expression:
    if test in answers:
        return replace(_constant(answers[test]), span=test.span)
    if isinstance(test, And | Or):
        return replace(test, operands=tuple(_with_answers(operand, answers) for operand in test.operands))
    return test
