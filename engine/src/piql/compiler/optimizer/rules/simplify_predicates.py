"""Rule: predicates are brought into the forms that an index can serve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from piql.compiler.logical.expressions import (
    And,
    ColumnRef,
    Comparison,
    ComparisonOperator,
    Constant,
    Exists,
    Expression,
    InList,
    InSubquery,
    IsNull,
    Not,
    Or,
    Parameter,
    TokenMatch,
    conjuncts,
)
from piql.compiler.logical.operators import Join, LogicalNode, Selection, map_inputs
from piql.compiler.optimizer.analysis.combine_tests import (
    combine_alternatives,
    combine_conjuncts,
    factor_out_shared,
    without_implied_branches,
)
from piql.compiler.optimizer.analysis.decided_tests import decide
from piql.compiler.optimizer.analysis.empty_queries import is_empty
from piql.compiler.optimizer.analysis.literal_tests import narrow_literal_tests
from piql.compiler.optimizer.analysis.predicates import (
    MIRRORED,
    are_given,
    conjunction,
    holds_subquery,
    is_given,
    key_of,
)
from piql.compiler.optimizer.rule import RuleContext
from piql.schema.catalog import Kind, SqlType
from piql.trees.node import Node

NEGATED: dict[ComparisonOperator, ComparisonOperator] = {
    "=": "<>",
    "<>": "=",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
}
_BOOLEAN = SqlType(Kind.BOOLEAN)
_PLACE = Constant(value=None, type=SqlType(Kind.NULL))  # where a child stands whose meaning is kept apart


def simplify_predicates(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Push NOT inwards, turn `a = 1 OR a = 2` into IN, and join searches of one word in several columns.

        Selection NOT s.muted AND (s.kind = 1 OR s.kind = 2)    →    Selection s.muted = FALSE AND s.kind IN (1, 2)

    A changed test keeps the same rows. Tests of constants alone are decided: one that is always true is left out, and
    one that is never true makes its whole AND false. So do tests of one column by literals which no value passes, and
    an EXISTS or IN whose subquery has such a test. A test that every branch of an OR contains is moved out of the OR.
    """

    is_nested = holds_subquery(plan)  # then predicates hold plans, which are simplified, too

    def visit(node: Node) -> Node:
        changed = node.map_children(visit) if is_nested else map_inputs(cast("LogicalNode", node), inside)
        match changed:
            case Selection():
                predicate = simplified(changed.predicate)
                if predicate is None:
                    return changed.input
                if predicate == changed.predicate:
                    return changed
                context.note("the tests are rewritten into forms that an index can serve")
                return replace(changed, predicate=predicate)
            case Join(condition=condition) if condition is not None:
                predicate = simplified(condition)
                if predicate == condition:
                    return changed
                context.note("the tests are rewritten into forms that an index can serve")
                return replace(changed, condition=predicate)
            case Exists(query=query) | InSubquery(query=query) if is_empty(query):
                return Constant(value=False, type=_BOOLEAN, span=changed.span)
            case _:
                return changed

    def inside(node: LogicalNode) -> LogicalNode:
        return cast("LogicalNode", visit(node))

    return inside(plan)


def simplified(predicate: Expression) -> Expression | None:
    """Return a predicate in its simplest form; None when it is always true."""
    parts: dict[object, Expression] = {}
    for part in conjuncts(predicate):
        for conjunct in conjuncts(_simplify(part)):
            if not isinstance(conjunct, Constant):
                parts.setdefault(meaning_of(conjunct), conjunct)
            elif conjunct.value is not True:
                return Constant(value=False, type=_BOOLEAN, span=part.span or predicate.span)
    left = narrow_literal_tests(tuple(parts.values()))
    if left is None:
        return Constant(value=False, type=_BOOLEAN, span=predicate.span)
    return conjunction(combine_conjuncts(left, meaning_of))


def meaning_of(predicate: Node) -> object:
    """Return a value that is equal for expressions that differ only in the order of sides, operands or items."""
    match predicate:
        case ColumnRef() | Constant() | Parameter():
            return predicate
        case Comparison(operator=operator):
            left, right = meaning_of(predicate.left), meaning_of(predicate.right)
            if operator in (">", ">="):
                return MIRRORED[operator], right, left
            return (operator, left, right) if operator in ("<", "<=") else (operator, frozenset((left, right)))
        case And(operands=operands) | Or(operands=operands):
            return type(predicate), frozenset(map(meaning_of, operands))
        case Not(operand=operand):
            return Not, meaning_of(operand)
        case InList(operand=operand, items=items):
            return InList, meaning_of(operand), frozenset(map(meaning_of, items))
        case TokenMatch(columns=columns, word=word):
            return TokenMatch, frozenset(columns), word
    children = predicate.children()
    if not children:
        return predicate
    return predicate.map_children(lambda child: _PLACE), tuple(map(meaning_of, children))


def _simplify(predicate: Expression) -> Expression:
    """Return one conjunct in its simplest form; it may become a constant, an AND or an OR."""
    match predicate:
        case ColumnRef():
            return Comparison(
                operator="=", left=predicate, right=Constant(value=True, type=_BOOLEAN), span=predicate.span
            )
        case Not(operand=operand):
            return _negated(operand, predicate)
        case Comparison() | IsNull():
            return decide(predicate)
        case And():
            simple = simplified(predicate)
            if simple is None:
                return Constant(value=True, type=_BOOLEAN, span=predicate.span)
            return simple if simple.span is not None else replace(simple, span=predicate.span)
        case Or():
            return _simplify_or(predicate)
        case InList(operand=operand, items=items):
            different = tuple(dict.fromkeys(items))
            if isinstance(operand, Constant | Parameter) and any(
                isinstance(expression, ColumnRef) for expression in different
            ):
                tests = (
                    Comparison(operator="=", left=expression, right=operand, span=expression.span)
                    for expression in different
                )
                return _simplify_or(Or(operands=tuple(tests), span=predicate.span))
            match different:
                case (Parameter(max_items=int()),):
                    return predicate
                case (item,):
                    return decide(Comparison(operator="=", left=operand, right=item, span=predicate.span))
            return predicate if len(different) == len(items) else replace(predicate, items=different)
        case _:
            return predicate


def _negated(operand: Expression, whole: Not) -> Expression:
    """Return NOT `operand` with the NOT as far inside as possible; `whole` is that NOT as written."""
    match operand:
        case IsNull() | Constant():
            test = decide(operand)
            if not isinstance(test, Constant):
                return whole
            return test if test.value is None else replace(test, value=not test.value)
        case ColumnRef():
            return Comparison(operator="=", left=operand, right=Constant(value=False, type=_BOOLEAN), span=whole.span)
        case Comparison():
            return decide(replace(operand, operator=NEGATED[operand.operator], span=whole.span))
        case Not(operand=inner):
            return _simplify(inner)
        case And(operands=operands):
            return _simplify(
                Or(
                    operands=tuple(Not(operand=expression, span=expression.span) for expression in operands),
                    span=whole.span,
                )
            )
        case Or(operands=operands):
            return And(
                operands=tuple(_simplify(Not(operand=expression, span=expression.span)) for expression in operands),
                span=whole.span,
            )
        case _:
            return whole


def _simplify_or(predicate: Or) -> Expression:
    """Flatten an OR, and merge its branches: a range with its end, equalities on one column, searches for one word.

    What every branch asks is asked once: a = 1 AND b = 2 OR a = 1 AND b = 3 → a = 1 AND b IN (2, 3).
    """
    parts: list[Expression] = []
    for operand in predicate.operands:
        simple = _simplify(operand)
        if not isinstance(simple, Constant):
            parts.extend(simple.operands if isinstance(simple, Or) else (simple,))
        elif simple.value is True:
            return simple
    if not parts:
        return Constant(value=False, type=_BOOLEAN, span=predicate.span)
    merged: dict[object, list[Expression]] = {}
    for part in combine_alternatives(parts):
        merged.setdefault(_merge_key(part), []).append(part)
    operands = without_implied_branches(
        tuple(_merged_branch(group, predicate) for group in merged.values()), meaning_of
    )
    if len(operands) == 1:
        return operands[0]
    listed = _list_of_columns(operands, predicate)
    if listed is not None:
        return listed
    shared, rests = factor_out_shared(operands, meaning_of)
    if not shared:
        return Or(operands=operands, span=predicate.span)
    remainder = _simplify_or(Or(operands=rests, span=predicate.span))
    return And(operands=(*shared, *conjuncts(remainder)), span=predicate.span)


def _list_of_columns(operands: Sequence[Expression], whole: Or) -> InList | None:
    """Return i.id IN (l.first, l.second) for i.id = l.first OR i.id = l.second; None for branches of other kinds."""
    sides: list[frozenset[ColumnRef]] = []
    for operand in operands:
        match operand:
            case Comparison(operator="=", left=ColumnRef() as left, right=ColumnRef() as right):
                sides.append(frozenset((left, right)))
            case _:
                return None
    same = frozenset.intersection(*sides)
    if len(same) != 1:
        return None
    (column,) = same
    items = tuple(next(iter(pair - same)) for pair in sides if len(pair) == 2)
    if len(items) < len(sides) or any(item.relation == column.relation for item in items):
        return None
    return InList(operand=column, items=items, span=whole.span)


def _merge_key(part: Expression) -> object:
    """Return a value that is equal for parts of an OR that merge: their column, or their word."""
    choices = _choices(part)
    if choices is not None:
        return key_of(choices[0])
    if isinstance(part, TokenMatch):
        return part.word, part.columns[0].relation
    return part


def _merged_branch(parts: list[Expression], whole: Or) -> Expression:
    """Return one branch that stands for branches of an OR with one `_merge_key`; `whole` is that OR, for its span."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if isinstance(first, TokenMatch):
        columns = dict.fromkeys(column for part in parts if isinstance(part, TokenMatch) for column in part.columns)
        return TokenMatch(columns=tuple(columns), word=first.word, span=whole.span)
    choices = [choice for part in parts if (choice := _choices(part)) is not None]
    if not choices:  # the same test again and again
        return first
    items = tuple(dict.fromkeys(item for _, values in choices for item in values))
    return _simplify(InList(operand=choices[0][0], items=items, span=whole.span))


def _choices(predicate: Expression) -> tuple[ColumnRef, tuple[Expression, ...]] | None:
    """Return the column and its values of `column = value` or of an IN list."""
    match predicate:
        case Comparison(operator="=", left=ColumnRef() as column, right=value) if is_given(value):
            return column, (value,)
        case Comparison(operator="=", left=value, right=ColumnRef() as column) if is_given(value):
            return column, (value,)
        case InList(operand=ColumnRef() as column, items=items) if are_given(items):
            return column, items
        case _:
            return None
