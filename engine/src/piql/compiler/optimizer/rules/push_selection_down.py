"""Rule: every predicate is tested as early as it can be."""

from __future__ import annotations

from piql.compiler.logical.operators import LogicalNode
from piql.compiler.optimizer.analysis.region import map_regions, read_region, write_region
from piql.compiler.optimizer.rule import RuleContext


def push_selection_down(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Move each test of a selection to the relation that it is about.

        Selection s.owner = [me] AND t.owner = s.target          Join t.owner = s.target
          Join                                             →       Selection s.owner = [me]
            Relation s                                               Relation s
            Relation t                                             Relation t

    A predicate on a relation joined by LEFT JOIN stays above that join, where it also drops rows without a match;
    one in its ON that speaks of the right side alone moves to the right side.
    """

    def push(region: LogicalNode) -> LogicalNode:
        pushed = write_region(read_region(region))
        if pushed == region:
            return region
        context.note("each test moves to the relation that it is about")
        return pushed

    return map_regions(plan, push)
