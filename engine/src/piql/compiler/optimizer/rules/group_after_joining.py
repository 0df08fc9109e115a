"""Rule: groups that are joined are made after joining, of the rows that the join finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
from piql.compiler.optimizer.analysis.region import Leg, Region, is_region, map_regions, read_region, write_region
from piql.compiler.optimizer.rule import RuleContext
from piql.trees.frozen import replace
from piql.trees.node import Node, kinds_of

_GROUPED = frozenset((GroupBy, Distinct))


def group_after_joining(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Join the rows that a derived table groups, and group them by the row that they are joined to, too.

        Join n.post = p.id                         GroupBy p.id, c.post: COUNT(*)
          Selection p.author = [me]                  Join c.post = p.id
            Relation p                        →        Selection p.author = [me]
          Derived n                                      Relation p
            Projection c.post, COUNT(*)                Relation c
              GroupBy c.post: COUNT(*)
                Relation c

    So only those groups are made that are asked for: groups of all rows of a table have no bound. Where nothing bounds
    the query otherwise; an IN among groups is joined, if it compares all that they are grouped by. Only to rows that
    have keys is anything joined. What is asked of the sums is tested above. A left join gives IF_FOUND of them, since a
    row that meets no group has no count.
    """
    kinds = kinds_of(plan)
    if Derived not in kinds or _GROUPED.isdisjoint(kinds):
        return plan
    joined = with_groups_joined(plan)
    by: dict[ColumnKey, Expression] = {}

    def merge(node: LogicalNode) -> LogicalNode:
        region = read_region(node)
        for leg in region.legs if len(region.legs) > 1 else ():
            groups = groups_of(leg)
            if groups is not None and leg.kind == "left":
                groups = _where_found(groups)
            merged = None if groups is None else _merged(region, leg, groups, joined)
            if groups is not None and merged is not None:
                by.update(groups.columns)
                return merged
        return node

    merged = map_regions(joined, merge)
    if not by or _is_summed_again(joined, by) or context.cost(plan) is not None:
        return plan
    merged = with_columns_named(merged, by)
    if context.cost(merged) is None:
        return plan
    context.note("rows are joined before they are grouped")
    return merged


@dataclass(frozen=True, slots=True)
class Groups:
    """A derived table of groups: what its columns stand for, the rows that are grouped, and the tests of HAVING."""

    columns: Mapping[ColumnKey, Expression]
    keys: tuple[ColumnRef, ...]
    aggregates: tuple[Aggregate, ...]
    rows: Region
    having: tuple[Expression, ...]


def groups_of(leg: Leg) -> Groups | None:
    """Return the groups that a leg is a table of; None where it is something else."""
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
    if region.above or any(each.relation is None or each.kind == "left" or each.first for each in region.legs):
        return None
    named = {(leg.input.alias, output.name): output.expression for output in outputs}
    return Groups(named, columns, aggregates, region, tuple(having))


def _merged(region: Region, leg: Leg, groups: Groups, plan: LogicalNode) -> LogicalNode | None:
    others = [each for each in region.legs if each is not leg]
    if any(each.relation is None and not gives_one_row(each.input) for each in others):
        return None
    known = frozenset[str]().union(*(each.relations for each in others))
    relations = [each.relation for each in others if each.relation is not None]
    rows = tuple(column for relation in relations for column in relation.columns(relation.table.primary_key))
    read = tuple(column for column in plan.find(ColumnRef) if column.relation in known)
    early: list[Expression] = []
    late = list(groups.having)
    is_left = leg.kind == "left"
    for test in (*(leg.on if is_left else region.conditions), *leg.filters):
        renamed = replace_columns(test, groups.columns)
        (late if _has_aggregate(renamed) else early).append(renamed)
    is_fixed = _are_fixed(groups.keys, early, known)
    legs, conditions = groups.rows.legs, (*early, *groups.rows.conditions)
    if is_left:
        if late or not is_fixed or any(_reads(each, leg) for other in others for each in other.on):
            return None
        legs, conditions = (replace(legs[0], kind="left", on=tuple(early), join=leg.join),), region.conditions
    above = [expression for expression in region.above if relations_of(expression).isdisjoint(leg.relations)]
    late += [replace_columns(expression, groups.columns) for expression in region.above if expression not in above]
    joined = write_region(
        replace(
            region,
            legs=(*others, *legs),
            conditions=conditions,
            above=tuple(above),
        )
    )
    grouped = tuple(alias for each in groups.rows.legs for alias in each.relations)
    group = GroupBy(
        keys=tuple(dict.fromkeys((*rows, *read, *groups.keys))),
        aggregates=groups.aggregates,
        input=joined,
        summed=grouped if is_fixed else (),
        span=leg.input.span,
    )
    predicate = conjunction(late)
    return group if predicate is None else Selection(predicate=predicate, input=group, span=leg.input.span)


def _where_found(groups: Groups) -> Groups | None:
    """Return groups as a left join has them: of a row that meets none all is NULL, a count, too."""
    relation = groups.rows.legs[0].relation
    if relation is None or len(groups.rows.legs) > 1 or groups.having:
        return None
    key = relation.columns(relation.table.primary_key)[0]
    counted = {
        aggregate: replace(aggregate, operand=key) if aggregate.operand is None else aggregate
        for aggregate in groups.aggregates
    }

    def change(node: Node) -> Node:
        if not isinstance(node, Aggregate):
            return node.map_children(change)
        return FunctionCall(name="IF_FOUND", arguments=(counted[node], groups.keys[0]), type=node.type, span=node.span)

    columns: dict[ColumnKey, Expression] = {name: change(each) for name, each in groups.columns.items()}  # type: ignore[misc]
    return replace(groups, columns=columns, aggregates=tuple(dict.fromkeys(counted.values())))


def _reads(test: Expression, leg: Leg) -> bool:
    return not relations_of(test).isdisjoint(leg.relations)


def _are_fixed(keys: Sequence[ColumnRef], tests: Sequence[Expression], known: frozenset[str]) -> bool:
    """Whether the row that is joined says of which group it is."""
    pairs = [pair for test in tests if (pair := equated_columns(test)) is not None]
    met = {own for pair in pairs for own, other in (pair, pair[::-1]) if other.relation in known}
    return met.issuperset(keys)


def with_groups_joined(plan: LogicalNode) -> LogicalNode:
    """Join what an IN looks for among groups, where a row equals one group at most."""

    def change(node: Node) -> Node:
        if not isinstance(node, SemiJoin) or node.is_anti or node.mark is not None or node.condition is None:
            return node
        if not isinstance(node.right, Derived) or not is_region(node.left):
            return node
        groups = groups_of(Leg(node.right, frozenset((node.right.alias,))))
        if groups is None:
            return node
        tests = conjuncts(node.condition)
        met = {groups.columns.get(key_of(side)) for test in tests for side in equated_columns(test) or ()}
        if not set(groups.keys) <= met:
            return node
        joined = Join(kind="inner", left=node.left, right=node.right, condition=None, span=node.span)
        return Selection(predicate=node.condition, input=joined, span=node.span)

    return plan.transform_up(change)  # type: ignore[return-value]


def _is_summed_again(plan: LogicalNode, by: Mapping[ColumnKey, Expression]) -> bool:
    """Whether an aggregate is over what the groups give."""
    return any(key_of(column) in by for aggregate in plan.find(Aggregate) for column in aggregate.find(ColumnRef))


def _has_aggregate(test: Expression) -> bool:
    return any(isinstance(node, Aggregate) for node in test.walk())


def with_columns_named(plan: LogicalNode, by: Mapping[ColumnKey, Expression]) -> LogicalNode:
    """Return a plan in which columns are what they stand for."""

    def change(node: Node) -> Node:
        return by.get(key_of(node), node) if isinstance(node, ColumnRef) else node

    return plan.transform_up(change)  # type: ignore[return-value]
