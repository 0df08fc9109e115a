"""Rule: the rows of an OR that asks a subquery are those of its branches, each read by itself."""

from __future__ import annotations

from piql.frozen import replace
from piql.logical.expressions import Expression, Or, conjuncts
from piql.logical.operators import Derived, LogicalNode, Output, Projection, Relation, Selection, Union
from piql.node import Node, kinds_of
from piql.optimizer.copies import aliases_in, renamed, unused
from piql.optimizer.predicates import conjunction, has_subquery, holds_subquery, relations_of
from piql.optimizer.region import is_region, map_regions, read_region
from piql.optimizer.rule import RuleContext

_MOST_BRANCHES = 8


def spread_or(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Make a UNION of the branches of an OR with a subquery, where nothing bounds the query otherwise.

        Selection t.owner = [me] OR            Derived t
                  t.owner IN (→ s.target)        Union
          Relation t                       →       Projection t_1.owner, t_1.posted, …
                                                     Selection t_1.owner = [me]
                                                       Relation t_1
                                                   Projection t_2.owner, t_2.posted, …
                                                     Selection t_2.owner IN (→ s.target)
                                                       Relation t_2

    A row for which several branches hold is one row of the UNION: each gives all columns, the key among them. Only an
    OR that speaks of one relation is taken apart; where values alone are compared, the planner reads the branches.
    """
    if Or not in kinds_of(plan) or not holds_subquery(plan):
        return plan
    taken = aliases_in(plan)
    spread = map_regions(plan, lambda region: _spread(region, taken))
    if spread == plan or context.cost(plan) is not None or context.cost(spread) is None:
        return plan
    context.note("each branch of the OR is read by itself")
    return spread


def _spread(node: LogicalNode, taken: set[str]) -> LogicalNode:
    if not isinstance(node, Selection) or not is_region(node.input):
        return node
    relations = {
        leg.relation.alias: leg.relation
        for leg in read_region(node.input).legs
        if leg.kind == "inner" and leg.relation is not None
    }
    parts = list(conjuncts(node.predicate))
    for at, part in enumerate(parts):
        if not isinstance(part, Or) or not has_subquery(part) or len(part.operands) > _MOST_BRANCHES:
            continue
        named = relations_of(part) - aliases_in(part)
        relation = relations.get(next(iter(named))) if len(named) == 1 else None
        if relation is None:
            continue
        union = _union(part, relation, taken)

        def change(below: Node, relation: Relation = relation, union: Derived = union) -> Node:
            return union if below == relation else below

        below: LogicalNode = node.input.transform_up(change)  # type: ignore[assignment]
        rest = conjunction(parts[:at] + parts[at + 1 :])
        return below if rest is None else replace(node, predicate=rest, input=below)
    return node


def _union(part: Or, relation: Relation, taken: set[str]) -> Derived:
    branches = []
    for number, operand in enumerate(part.operands, start=1):
        alias = unused(f"{relation.alias}_{number}", taken)
        copy = replace(relation, alias=alias)
        test: Expression = renamed(operand, {relation.alias: alias})  # type: ignore[assignment]
        outputs = tuple(
            Output(name=each.name, expression=each)
            for each in copy.columns(column.name for column in relation.table.columns)
        )
        selection = Selection(predicate=test, input=copy, span=part.span)
        branches.append(Projection(outputs=outputs, input=selection, span=part.span))
    return Derived(alias=relation.alias, input=Union(inputs=tuple(branches), all=False, span=part.span), span=part.span)
