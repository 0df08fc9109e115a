"""Rule: predicates are brought into the forms that an index can serve."""

from __future__ import annotations

from dataclasses import replace

from piql.catalog import Kind, SqlType
from piql.logical.expressions import (
    And,
    ColumnRef,
    Comparison,
    ComparisonOperator,
    Constant,
    Expression,
    InList,
    Not,
    Or,
    Parameter,
    TokenMatch,
    conjuncts,
)
from piql.logical.operators import Join, LogicalNode, Selection
from piql.node import Node
from piql.optimizer.predicates import conjunction, key_of
from piql.optimizer.rule import RuleContext

NEGATED: dict[ComparisonOperator, ComparisonOperator] = {
    "=": "<>",
    "<>": "=",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
}
_BOOLEAN = SqlType(Kind.BOOLEAN)


def simplify_predicates(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Push NOT inwards, make `a = 1 OR a = 2` an IN list, and a word looked for in several columns one search.

        Selection NOT s.muted AND (s.kind = 1 OR s.kind = 2)    →    Selection s.muted = FALSE AND s.kind IN (1, 2)

    Each form has the same truth value, NULLs included.
    """

    def visit(node: Node) -> Node:
        changed = node.map_children(visit)
        match changed:
            case Selection():
                predicate = simplified(changed.predicate)
                if predicate is None:
                    return changed.input
                return changed if predicate == changed.predicate else replace(changed, predicate=predicate)
            case Join(condition=condition) if condition is not None:
                predicate = simplified(condition)
                return changed if predicate == condition else replace(changed, condition=predicate)
            case _:
                return changed

    return visit(plan)  # type: ignore[return-value]


def simplified(predicate: Expression) -> Expression | None:
    """Give a predicate in its simplest form; None when it is always true."""
    parts: list[Expression] = []
    for part in conjuncts(predicate):
        for each in conjuncts(_simplify(part)):
            if not (isinstance(each, Constant) and each.value is True) and each not in parts:
                parts.append(each)
    return conjunction(parts)


def _simplify(predicate: Expression) -> Expression:
    match predicate:
        case ColumnRef():
            return Comparison(
                operator="=", left=predicate, right=Constant(value=True, type=_BOOLEAN), span=predicate.span
            )
        case Not(operand=operand):
            return _negated(operand, predicate)
        case And(operands=operands):
            return And(operands=tuple(_simplify(each) for each in operands), span=predicate.span)
        case Or():
            return _simplify_or(predicate)
        case InList(operand=operand, items=(item,)) if not (isinstance(item, Parameter) and item.max_items is not None):
            return Comparison(operator="=", left=operand, right=item, span=predicate.span)
        case _:
            return predicate


def _negated(operand: Expression, whole: Not) -> Expression:
    match operand:
        case ColumnRef():
            return Comparison(operator="=", left=operand, right=Constant(value=False, type=_BOOLEAN), span=whole.span)
        case Comparison():
            return replace(operand, operator=NEGATED[operand.operator], span=whole.span)
        case Not(operand=inner):
            return _simplify(inner)
        case And(operands=operands):
            return _simplify(
                Or(operands=tuple(Not(operand=each, span=each.span) for each in operands), span=whole.span)
            )
        case Or(operands=operands):
            return And(
                operands=tuple(_simplify(Not(operand=each, span=each.span)) for each in operands), span=whole.span
            )
        case _:
            return whole


def _simplify_or(predicate: Or) -> Expression:
    """Flatten an OR; equalities on one column become an IN list, searches for one word one search."""
    parts: list[Expression] = []
    for operand in predicate.operands:
        simple = _simplify(operand)
        parts.extend(simple.operands if isinstance(simple, Or) else (simple,))
    merged: list[Expression] = []
    for part in parts:
        for at, other in enumerate(merged):
            both = _merged(other, part, predicate)
            if both is not None:
                merged[at] = both
                break
        else:
            merged.append(part)
    if len(merged) == 1:
        return merged[0]
    return Or(operands=tuple(merged), span=predicate.span)


def _merged(one: Expression, other: Expression, whole: Or) -> Expression | None:
    first, second = _choices(one), _choices(other)
    if first is not None and second is not None and key_of(first[0]) == key_of(second[0]):
        items = first[1] + tuple(each for each in second[1] if each not in first[1])
        return InList(operand=first[0], items=items, span=whole.span)
    if isinstance(one, TokenMatch) and isinstance(other, TokenMatch):
        same_relation = one.columns[0].relation == other.columns[0].relation
        if one.word == other.word and same_relation:
            columns = one.columns + tuple(each for each in other.columns if each not in one.columns)
            return TokenMatch(columns=columns, word=one.word, span=whole.span)
    return None


def _choices(predicate: Expression) -> tuple[ColumnRef, tuple[Expression, ...]] | None:
    """Give the column and its values of `column = value` or of an IN list."""
    match predicate:
        case Comparison(operator="=", left=ColumnRef() as column, right=Constant() | Parameter() as value):
            return column, (value,)
        case Comparison(operator="=", left=Constant() | Parameter() as value, right=ColumnRef() as column):
            return column, (value,)
        case InList(operand=ColumnRef() as column, items=items) if all(
            isinstance(item, Constant | Parameter) for item in items
        ):
            return column, items
        case _:
            return None
