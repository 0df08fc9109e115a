"""Rule: an OR with a subquery becomes a UNION of its branches, each of which is read by itself."""

from __future__ import annotations

from dataclasses import replace

from piql.compiler.logical.expressions import Expression, Or, conjuncts
from piql.compiler.logical.operators import (
    Derived,
    LogicalNode,
    Output,
    Projection,
    Relation,
    Selection,
    Sort,
    SortKey,
    Union,
)
from piql.compiler.optimizer.analysis.copies import aliases_in, renamed, unused
from piql.compiler.optimizer.analysis.predicates import conjunction, has_subquery, holds_subquery, relations_of
from piql.compiler.optimizer.analysis.region import is_region, map_regions, read_region
from piql.compiler.optimizer.rule import RuleContext
from piql.trees.node import Node, kinds_of

_MOST_BRANCHES = 8  # each is a copy of the query that all later rules work on


def spread_or(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Make a UNION of the branches of an OR with a subquery, where that takes less or nothing bounds it otherwise.

        Selection t.owner = [me] OR            Derived t
                  t.owner IN (→ s.target)        Union
          Relation t                       →       Projection t_1.owner, t_1.posted, …
                                                     Selection t_1.owner = [me]
                                                       Relation t_1
                                                   Projection t_2.owner, t_2.posted, …
                                                     Selection t_2.owner IN (→ s.target)
                                                       Relation t_2

    Every branch gives all columns, so a row that several branches find is one row of the UNION. The key also
    completes the order. Only an OR over one relation is rewritten. An OR that only compares values is left to the
    planner, which reads its branches.
    """
    if Or not in kinds_of(plan) or not holds_subquery(plan):
        return plan
    taken = aliases_in(plan)
    unions: set[str] = set()
    spread = _ordered(map_regions(plan, lambda region: _spread(region, taken, unions)), unions)
    if spread == plan or not context.is_cheaper(spread, plan):
        return plan
    context.note("each branch of the OR is read by itself")
    return spread


def _spread(node: LogicalNode, taken: set[str], unions: set[str]) -> LogicalNode:
    """Replace the relation below an OR by the union of its branches; add its alias to `unions`, new ones to `taken`."""
    if not isinstance(node, Selection) or not is_region(node.input):
        return node
    relation = _only_input(node.input)
    if not isinstance(relation, Relation):
        return node
    parts = list(conjuncts(node.predicate))
    for at, part in enumerate(parts):
        if not isinstance(part, Or) or not has_subquery(part) or len(part.operands) > _MOST_BRANCHES:
            continue
        if relations_of(part) - aliases_in(part) != {relation.alias}:
            continue
        union = _union(part, relation, taken)
        unions.add(union.alias)

        def change(below: Node, union: Derived = union) -> Node:
            return union if below == relation else below

        below: LogicalNode = node.input.transform_up(change)  # type: ignore[assignment]
        predicate = conjunction(parts[:at] + parts[at + 1 :])
        return below if predicate is None else replace(node, predicate=predicate, input=below)
    return node


def _only_input(part: LogicalNode) -> LogicalNode | None:
    """Return the only input of a join part; None where it joins several."""
    legs = read_region(part).legs
    return legs[0].input if len(legs) == 1 else None


def _ordered(plan: LogicalNode, unions: set[str]) -> LogicalNode:
    """Complete the orders of these unions by the keys of their rows, as `complete_order` does those of relations."""

    def change(node: Node) -> Node:
        if not isinstance(node, Sort) or not is_region(node.input):
            return node
        match _only_input(node.input):
            case Derived(
                alias=alias, input=Union(inputs=(Projection(input=Selection(input=Relation() as copy)), *_))
            ) if alias in unions:
                key_columns = copy.columns(copy.table.primary_key)
                key = tuple(replace(column, relation=alias) for column in key_columns)
                ascending = node.keys[-1].ascending
                sorted_by = {sort_key.expression for sort_key in node.keys}
                ties = (SortKey(expression=column, ascending=ascending) for column in key if column not in sorted_by)
                return replace(node, keys=(*node.keys, *ties))
            case _:
                return node

    return plan.transform_up(change)  # type: ignore[return-value]


def _union(part: Or, relation: Relation, taken: set[str]) -> Derived:
    """Return a derived table, named like the relation, of the rows that pass a branch of the OR."""
    branches = []
    for number, operand in enumerate(part.operands, start=1):
        alias = unused(f"{relation.alias}_{number}", taken)
        copy = replace(relation, alias=alias)
        test: Expression = renamed(operand, {relation.alias: alias})  # type: ignore[assignment]
        outputs = tuple(
            Output(name=column.name, expression=column)
            for column in copy.columns(column.name for column in relation.table.columns)
        )
        selection = Selection(predicate=test, input=copy, span=part.span)
        branches.append(Projection(outputs=outputs, input=selection, span=part.span))
    return Derived(alias=relation.alias, input=Union(inputs=tuple(branches), all=False, span=part.span), span=part.span)
