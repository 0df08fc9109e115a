"""Rule: what the rows joined so far already satisfy is not asked again."""

from __future__ import annotations

from dataclasses import replace

from piql.logical.expressions import Expression
from piql.logical.operators import LogicalNode
from piql.optimizer.equalities import Equalities
from piql.optimizer.predicates import key_of, relations_of, replace_columns
from piql.optimizer.region import Leg, map_regions, read_region, write_region
from piql.optimizer.rule import RuleContext
from piql.optimizer.spread_equalities import compared_column


def drop_implied_predicates(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Drop a filter of a joined relation when a relation joined before passed the same test on an equal column.

        Join t.owner = s.target                 Join t.owner = s.target
          Selection s.target = [me]      →        Selection s.target = [me]
            Relation s                              Relation s
          Selection t.owner = [me]                Relation t
            Relation t

    Needs the join order. A filter less on a joined relation lets a stop pass the join.
    """

    def drop(node: LogicalNode) -> LogicalNode:
        region = read_region(node)
        if len(region.legs) < 2:
            return node
        legs: list[Leg] = [region.legs[0]]
        joined = region.legs[0].relations
        for leg in region.legs[1:]:
            joined = joined | leg.relations
            kept = leg.filters
            if leg.kind == "inner" and leg.filters:
                known = Equalities(each for each in region.conditions if relations_of(each) <= joined)
                kept = tuple(each for each in leg.filters if not _is_implied(each, legs, known))
                if len(kept) < len(leg.filters):
                    context.note(
                        f"{' '.join(sorted(leg.relations))} need not be tested for what its match was tested for"
                    )
            legs.append(leg if kept == leg.filters else replace(leg, filters=kept))
        return node if tuple(legs) == region.legs else write_region(replace(region, legs=tuple(legs)))

    return map_regions(plan, drop)


def _is_implied(predicate: Expression, before: list[Leg], known: Equalities) -> bool:
    column = compared_column(predicate)
    if column is None:
        return False
    for other in known.equal_to(column)[1:]:
        for leg in before:
            if other.relation in leg.relations and leg.kind == "inner":
                return replace_columns(predicate, {key_of(column): other}) in leg.filters
    return False
