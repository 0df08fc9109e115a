"""Rule: rows that differ anyway need not be held against each other."""

from __future__ import annotations

from collections.abc import Iterable

from piql.logical.expressions import Expression
from piql.logical.operators import Distinct, GroupBy, LogicalNode, Projection, Sort, map_inputs
from piql.node import kinds_of
from piql.optimizer.complete_order import Determined
from piql.optimizer.region import is_region, read_region
from piql.optimizer.rule import RuleContext


def drop_distinct(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Leave out a DISTINCT, or a GROUP BY without aggregates, whose rows differ anyway.

        Distinct                               Projection t.posted
          Projection t.posted            →       Selection t.owner = [me]
            Selection t.owner = [me]               Relation t               (its key is owner, posted)
              Relation t

    So a stop may pass. Rows differ where what is given of one determines a row of each relation joined. Comes before
    `merge_derived`, which takes no derived table with DISTINCT.
    """
    if kinds_of(plan).isdisjoint((Distinct, GroupBy)):
        return plan

    def visit(node: LogicalNode) -> LogicalNode:
        changed = map_inputs(node, visit)
        match changed:
            case Distinct(input=Projection(outputs=outputs, input=below) as projection) if do_rows_differ(
                below, (each.expression for each in outputs)
            ):
                context.note("the rows differ anyway, so DISTINCT drops none")
                return projection
            case GroupBy(keys=keys, aggregates=(), summed=(), input=below) if keys and do_rows_differ(below, keys):
                context.note("each group is one row")
                return below
            case _:
                return changed

    return visit(plan)


def do_rows_differ(below: LogicalNode, given: Iterable[Expression]) -> bool:
    """Whether what is given of a row of a join determines the keys of all its relations."""
    if isinstance(below, Sort):
        below = below.input
    if not is_region(below):
        return False
    region = read_region(below)
    relations = [leg.relation for leg in region.legs]
    if any(each is None for each in relations):
        return False
    known = Determined(region)
    for each in given:
        known.add(each)
    return all(all(map(known.holds, each.columns(each.table.primary_key))) for each in relations if each is not None)
