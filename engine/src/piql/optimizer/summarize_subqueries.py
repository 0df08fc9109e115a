"""Rule: an aggregate over the matches of each row is a left join, grouped by the row."""

from __future__ import annotations

from piql.logical.expressions import (
    Aggregate,
    ColumnRef,
    Constant,
    Exists,
    Expression,
    InSubquery,
    ScalarSubquery,
)
from piql.logical.operators import (
    GroupBy,
    Join,
    LogicalNode,
    Output,
    Projection,
    Relation,
    Selection,
    SemiJoin,
    Sort,
    SortKey,
)
from piql.node import Node, replace
from piql.optimizer.one_row import gives_one_row
from piql.optimizer.predicates import conjunction, has_subquery, relations_of
from piql.optimizer.region import aliases_below, is_region, read_region
from piql.optimizer.rule import RuleContext
from piql.optimizer.turn_left_join_inner import is_null_with
from piql.optimizer.unnest_subqueries import pulled_apart


def summarize_subqueries(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Join the rows that a correlated aggregate of the select list is over, and sum them up for each row.

        Projection u.name, (→ COUNT(*) …)              Projection u.name, COUNT(s.owner)
          Relation u                         →           GroupBy u.name: COUNT(s.owner), for each row
                                                           Left join s.owner = u.name
                                                             Relation u
                                                             Relation s

    COUNT(*) counts a key column, which is NULL where there is no match. Only aggregates over one relation that are not
    changed by a row of NULLs are joined, and only to rows that have keys; one after the other, where there are several.
    Needs the values of single rows joined already (`attach_subqueries`).
    """
    if not has_subquery(plan):
        return plan

    def visit(node: Node) -> Node:
        changed = node.map_children(visit)
        match changed:
            case Projection() if any(isinstance(each, ScalarSubquery) for each in changed.walk()):
                return _summarized(changed, context)
            case _:
                return changed

    return visit(plan)  # type: ignore[return-value]


def _summarized(node: Projection, context: RuleContext) -> LogicalNode:
    """An order by the sums themselves is put above them, any other stays where it is."""
    sort = node.input if isinstance(node.input, Sort) and any(map(has_subquery, node.input.keys)) else None
    start = node.input if sort is None else sort.input
    keys = _row_keys(start)
    if keys is None:
        return node
    below = start
    known = aliases_below(below)
    places = (*node.outputs, *(sort.keys if sort is not None else ()))
    read = [each for place in places for each in place.find(ColumnRef) if each.relation in known]
    kept: list[Expression] = list(dict.fromkeys((*keys, *read)))
    made: dict[ScalarSubquery, Expression] = {}

    def change(node: Node) -> Node:
        nonlocal below
        match node:
            case ScalarSubquery(query=query):
                if node not in made:
                    found = _summary(below, known, tuple(kept), query)
                    if found is None:
                        return node
                    below, made[node] = found
                    kept.extend(below.aggregates)
                    context.note("the matches of each row are summed up")
                return made[node]
            case Aggregate() | Exists() | InSubquery():
                return node
            case _:
                return node.map_children(change)

    outputs: tuple[Output, ...] = tuple(change(each) for each in node.outputs)  # type: ignore[misc]
    order: tuple[SortKey, ...] = tuple(change(each) for each in sort.keys) if sort is not None else ()  # type: ignore[misc]
    if below is start or any(map(has_subquery, order)):
        return node
    return replace(node, outputs=outputs, input=below if sort is None else replace(sort, keys=order, input=below))


def _row_keys(plan: LogicalNode) -> tuple[ColumnRef, ...] | None:
    """Give the columns that tell the rows of a section apart; None where nothing does."""
    while not is_region(plan):
        match plan:
            case Sort():
                plan = plan.input
            case SemiJoin():
                plan = plan.left
            case Selection():
                plan = plan.input
            case _:
                return None
    legs = read_region(plan).legs
    if any(leg.relation is None and not gives_one_row(leg.input) for leg in legs):
        return None
    relations = [leg.relation for leg in legs if leg.relation is not None]
    return tuple(column for each in relations for column in each.columns(each.table.primary_key))


def _summary(
    below: LogicalNode, known: frozenset[str], keys: tuple[Expression, ...], query: LogicalNode
) -> tuple[GroupBy, Expression] | None:
    match query:
        case Projection(outputs=(only,), input=GroupBy(keys=(), aggregates=aggregates, input=inner)):
            pulled = pulled_apart(inner)
        case _:
            return None
    if pulled is None:
        return None
    right, conditions = pulled
    relation = right
    while isinstance(relation, Selection):
        relation = relation.input
    if not isinstance(relation, Relation) or not conditions or has_subquery(right):
        return None
    if not frozenset().union(*map(relations_of, (only, *conditions))) <= known | {relation.alias}:
        return None
    own = frozenset((relation.alias,))
    places: dict[Expression, Expression] = {}
    for each in aggregates:
        if each.operand is None or _is_counted_anyway(each):
            places[each] = replace(each, operand=relation.columns(relation.table.primary_key)[0])
        elif relations_of(each.operand) == own and is_null_with(each.operand, own):
            places[each] = each
        else:
            return None
    join = Join(kind="left", left=below, right=right, condition=conjunction(conditions), span=query.span)
    found = tuple(dict.fromkeys(each for each in places.values() if isinstance(each, Aggregate)))
    group = GroupBy(keys=keys, aggregates=found, input=join, is_per_row=True, span=query.span)

    def place(node: Node) -> Node:
        return places.get(node, node) if isinstance(node, Aggregate) else node.map_children(place)

    return group, place(only.expression)  # type: ignore[return-value]


def _is_counted_anyway(aggregate: Aggregate) -> bool:
    """Whether this is COUNT(1), which is COUNT(*)."""
    match aggregate:
        case Aggregate(function="COUNT", operand=Constant(value=value), distinct=False):
            return value is not None
        case _:
            return False
