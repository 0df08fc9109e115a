"""Rule: a joined relation does not repeat a test that its match has passed already."""

from __future__ import annotations

from piql.compiler.logical.operators import LogicalNode
from piql.compiler.optimizer.analysis.region import Leg, map_regions, read_region, write_region
from piql.compiler.optimizer.joins.joining import Joining
from piql.compiler.optimizer.rule import RuleContext


def drop_implied_predicates(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Drop a filter of a joined relation when a relation joined before passed the same test on an equal column.

        Join t.owner = s.target                 Join t.owner = s.target
          Selection s.target = [me]      →        Selection s.target = [me]
            Relation s                              Relation s
          Selection t.owner = [me]                Relation t
            Relation t

    A stop may pass a join only if no filter stands on the joined relation. Needs the final join order.
    """

    def drop(node: LogicalNode) -> LogicalNode:
        region = read_region(node)
        if len(region.legs) < 2:
            return node
        joining = Joining(region)
        legs: list[Leg] = []
        for leg in region.legs:
            filters = joining.filters(leg, legs)
            if len(filters) < len(leg.filters):
                context.note(f"{' '.join(sorted(leg.relations))} need not repeat the tests of its match")
            legs.append(leg if filters == leg.filters else leg._replace(filters=filters))
        conditions = joining.in_order(region.legs)
        are_same = conditions == region.conditions or set(conditions) == set(region.conditions)
        if not are_same:
            context.note("each equality is tested once")
        if are_same and tuple(legs) == region.legs:
            return node
        return write_region(region._replace(legs=tuple(legs), conditions=conditions))

    return map_regions(plan, drop)
