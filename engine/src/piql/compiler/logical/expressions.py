"""Bound expressions: names are resolved to columns of a relation, every value has a type.

Data only. `binding` makes these nodes from the syntax tree, the optimizer rewrites them, the executor evaluates them.
An expression without a field `type` is a test, so a BOOLEAN. Equality ignores the span.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from piql.schema.catalog import SqlType, Supply
from piql.text.source import Span
from piql.trees.node import Node

if TYPE_CHECKING:
    from piql.compiler.logical.operators import LogicalNode

ComparisonOperator = Literal["=", "<>", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Expression(Node):
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRef(_Expression):
    """A column of the relation with the alias `relation`."""

    relation: str
    name: str
    type: SqlType
    nullable: bool = field(default=False, compare=False)  # it is declared so, or an outer join may leave it empty

    def __hash__(self) -> int:
        return hash((self.relation, self.name))  # hashed often; a column has one type


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant(_Expression):
    """A literal, as a Python value of the engine (see `piql.schema.values`); NULL is None."""

    value: object
    type: SqlType


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter(_Expression):
    """A query parameter; `max_items` is set for a list parameter (`IN [2: friends] MAX 50`).

    One that is `supplied` is given by the execution itself, and not by its caller: the time at which it began, or a
    new id. No parameter of a text has its name, which ends with a parenthesis or a number.

    With `is_of_row` it is a column of each row that a list parameter gives: `rows.town`. With `is_read` it is the value
    of a subquery in the VALUES of an INSERT, which is read first.
    """

    name: str
    type: SqlType
    max_items: int | None = None
    supplied: Supply | None = None
    is_of_row: bool = False
    is_read: bool = False
    max_spans: tuple[Span, ...] = field(default=(), compare=False, repr=False)  # the number of MAX, wherever it stands


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(_Expression):
    operator: ComparisonOperator
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class And(_Expression):
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Or(_Expression):
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Not(_Expression):
    operand: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class IsNull(_Expression):
    operand: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class InList(_Expression):
    """`operand IN (items)`; one item that is a list `Parameter` stands for all its values."""

    operand: Expression
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InSubquery(_Expression):
    """`operand IN (SELECT one column …)`; with `more`, a row of values among rows of as many columns."""

    operand: Expression
    query: LogicalNode
    more: tuple[Expression, ...] = ()

    @property
    def values(self) -> tuple[Expression, ...]:
        """The values that are compared, one for each column of the subquery."""
        return (self.operand, *self.more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exists(_Expression):
    """`EXISTS (SELECT …)`; the subquery may refer to columns of the outer query."""

    query: LogicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarSubquery(_Expression):
    """`(SELECT one column …)` as a value: that of its only row, or NULL without one."""

    query: LogicalNode
    type: SqlType


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenMatch(_Expression):
    """True when one of `columns` holds `word` as a whole word, in any case (`LIKE [word]`, `CONTAINS`)."""

    columns: tuple[ColumnRef, ...]
    word: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic(_Expression):
    operator: Literal["+", "-", "*", "/", "%", "||"]
    left: Expression
    right: Expression
    type: SqlType


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCall(_Expression):
    """A call of one of the scalar functions in `binding/functions.py`, or of those that the optimizer adds.

    Unary minus is NEGATE. IF_FOUND(value, key) is the value where a left join matched a row, which has a key.
    HIGHER_END and LOWER_END give the end of two ranges together, NULL where one of them is. NEXT and PREVIOUS are the
    whole numbers beside one; these may lie outside of BIGINT, where no row is.
    """

    name: str
    arguments: tuple[Expression, ...]
    type: SqlType


@dataclass(frozen=True, slots=True, kw_only=True)
class Case(_Expression):
    """The value beside the first of `tests` that is true, else `otherwise`; there are as many values as tests."""

    tests: tuple[Expression, ...]
    values: tuple[Expression, ...]
    otherwise: Expression
    type: SqlType


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate(_Expression):
    """COUNT, SUM, AVG, MIN, MAX, ARRAY_AGG or STRING_AGG over a group; `operand` is None for COUNT(*).

    The last two take the values in the order of `order`, then in their own; `ascending` has the direction of each.
    """

    function: Literal["COUNT", "SUM", "AVG", "MIN", "MAX", "ARRAY_AGG", "STRING_AGG"]
    operand: Expression | None
    distinct: bool
    type: SqlType
    separator: str = ""  # of STRING_AGG
    order: tuple[Expression, ...] = ()
    ascending: tuple[bool, ...] = ()


Expression: TypeAlias = (
    ColumnRef
    | Constant
    | Parameter
    | Comparison
    | And
    | Or
    | Not
    | IsNull
    | InList
    | InSubquery
    | Exists
    | ScalarSubquery
    | TokenMatch
    | Arithmetic
    | FunctionCall
    | Case
    | Aggregate
)


_PLAIN = frozenset((ColumnRef, Constant, Parameter))


def conjuncts(predicate: Expression) -> tuple[Expression, ...]:
    """Return the operands of nested ANDs, or the predicate itself in a tuple."""
    if isinstance(predicate, And):
        return tuple(part for operand in predicate.operands for part in conjuncts(operand))
    return (predicate,)


def columns_in(expression: Node) -> Iterable[ColumnRef]:
    """Return the columns that an expression reads, repeated as often as they occur; `columns_of` gives the set."""
    match expression:
        case ColumnRef():
            return (expression,)
        case Comparison(left=left, right=right) if type(left) in _PLAIN and type(right) in _PLAIN:
            return [column for column in (left, right) if isinstance(column, ColumnRef)]
        case _:
            return (node for node in expression.walk() if isinstance(node, ColumnRef))


def columns_of(expression: Node) -> frozenset[ColumnRef]:
    """Return the set of columns that an expression reads."""
    return frozenset(expression.find(ColumnRef))
