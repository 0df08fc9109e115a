"""Rule: the smallest or largest value of a group that is joined is the first match of each row."""

from __future__ import annotations

from collections.abc import Mapping

from piql.compiler.logical.expressions import Aggregate, ColumnRef, Expression, IsNull, Not
from piql.compiler.logical.operators import Derived, GroupBy, LogicalNode, Relation, SortKey
from piql.compiler.optimizer.analysis.first_match import completed_by_primary_key
from piql.compiler.optimizer.analysis.predicates import ColumnKey, replace_columns
from piql.compiler.optimizer.analysis.region import Leg, Region, map_regions, read_region, reads_leg, write_region
from piql.compiler.optimizer.analysis.restrictions import restrictions_on
from piql.compiler.optimizer.rule import RuleContext
from piql.compiler.optimizer.rules.group_after_joining import Groups, groups_of, with_columns_named, with_groups_joined
from piql.trees.node import Node, kinds_of


def join_extremes_of_groups(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Join the first match of each row instead of a table of the smallest or largest values of all groups.

        Join n.owner = s.target                      Left join t.owner = s.target, first by t.posted DESC
          Selection s.owner = [me]                     Selection s.owner = [me]
            Relation s                                   Relation s
          Derived n                             →      Relation t
            Projection t.owner, MAX(t.posted)
              GroupBy t.owner: MAX(t.posted)
                Relation t

    This is done where it is cheaper, and where equalities fix all columns that are grouped by. An inner join becomes a
    left join with a test above it that there is a match. Conditions on the value are tested above the join, too;
    `merge_first_match` may then read the row that has the value.
    """
    kinds = kinds_of(plan)
    if Derived not in kinds or GroupBy not in kinds:
        return plan
    by: dict[ColumnKey, Expression] = {}

    def merge(node: LogicalNode) -> LogicalNode:
        region = read_region(node)
        for leg in region.legs if len(region.legs) > 1 else ():
            groups = groups_of(leg)
            joined = None if groups is None else _with_first(region, leg, groups)
            if joined is not None:
                by.update(joined[1])
                return merge(write_region(joined[0]))
        return node

    merged = map_regions(with_groups_joined(plan), merge)
    if not by:
        return plan
    merged = with_columns_named(merged, by)
    if not context.is_cheaper(merged, plan):
        return plan
    context.note("only the first match of each row is joined, not one row of each group")
    return merged


def _with_first(region: Region, leg: Leg, groups: Groups) -> tuple[Region, Mapping[ColumnKey, Expression]] | None:
    """Return a region with the first match instead of the groups, and the expressions that replace their columns.

    Tests of the leg by which the match is found become its ON. The others are tested above the join; a left join that
    has such tests is left alone, since it must keep the rows that fail them.
    """
    extreme, relation = _extreme(groups), groups.rows.legs[0].relation
    if extreme is None or relation is None or not isinstance(extreme.operand, ColumnRef):
        return None
    value = extreme.operand

    def without_aggregate(node: Node) -> Node:
        return value if node == extreme else node

    by: dict[ColumnKey, Expression] = {
        name: expression.transform_up(without_aggregate)  # type: ignore[misc]
        for name, expression in groups.columns.items()
    }
    other_legs = [candidate for candidate in region.legs if candidate is not leg]
    if any(reads_leg(test, leg) for other_leg in other_legs for test in other_leg.on):
        return None
    conditions_of_leg = (
        leg.on
        if leg.kind == "left"
        else tuple(condition for condition in region.conditions if reads_leg(condition, leg))
    )
    renamed = tuple(replace_columns(expression, by) for expression in (*conditions_of_leg, *leg.filters))
    value_tests = [expression for expression in renamed if value in expression.find(ColumnRef)]
    key_tests = [expression for expression in renamed if expression not in value_tests]
    available = frozenset[str]().union(*(other_leg.relations for other_leg in other_legs))
    filters = groups.rows.legs[0].filters
    restrictions = restrictions_on(relation.alias, (*key_tests, *filters), available)
    if not all(key.name in restrictions.equal and restrictions.equal[key.name].count == 1 for key in groups.keys):
        return None
    fixing = [fixed.predicate for fixed in restrictions.equal.values()]
    on = tuple(test for test in key_tests if test in fixing)
    tests_above = [*value_tests, *(test for test in key_tests if test not in fixing)]
    if tests_above and leg.kind == "left":
        return None
    first = completed_by_primary_key(
        (SortKey(expression=value, ascending=extreme.function == "MIN"),), relation, restrictions
    )
    if leg.kind == "inner":
        tests_above.append(Not(operand=IsNull(operand=_key(relation))))
    match = Leg(relation, frozenset((relation.alias,)), "left", filters, on, leg.join, first)
    above = (*(replace_columns(expression, by) for expression in region.above), *tests_above)
    conditions = tuple(condition for condition in region.conditions if not reads_leg(condition, leg))
    return region._replace(legs=(*other_legs, match), conditions=conditions, above=above), by


def _extreme(groups: Groups) -> Aggregate | None:
    """Return the only aggregate of groups of one relation, if it is MAX, or MIN of a column that is NOT NULL."""
    match groups.aggregates:
        case (Aggregate(function="MIN" | "MAX", operand=ColumnRef() as column) as extreme,):
            is_plain = len(groups.rows.legs) == 1 and not groups.rows.conditions and not groups.having
            return extreme if is_plain and not (extreme.function == "MIN" and column.nullable) else None
        case _:
            return None


def _key(relation: Relation) -> ColumnRef:
    return relation.columns(relation.table.primary_key)[0]
