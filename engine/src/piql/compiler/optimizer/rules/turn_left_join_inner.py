"""Rule: a LEFT JOIN whose padded rows would be dropped anyway is an inner join."""

from __future__ import annotations

from piql.compiler.logical.expressions import (
    ColumnRef,
    Comparison,
    Expression,
    InList,
    IsNull,
    Not,
    TokenMatch,
)
from piql.compiler.logical.operators import Join, LogicalNode, operators
from piql.compiler.optimizer.analysis.nulls import is_null_with
from piql.compiler.optimizer.analysis.region import Leg, Region, map_regions, read_region, write_region
from piql.compiler.optimizer.rule import RuleContext


def turn_left_join_inner(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Turn a left join into an inner join if a test above it drops rows without a match.

        Selection p.town = 'x'                   Join p.id = u.id
          Left join p.id = u.id          →         Relation u
            Relation u                             Selection p.town = 'x'
            Relation p                               Relation p

    A test that only asks whether there is a match (`p.id IS NOT NULL`) is left out: every row has one then.
    """
    if not any(isinstance(node, Join) and node.kind == "left" for node in operators(plan)):
        return plan

    def turn(node: LogicalNode) -> LogicalNode:
        region = read_region(node)
        turned = _turn(region, context)
        return node if turned is region else write_region(turned)

    return map_regions(plan, turn)


def _turn(region: Region, context: RuleContext) -> Region:
    """Return a region with all left joins turned that can be; the same object where none can."""
    for at, leg in enumerate(region.legs):
        if (
            leg.kind == "left"
            and not leg.first
            and any(_rejects_null(expression, leg.relations) for expression in region.above)
        ):
            context.note(f"{' '.join(sorted(leg.relations))} must have a match to pass the WHERE")
            inner = leg._replace(kind="inner", on=())
            legs = (*region.legs[:at], inner, *region.legs[at + 1 :])
            above = tuple(expression for expression in region.above if not _asks_for_match(expression, leg))
            # Written and read again: the ON and the predicates above are now those of an inner join, and may move down.
            reread = read_region(
                write_region(region._replace(legs=legs, conditions=(*region.conditions, *leg.on), above=above))
            )
            return _turn(reread, context)
    return region


def _asks_for_match(predicate: Expression, leg: Leg) -> bool:
    """Whether a predicate only tests that there is a match: IS NOT NULL of a column declared NOT NULL."""
    match predicate:
        case Not(operand=IsNull(operand=ColumnRef(relation=relation, name=name))) if relation in leg.relations:
            column = leg.relation.table.column(name) if leg.relation is not None else None
            return column is not None and not column.nullable
        case _:
            return False


def _rejects_null(predicate: Expression, relations: frozenset[str]) -> bool:
    """Whether a predicate is not true when all columns of these relations are NULL."""
    match predicate:
        case Comparison(left=left, right=right):
            return is_null_with(left, relations) or is_null_with(right, relations)
        case InList(operand=operand):
            return is_null_with(operand, relations)
        case TokenMatch(columns=columns):
            return all(column.relation in relations for column in columns)
        case Not(operand=IsNull(operand=operand)):
            return is_null_with(operand, relations)
        case _:
            return False
