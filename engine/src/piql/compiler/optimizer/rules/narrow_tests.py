"""Rule: tests that other rules have brought together on one relation are combined into fewer."""

from __future__ import annotations

from collections.abc import Iterator

from piql.compiler.logical.expressions import ColumnRef, Constant, Expression, IsNull, Or, columns_in, conjuncts
from piql.compiler.logical.operators import LogicalNode
from piql.compiler.optimizer.analysis.decided_tests import is_never
from piql.compiler.optimizer.analysis.equalities import Equalities
from piql.compiler.optimizer.analysis.keeps_rows import leaves_out_null
from piql.compiler.optimizer.analysis.predicates import conjunction, key_of
from piql.compiler.optimizer.analysis.region import Leg, Region, map_regions, read_region, write_region
from piql.compiler.optimizer.rule import RuleContext
from piql.compiler.optimizer.rules.simplify_predicates import simplified
from piql.schema.catalog import Kind, SqlType


def narrow_tests(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Combine the tests of one column from WHERE, ON, a derived table or an equal column.

        Join t.kind = s.kind                         Join t.kind = s.kind
          Selection t.kind IN (1, 2) AND …    →        Selection t.kind = 2
            Relation t                                   Relation t
          …                                            …

    `simplify_predicates` does this for tests that are written together. No row passes if an inner join compares a
    column that must be NULL, or if equal columns must have different values. Needs predicates where
    `spread_equalities` left them.
    """

    def narrow(node: LogicalNode) -> LogicalNode:
        region = read_region(node)
        if not any(leg.filters for leg in region.legs):
            return node
        legs = tuple(_narrowed(leg) if len(leg.filters) > 1 else leg for leg in region.legs)
        is_empty = any(leg.kind == "inner" and any(map(is_never, leg.filters)) for leg in legs)
        if is_empty or _compares_null(region):
            never = Constant(value=False, type=SqlType(Kind.BOOLEAN))
            if all(leg.filters == (never,) for leg in region.legs):
                return node
            context.note("no row passes all tests")
            return write_region(region._replace(legs=tuple(leg._replace(filters=(never,)) for leg in legs)))
        if all(leg is written for leg, written in zip(legs, region.legs, strict=True)):
            return node
        context.note("several tests of one column are combined")
        return write_region(region._replace(legs=legs))

    return map_regions(plan, narrow)


def _narrowed(leg: Leg) -> Leg:
    """Return a leg with its filters simplified, if two of them read one column or one is an OR."""
    columns = [column for predicate in leg.filters for column in {key_of(column) for column in columns_in(predicate)}]
    if len(set(columns)) == len(columns) and not any(isinstance(predicate, Or) for predicate in leg.filters):
        return leg
    test = simplified(conjunction(leg.filters) or leg.filters[0])
    filters = conjuncts(test) if test is not None else ()
    return leg if set(filters) == set(leg.filters) else leg._replace(filters=filters)


def _compares_null(region: Region) -> bool:
    """Whether one test asks that a column IS NULL and another compares it, so that no row passes both."""
    null_columns = {
        key_of(predicate.operand)
        for leg in region.legs
        if leg.kind == "inner"
        for predicate in leg.filters
        if isinstance(predicate, IsNull) and isinstance(predicate.operand, ColumnRef)
    }
    if not null_columns:
        return False
    tests = tuple(_tests(region))
    equal = Equalities(tests)
    return any(
        len(equal.members(column)) > 1 or any(leaves_out_null(test, column) for test in tests)
        for column in null_columns
    )


def _tests(region: Region) -> Iterator[Expression]:
    """Yield the tests that every row of the inner joins passes."""
    yield from region.conditions
    for leg in region.legs:
        if leg.kind == "inner":
            yield from leg.filters
