"""Rule: DISTINCT over rows that differ anyway is left out."""

from __future__ import annotations

from collections.abc import Iterable

from piql.compiler.binding.outputs import output_columns
from piql.compiler.logical.expressions import ColumnRef, Expression
from piql.compiler.logical.operators import (
    Derived,
    Distinct,
    GroupBy,
    LogicalNode,
    Projection,
    Relation,
    Sort,
    map_inputs,
)
from piql.compiler.optimizer.analysis.region import is_region, read_region
from piql.compiler.optimizer.rule import RuleContext
from piql.compiler.optimizer.rules.complete_order import Determined
from piql.trees.node import kinds_of


def drop_distinct(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Leave out a DISTINCT, or a GROUP BY without aggregates, whose rows differ anyway.

        Distinct                               Projection t.posted
          Projection t.posted            →       Selection t.owner = [me]
            Selection t.owner = [me]               Relation t               (its key is owner, posted)
              Relation t

    Without DISTINCT a stop may move further down. Rows differ if their columns determine one row of each joined
    relation. Comes before `merge_derived`, which takes no derived table with DISTINCT.
    """
    if kinds_of(plan).isdisjoint((Distinct, GroupBy)):
        return plan

    def visit(node: LogicalNode) -> LogicalNode:
        changed = map_inputs(node, visit)
        match changed:
            case Distinct(input=Projection(outputs=outputs, input=below) as projection) if do_rows_differ(
                below, (output.expression for output in outputs)
            ):
                context.note("the rows differ anyway, so DISTINCT drops none")
                return projection
            case GroupBy(keys=keys, aggregates=(), summed=(), input=below) if keys and do_rows_differ(below, keys):
                context.note("each group is one row")
                return below
            case _:
                return changed

    return visit(plan)


def do_rows_differ(below: LogicalNode, outputs: Iterable[Expression]) -> bool:
    """Whether some outputs of a join determine the keys of all its relations, so that no two rows are equal."""
    if isinstance(below, Sort):
        below = below.input
    if not is_region(below):
        return False
    region = read_region(below)
    keys = [_key_of(leg.input) for leg in region.legs]
    if any(key is None for key in keys):
        return False
    determined = Determined(region)
    for expression in outputs:
        determined.add(expression)
    return all(map(determined.holds, (column for key in keys if key is not None for column in key)))


def _key_of(leg: LogicalNode) -> tuple[ColumnRef, ...] | None:
    """Return a key of a leg; None where none is known."""
    match leg:
        case Relation():
            return leg.columns(leg.table.primary_key)
        case Derived(alias=alias, input=Distinct() as distinct):
            return tuple(
                ColumnRef(relation=alias, name=column.name, type=column.type, nullable=column.nullable)
                for column in output_columns(distinct)
            )
        case _:
            return None
