"""Rule: what holds for a column holds for every column equal to it."""

from __future__ import annotations

from piql.logical.expressions import (
    ColumnRef,
    Comparison,
    Constant,
    Expression,
    InList,
    Parameter,
)
from piql.logical.operators import LogicalNode
from piql.node import replace
from piql.optimizer.equalities import Equalities
from piql.optimizer.predicates import key_of, replace_columns
from piql.optimizer.region import map_regions, read_region, write_region
from piql.optimizer.rule import RuleContext


def spread_equalities(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Copy comparisons with a value to the columns that must be equal.

        Join t.owner = s.target               Join t.owner = s.target
          Selection s.target = [me]    →        Selection s.target = [me]
            Relation s                            Relation s
          Relation t                            Selection t.owner = [me]
                                                  Relation t

    Two columns of one relation may be equal, too. Needs predicates where `push_selection_down` left them. Only inner
    joins count: the columns of a left-joined relation are NULL where it has no match.
    """

    def spread(node: LogicalNode) -> LogicalNode:
        region = read_region(node)
        classes = Equalities((*region.conditions, *(each for leg in region.legs for each in leg.filters)))
        if not classes.classes():
            return node
        home = {relation: at for at, leg in enumerate(region.legs) for relation in leg.relations}
        legs = list(region.legs)
        for leg in region.legs:
            if leg.kind == "left":
                continue
            for predicate in leg.filters:
                column = compared_column(predicate)
                if column is None:
                    continue
                for other in classes.equal_to(column)[1:]:
                    at = home.get(other.relation)
                    if at is None or legs[at].kind == "left":
                        continue
                    copy = replace_columns(predicate, {key_of(column): other})
                    if copy not in legs[at].filters:
                        legs[at] = replace(legs[at], filters=(*legs[at].filters, copy))
                        context.note(
                            f"{other.relation}.{other.name} equals {column.relation}.{column.name}, "
                            "so what is asked of one holds for the other"
                        )
        if tuple(legs) == region.legs:
            return node
        return write_region(replace(region, legs=tuple(legs)))

    return map_regions(plan, spread)


def compared_column(predicate: Expression) -> ColumnRef | None:
    """Give the column of `column = value`, of a range on it, or of `column IN (values)`."""
    match predicate:
        case Comparison(operator=operator, left=ColumnRef() as column, right=Constant() | Parameter()) if (
            operator != "<>"
        ):
            return column
        case Comparison(operator=operator, left=Constant() | Parameter(), right=ColumnRef() as column) if (
            operator != "<>"
        ):
            return column
        case InList(operand=ColumnRef() as column, items=items) if all(
            isinstance(item, Constant | Parameter) for item in items
        ):
            return column
        case _:
            return None
