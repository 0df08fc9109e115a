"""Rule: a derived table that only selects and renames is part of the query around it."""

from __future__ import annotations

from piql.compiler.logical.expressions import ColumnRef, Expression
from piql.compiler.logical.operators import Derived, Join, LogicalNode, Projection, Relation, Selection, Sort
from piql.compiler.optimizer.analysis.predicates import ColumnKey, has_subquery, key_of
from piql.compiler.optimizer.analysis.region import is_region
from piql.compiler.optimizer.rule import RuleContext
from piql.trees.node import Node, kinds_of


def merge_derived(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Replace a derived table by its relations, and its column names by the expressions that they stand for.

        Selection d.who = [me]                           Selection s.owner = [me]
          Derived d                               →        Selection s.approved = TRUE
            Projection s.owner AS who                        Relation s
              Selection s.approved = TRUE
                Relation s

    One with LIMIT, DISTINCT or groups is read on its own. On the right of a LEFT JOIN only a single relation whose
    columns are handed on unchanged can be merged: a computed column would not be NULL where there is no match.
    """
    if Derived not in kinds_of(plan):
        return plan
    meanings: dict[ColumnKey, Expression] = {}

    def merge(node: Node) -> Node:
        below = node.map_children(lambda child: child if isinstance(child, Derived) else merge(child))
        is_left = isinstance(node, Join) and node.kind == "left"
        optional = node.right if isinstance(node, Join) and is_left else None

        def substitute(child: Node) -> Node:
            if not isinstance(child, Derived):
                return child
            inside = child.map_children(merge)
            inner = _merged(inside, meanings, is_optional=child is optional)
            return inside if inner is None else inner

        return below.map_children(substitute)

    merged = merge(plan)
    if not meanings:
        return plan

    def with_meaning(node: Node) -> Node:  # a column may stand for a column of another merged table
        while isinstance(node, ColumnRef) and key_of(node) in meanings:
            meaning = meanings[key_of(node)]
            node = meaning if isinstance(meaning, ColumnRef) else meaning.transform_up(with_meaning)
        return node

    context.note("a derived table that only selects is read as part of the query")
    return merged.transform_up(with_meaning)  # type: ignore[return-value]


def _merged(derived: Derived, meanings: dict[ColumnKey, Expression], *, is_optional: bool) -> LogicalNode | None:
    """Return what replaces a derived table, and add its columns to `meanings`; None where it must stay."""
    match derived.input:
        case Projection(outputs=outputs, input=below):
            pass
        case _:
            return None
    if isinstance(below, Sort):  # without a LIMIT an order inside means nothing
        below = below.input
    if not is_region(below):
        return None
    if is_optional:
        leg = below
        while isinstance(leg, Selection) and not has_subquery(leg.predicate):
            leg = leg.input
        if not isinstance(leg, Relation) or not all(isinstance(output.expression, ColumnRef) for output in outputs):
            return None
    meanings.update({(derived.alias, output.name): output.expression for output in outputs})
    return below
