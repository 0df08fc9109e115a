"""Rule: rows whose foreign key is NULL are dropped before an inner join, which would drop them anyway."""

from __future__ import annotations

from collections.abc import Iterator

from piql.compiler.logical.expressions import ColumnRef, IsNull, Not
from piql.compiler.logical.operators import Join, LogicalNode, Stop
from piql.compiler.optimizer.analysis.equalities import Equalities
from piql.compiler.optimizer.analysis.keeps_rows import leaves_out_null
from piql.compiler.optimizer.analysis.predicates import key_of
from piql.compiler.optimizer.analysis.region import Leg, Region, map_regions, read_region, write_region
from piql.compiler.optimizer.rule import RuleContext
from piql.trees.node import kinds_of


def leave_out_null(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Add a test that a foreign key is not NULL before an inner join, if a stop can then move below the join.

        Stop 5                                 Stop 5
          Join p.id = g.post             →       Join p.id = g.post
            Relation tags g                        Selection g.post IS NOT NULL
            Relation posts p                         Relation tags g
                                                   Relation posts p

    The join drops these rows anyway, so the result stays the same. The test takes the place of a range in the
    index, so it is added only if the query then needs fewer requests.
    """
    if not {Stop, Join} <= kinds_of(plan):
        return plan
    followed: list[ColumnRef] = []

    def collect(node: LogicalNode) -> LogicalNode:
        followed.extend(_followed(read_region(node)))
        return node

    map_regions(plan, collect)
    if not followed:
        return plan
    best, least = plan, context.cost(plan)
    for column in dict.fromkeys(followed):
        tested = _tested(plan, column)
        cost = context.cost(tested)
        if cost is not None and (least is None or cost < least):
            best, least = tested, cost
    if best is not plan:
        context.note("an index leaves out the rows with NULL in the reference, which the join would drop")
    return best


def _followed(region: Region) -> Iterator[ColumnRef]:
    """Yield the columns of foreign keys that may be NULL, where an inner join follows them."""
    inner = [(leg, leg.relation) for leg in region.legs if leg.kind == "inner" and leg.relation is not None]
    if len(inner) < 2:
        return
    equal: Equalities | None = None
    for leg, relation in inner:
        for key in relation.table.foreign_keys:
            nullable = [
                column for column in relation.columns(key.columns) if column.nullable and not _is_tested(leg, column)
            ]
            if len(nullable) != 1:
                continue  # none to test, or more than one index can test
            if equal is None:
                equal = Equalities((*region.conditions, *(predicate for leg, _ in inner for predicate in leg.filters)))
            names = tuple(zip(key.columns, key.referenced_columns, strict=True))
            if any(
                parent.table.name == key.table
                and parent is not relation
                and all(
                    equal.are_equal((relation.alias, column), (parent.alias, referenced))
                    for column, referenced in names
                )
                for _, parent in inner
            ):
                yield nullable[0]


def _is_tested(leg: Leg, column: ColumnRef) -> bool:
    return any(leaves_out_null(predicate, key_of(column)) for predicate in leg.filters)


def _tested(plan: LogicalNode, column: ColumnRef) -> LogicalNode:
    """Return a plan with the test that a column is not NULL at its relation."""
    test = Not(operand=IsNull(operand=column))

    def change(node: LogicalNode) -> LogicalNode:
        region = read_region(node)
        legs = tuple(
            leg._replace(filters=(*leg.filters, test)) if column.relation in leg.relations else leg
            for leg in region.legs
        )
        return node if legs == region.legs else write_region(region._replace(legs=legs))

    return map_regions(plan, change)
