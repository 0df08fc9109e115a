"""Small questions about one predicate: which relations it reads, whether it holds a subquery, what it equates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from piql.compiler.logical.expressions import (
    Aggregate,
    And,
    ColumnRef,
    Comparison,
    ComparisonOperator,
    Constant,
    Exists,
    Expression,
    InList,
    InSubquery,
    Or,
    Parameter,
    ScalarSubquery,
    conjuncts,
)
from piql.schema.catalog import SqlType
from piql.schema.types import NUMBERS, TEXTS, WHOLE
from piql.trees.node import Node, kinds_of

ColumnKey = tuple[str, str]  # relation, column

MIRRORED: dict[ComparisonOperator, ComparisonOperator] = {
    "=": "=",
    "<>": "<>",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
}
_LEAVES = (ColumnRef, Constant, Parameter)  # expressions without another one inside
_VALUES = frozenset((Constant, Parameter))
_SUBQUERIES = frozenset((Exists, InSubquery, ScalarSubquery))
_OF_ROWS = (ColumnRef, Aggregate, Exists, InSubquery, ScalarSubquery)


def key_of(column: ColumnRef) -> ColumnKey:
    """Return a column's relation and name, without its type."""
    return (column.relation, column.name)


def relations_of(expression: Node) -> frozenset[str]:
    """Return the relations whose columns an expression reads."""
    match expression:
        case ColumnRef():
            return frozenset((expression.relation,))
        case Comparison(left=ColumnRef() as left, right=ColumnRef() as right):
            return frozenset((left.relation, right.relation))
        case Comparison(left=ColumnRef() as left, right=Constant() | Parameter()):
            return frozenset((left.relation,))
        case InList(operand=ColumnRef() as operand, items=items) if _are_values(items):
            return frozenset((operand.relation,))
        case And(operands=operands) | Or(operands=operands):
            return frozenset[str]().union(*map(relations_of, operands))
        case _:
            return frozenset(node.relation for node in expression.walk() if isinstance(node, ColumnRef))


def holds_subquery(plan: Node) -> bool:
    """Whether a subquery stands anywhere in a plan; the answer for the last plan is cached."""
    return not _SUBQUERIES.isdisjoint(kinds_of(plan))


def has_subquery(expression: Node) -> bool:
    """Whether an expression holds a subquery; for single tests, whose answers are not worth a cache."""
    match expression:
        case ColumnRef() | Constant() | Parameter():
            return False
        case Comparison(left=left, right=right):
            return (not isinstance(right, _LEAVES) and has_subquery(right)) or has_subquery(left)
        case And(operands=operands) | Or(operands=operands):
            return any(map(has_subquery, operands))
        case InList(operand=operand, items=items) if _are_values(items):
            return has_subquery(operand)
        case _:
            return any(isinstance(node, Exists | InSubquery | ScalarSubquery) for node in expression.walk())


def _are_values(items: tuple[Expression, ...]) -> bool:
    return _VALUES.issuperset(map(type, items))


def is_given(expression: Expression) -> bool:
    """Whether an expression has one value for all rows: a literal, a parameter, or what is computed of these alone."""
    match expression:
        case Constant() | Parameter():
            return True
        case ColumnRef():
            return False
        case _:
            return not any(isinstance(node, _OF_ROWS) or _is_list(node) for node in expression.walk())


def _is_list(node: Node) -> bool:
    """Whether a node is a parameter of several values, or of a column of such rows."""
    return isinstance(node, Parameter) and (node.max_items is not None or node.is_of_row)


def are_given(expressions: Iterable[Expression]) -> bool:
    """Whether each of some expressions has one value for all rows."""
    return all(map(is_given, expressions))


def conjunction(predicates: Iterable[Expression]) -> Expression | None:
    """Return the AND of some predicates, the only one itself, or None when there is none."""
    parts = tuple(predicates)
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else And(operands=parts)


def equated_columns(predicate: Expression) -> tuple[ColumnRef, ColumnRef] | None:
    """Return the two columns of `a.x = b.y`; None for other predicates, and where their keys in an index differ."""
    match predicate:
        case Comparison(operator="=", left=ColumnRef() as left, right=ColumnRef() as right) if is_lookup_type(
            left.type, right
        ):
            return left, right
        case _:
            return None


def is_lookup_type(column: SqlType, value: Expression) -> bool:
    """Whether a column's index may be searched for a value: equal values must have equal keys.

    A literal number may be searched for in any column of numbers: it is turned into the column's type.
    """
    kind = getattr(value, "type", None)
    if not isinstance(kind, SqlType):
        return False
    if column.kind is kind.kind or (column.kind in TEXTS and kind.kind in TEXTS):
        return True
    if column.kind in WHOLE and kind.kind in WHOLE:
        return True
    return isinstance(value, Constant) and column.kind in NUMBERS and kind.kind in NUMBERS


def are_alike(left: SqlType, right: SqlType) -> bool:
    """Whether equal values of two types are the same value: both are texts of any length, or of one kind."""
    return left.kind is right.kind or (left.kind in TEXTS and right.kind in TEXTS)


def may_stand_for(value: Expression, column: ColumnRef) -> bool:
    """Whether an expression has one value for all rows, of the type of a column that equals it."""
    kind = getattr(value, "type", None)
    return isinstance(kind, SqlType) and are_alike(kind, column.type) and is_given(value)


def replace_columns(expression: Expression, by: Mapping[ColumnKey, Expression]) -> Expression:
    """Replace the columns of an expression that are keys of `by`."""

    def change(node: Node) -> Node:
        return by.get(key_of(node), node) if isinstance(node, ColumnRef) else node

    return expression.transform_up(change)  # type: ignore[return-value]


def all_conjuncts(predicates: Iterable[Expression | None]) -> tuple[Expression, ...]:
    """Return the conjuncts of several predicates in order; None stands for no predicate."""
    return tuple(part for predicate in predicates if predicate is not None for part in conjuncts(predicate))
