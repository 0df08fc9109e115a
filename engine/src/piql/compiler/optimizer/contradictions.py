"""Finds tests of a query that can never be true, alone or together with another test; the user is warned of them.

a BETWEEN 5 AND 3                no value passes this test
t.kind = 1 AND t.kind = 2        the first test excludes the second
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from piql.compiler.logical.expressions import (
    ColumnRef,
    Constant,
    Exists,
    Expression,
    InSubquery,
    IsNull,
    ScalarSubquery,
    columns_of,
)
from piql.compiler.logical.operators import LogicalNode, Relation, Selection, SemiJoin, operators
from piql.compiler.optimizer.analysis.decided_tests import is_never
from piql.compiler.optimizer.analysis.equalities import Equalities
from piql.compiler.optimizer.analysis.predicates import (
    conjunction,
    has_subquery,
    holds_subquery,
    key_of,
    replace_columns,
)
from piql.compiler.optimizer.analysis.region import map_regions, read_region
from piql.compiler.optimizer.rules.simplify_predicates import simplified
from piql.schema.catalog import Column, Table
from piql.text.source import Span
from piql.trees.node import kinds_of


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A test that no row passes; with `excluded_by`, no row passes both."""

    test: Span
    excluded_by: Span | None
    is_of_left_join: bool  # the rows of the left are kept then, without a match
    never_null: tuple[Table, Column] | None = None  # of `column IS NULL`, where the column is NOT NULL


def keeps_none(plan: LogicalNode) -> bool:
    """Whether a test somewhere in a plan after Phase I is known to keep no row."""
    if Constant not in kinds_of(plan):
        return False
    for node in plan.walk() if holds_subquery(plan) else operators(plan):
        test = node.predicate if isinstance(node, Selection) else node.condition if isinstance(node, SemiJoin) else None
        if test is not None and is_never(test):
            return True
    return False


def contradictions(plan: LogicalNode) -> tuple[Contradiction, ...]:
    """Return the contradictions of a bound query, at most one for each join part and each left join, in text order.

    Tests of literals alone, such as 1 = 0, are left out.
    """
    conflicts: list[Contradiction] = []

    def collect(node: LogicalNode) -> LogicalNode:
        region = read_region(node)
        inner = [test for leg in region.legs if leg.kind == "inner" for test in leg.filters]
        tests = (*inner, *region.conditions, *region.above)
        tables = {relation.alias: relation.table for leg in region.legs for relation in leg.input.find(Relation)}
        conflicts.extend(_among(tests, tables, is_of_left_join=False))
        for leg in region.legs:
            if leg.kind == "left":
                conflicts.extend(_among((*leg.filters, *leg.on), tables, is_of_left_join=True))
        return node

    map_regions(plan, collect)
    for node in plan.walk():
        if isinstance(node, Exists | InSubquery | ScalarSubquery):
            map_regions(node.query, collect)
    return tuple(sorted(dict.fromkeys(conflicts), key=lambda contradiction: contradiction.test.start))


def _among(
    tests: Sequence[Expression], tables: Mapping[str, Table], *, is_of_left_join: bool
) -> Iterator[Contradiction]:
    """Yield the first test that contradicts those before it, if there is one; `tables` by alias."""
    candidates = [
        expression
        for expression in tests
        if columns_of(expression) and not has_subquery(expression) and not _compares_with_null(expression)
    ]
    candidates.sort(key=lambda test: test.span.start if test.span is not None else -1)
    representatives = {
        key_of(column): replace(members[0], nullable=any(member.nullable for member in members))
        for members in Equalities(candidates).classes()
        for column in members
    }
    unified = [replace_columns(expression, representatives) for expression in candidates]
    for at, test in enumerate(unified):
        span = candidates[at].span
        if not _excludes(unified[: at + 1]):
            continue
        excluding = [candidates[position].span for position in range(at) if _excludes((unified[position], test))]
        is_alone = _excludes((test,)) or span in excluding  # BETWEEN 5 AND 3 is two tests
        if span is not None:
            never_null = _never_null(candidates[at], tables)
            yield Contradiction(span, None if is_alone or not excluding else excluding[0], is_of_left_join, never_null)
        return


def _never_null(test: Expression, tables: Mapping[str, Table]) -> tuple[Table, Column] | None:
    """Return the column of `column IS NULL` with its table, where it is NOT NULL; None for other tests."""
    if not isinstance(test, IsNull) or not isinstance(test.operand, ColumnRef):
        return None
    table = tables.get(test.operand.relation)
    column = table.column(test.operand.name) if table is not None else None
    return (table, column) if table is not None and column is not None and not column.nullable else None


def _compares_with_null(test: Expression) -> bool:
    """Whether a test has the literal NULL in it: binding has already warned of it."""
    return any(constant.value is None for constant in test.find(Constant))


def _excludes(tests: Sequence[Expression]) -> bool:
    """Whether no row passes all of some tests."""
    condition = conjunction(tests)
    simple = simplified(condition) if condition is not None else None
    return simple is not None and is_never(simple)
