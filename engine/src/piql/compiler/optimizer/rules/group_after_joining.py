"""Rule: a derived table with groups is joined first and grouped afterwards, so only the groups needed are computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from piql.compiler.logical.expressions import Aggregate, ColumnRef, Expression, FunctionCall, conjuncts
from piql.compiler.logical.operators import (
    Derived,
    Distinct,
    GroupBy,
    Join,
    LogicalNode,
    Projection,
    Selection,
    SemiJoin,
)
from piql.compiler.optimizer.analysis.one_row import gives_one_row
from piql.compiler.optimizer.analysis.predicates import (
    ColumnKey,
    conjunction,
    equated_columns,
    key_of,
    relations_of,
    replace_columns,
)
from piql.compiler.optimizer.analysis.region import (
    Leg,
    Region,
    is_region,
    map_regions,
    read_region,
    reads_leg,
    write_region,
)
from piql.compiler.optimizer.rule import RuleContext
from piql.trees.node import Node, kinds_of

_GROUPED = frozenset((GroupBy, Distinct))


def group_after_joining(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Join first and group afterwards, instead of joining a derived table with groups.

        Join n.post = p.id                         GroupBy p.id, c.post: COUNT(*)
          Selection p.author = [me]                  Join c.post = p.id
            Relation p                        →        Selection p.author = [me]
          Derived n                                      Relation p
            Projection c.post, COUNT(*)                Relation c
              GroupBy c.post: COUNT(*)
                Relation c

    So only the groups that the query joins are computed: the groups of a whole table have no bound.

    - The other legs of the join must be tables, whose primary keys tell their rows apart, or give one row.
    - An IN (SELECT … GROUP BY …) becomes such a join first, if it compares all columns that it is grouped by.
    - A test of an aggregate stands above the new GROUP BY.
    - The columns of a left join become IF_FOUND(…): they are NULL in a row that meets no group, also its COUNT.
    - No aggregate may be over a column of the groups, and the new plan must take less than the old one.
    """
    kinds = kinds_of(plan)
    if Derived not in kinds or _GROUPED.isdisjoint(kinds):
        return plan
    joined = with_groups_joined(plan)
    meanings: dict[ColumnKey, Expression] = {}  # of the columns of derived tables that are merged

    def merge(node: LogicalNode) -> LogicalNode:
        region = read_region(node)
        for leg in region.legs if len(region.legs) > 1 else ():
            groups = groups_of(leg)
            if groups is not None and leg.kind == "left":
                groups = _groups_or_null(groups)
            grouped = None if groups is None else _grouped_above(region, leg, groups, joined)
            if groups is not None and grouped is not None:
                meanings.update(groups.columns)
                return grouped
        return node

    merged = map_regions(joined, merge)
    if not meanings or _is_summed_again(joined, meanings):
        return plan
    merged = with_columns_named(merged, meanings)
    if not context.is_cheaper(merged, plan):
        return plan
    context.note("rows are joined before they are grouped")
    return merged


@dataclass(frozen=True, slots=True)
class Groups:
    """A derived table of groups, taken apart; a DISTINCT is one without aggregates."""

    columns: Mapping[ColumnKey, Expression]  # what each column of the derived table stands for
    keys: tuple[ColumnRef, ...]
    aggregates: tuple[Aggregate, ...]
    rows: Region  # what is grouped: inner joins of tables
    having: tuple[Expression, ...]


def groups_of(leg: Leg) -> Groups | None:
    """Return the GROUP BY or DISTINCT that a leg is a derived table of; None for any other leg."""
    if not isinstance(leg.input, Derived):
        return None
    below = leg.input.input
    having: list[Expression] = []
    match below:
        case Distinct(input=Projection(outputs=outputs, input=rows)):
            keys: tuple[Expression, ...] = tuple(output.expression for output in outputs)
            aggregates: tuple[Aggregate, ...] = ()
        case Projection(outputs=outputs, input=node):
            while isinstance(node, Selection) and not is_region(node):
                having.extend(conjuncts(node.predicate))
                node = node.input
            if not isinstance(node, GroupBy) or not node.keys or node.summed:
                return None
            keys, aggregates, rows = node.keys, node.aggregates, node.input
        case _:
            return None
    columns = tuple(key for key in keys if isinstance(key, ColumnRef))
    if len(columns) < len(keys) or not is_region(rows):
        return None
    region = read_region(rows)
    if region.above or any(
        inner_leg.relation is None or inner_leg.kind == "left" or inner_leg.first for inner_leg in region.legs
    ):
        return None
    named = {(leg.input.alias, output.name): output.expression for output in outputs}
    return Groups(named, columns, aggregates, region, tuple(having))


def _grouped_above(region: Region, leg: Leg, groups: Groups, plan: LogicalNode) -> LogicalNode | None:
    """Return a GROUP BY over the join of a region with the rows of `groups`, which `leg` was; None where that differs.

    Its keys are the primary keys of the other legs, all their columns that the whole `plan` reads, and the keys of the
    groups. So each of its groups stands for one row of the join before.
    """
    other_legs = [candidate for candidate in region.legs if candidate is not leg]
    if any(other_leg.relation is None and not gives_one_row(other_leg.input) for other_leg in other_legs):
        return None
    available = frozenset[str]().union(*(other_leg.relations for other_leg in other_legs))
    relations = [other_leg.relation for other_leg in other_legs if other_leg.relation is not None]
    row_keys = tuple(column for relation in relations for column in relation.columns(relation.table.primary_key))
    read = tuple(column for column in plan.find(ColumnRef) if column.relation in available)
    row_tests: list[Expression] = []
    having = list(groups.having)
    is_left = leg.kind == "left"
    for test in (*(leg.on if is_left else region.conditions), *leg.filters):
        renamed = replace_columns(test, groups.columns)
        (having if _has_aggregate(renamed) else row_tests).append(renamed)
    is_fixed = _are_fixed(groups.keys, row_tests, available)
    legs, conditions = groups.rows.legs, (*row_tests, *groups.rows.conditions)
    if is_left:
        if having or not is_fixed or any(reads_leg(test, leg) for other_leg in other_legs for test in other_leg.on):
            return None
        legs, conditions = (legs[0]._replace(kind="left", on=tuple(row_tests), join=leg.join),), region.conditions
    above = [expression for expression in region.above if relations_of(expression).isdisjoint(leg.relations)]
    having += [replace_columns(expression, groups.columns) for expression in region.above if expression not in above]
    joined = write_region(
        region._replace(
            legs=(*other_legs, *legs),
            conditions=conditions,
            above=tuple(above),
        )
    )
    grouped_relations = tuple(alias for group_leg in groups.rows.legs for alias in group_leg.relations)
    group = GroupBy(
        keys=tuple(dict.fromkeys((*row_keys, *read, *groups.keys))),
        aggregates=groups.aggregates,
        input=joined,
        summed=grouped_relations if is_fixed else (),
        span=leg.input.span,
    )
    predicate = conjunction(having)
    return group if predicate is None else Selection(predicate=predicate, input=group, span=leg.input.span)


def _groups_or_null(groups: Groups) -> Groups | None:
    """Return groups whose columns, counts included, are NULL where a left join finds none; None for other shapes."""
    relation = groups.rows.legs[0].relation
    if relation is None or len(groups.rows.legs) > 1 or groups.having:
        return None
    key = relation.columns(relation.table.primary_key)[0]
    over_matches = {  # COUNT(*) would count the row without a match
        aggregate: replace(aggregate, operand=key) if aggregate.operand is None else aggregate
        for aggregate in groups.aggregates
    }

    def change(node: Node) -> Node:
        if not isinstance(node, Aggregate):
            return node.map_children(change)
        return FunctionCall(
            name="IF_FOUND", arguments=(over_matches[node], groups.keys[0]), type=node.type, span=node.span
        )

    columns: dict[ColumnKey, Expression] = {name: change(expression) for name, expression in groups.columns.items()}  # type: ignore[misc]
    return replace(groups, columns=columns, aggregates=tuple(dict.fromkeys(over_matches.values())))


def _are_fixed(keys: Sequence[ColumnRef], tests: Sequence[Expression], relations: frozenset[str]) -> bool:
    """Whether equalities with the joined row fix all keys of the groups."""
    pairs = [pair for test in tests if (pair := equated_columns(test)) is not None]
    determined = {
        column for pair in pairs for column, counterpart in (pair, pair[::-1]) if counterpart.relation in relations
    }
    return determined.issuperset(keys)


def with_groups_joined(plan: LogicalNode) -> LogicalNode:
    """Turn an IN among groups into a join, where a row can equal one group at most."""

    def change(node: Node) -> Node:
        if not isinstance(node, SemiJoin) or node.is_anti or node.mark is not None or node.condition is None:
            return node
        if not isinstance(node.right, Derived) or not is_region(node.left):
            return node
        groups = groups_of(Leg(node.right, frozenset((node.right.alias,))))
        if groups is None:
            return node
        tests = conjuncts(node.condition)
        compared = {groups.columns.get(key_of(side)) for test in tests for side in equated_columns(test) or ()}
        if not set(groups.keys) <= compared:
            return node
        joined = Join(kind="inner", left=node.left, right=node.right, condition=None, span=node.span)
        return Selection(predicate=node.condition, input=joined, span=node.span)

    return plan.transform_up(change)  # type: ignore[return-value]


def _is_summed_again(plan: LogicalNode, meanings: Mapping[ColumnKey, Expression]) -> bool:
    """Whether an aggregate is over a column of the groups."""
    return any(key_of(column) in meanings for aggregate in plan.find(Aggregate) for column in aggregate.find(ColumnRef))


def _has_aggregate(test: Expression) -> bool:
    return any(isinstance(node, Aggregate) for node in test.walk())


def with_columns_named(plan: LogicalNode, meanings: Mapping[ColumnKey, Expression]) -> LogicalNode:
    """Replace the columns of a plan that have meanings by these."""

    def change(node: Node) -> Node:
        return meanings.get(key_of(node), node) if isinstance(node, ColumnRef) else node

    return plan.transform_up(change)  # type: ignore[return-value]
