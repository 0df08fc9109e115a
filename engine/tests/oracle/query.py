"""Queries as values: what the generator makes, the printers write and the shrinker cuts down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Literal, TypeAlias

from .values import Value, ValueType


@dataclass(frozen=True, slots=True)
class Col:
    alias: str
    name: str


@dataclass(frozen=True, slots=True)
class Const:
    value: Value
    type: ValueType


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter; `max_items` makes it a list."""

    name: str
    type: ValueType
    max_items: int | None = None


@dataclass(frozen=True, slots=True)
class Default:
    """The word DEFAULT in the place of a value of INSERT."""


@dataclass(frozen=True, slots=True)
class Row:
    """Several values, compared with as many: the operand of a Compare, an In or an InSelect, and an item of an In."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class And:
    operands: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Or:
    operands: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Not:
    operand: Expr


@dataclass(frozen=True, slots=True)
class IsNull:
    operand: Expr
    is_negated: bool


@dataclass(frozen=True, slots=True)
class In:
    """`operand IN (items)`; one list parameter among `items` stands alone."""

    operand: Expr
    items: tuple[Expr, ...]
    is_negated: bool


@dataclass(frozen=True, slots=True)
class Between:
    operand: Expr
    low: Expr
    high: Expr
    is_negated: bool


@dataclass(frozen=True, slots=True)
class Token:
    """Token search in one column."""

    operand: Col
    word: Expr
    keyword: Literal["LIKE", "CONTAINS"]


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    arguments: tuple[Expr, ...]
    of: ValueType | None = None  # the type of the number that is rounded


@dataclass(frozen=True, slots=True)
class Distinct:
    """`left IS DISTINCT FROM right`."""

    left: Expr
    right: Expr
    is_negated: bool


@dataclass(frozen=True, slots=True)
class Case:
    """`CASE WHEN test THEN value … ELSE otherwise END`; with an operand, the tests are values that it may equal."""

    branches: tuple[tuple[Expr, Expr], ...]
    otherwise: Expr | None
    operand: Expr | None = None


@dataclass(frozen=True, slots=True)
class Cast:
    """`CAST(operand AS type)`."""

    operand: Expr
    type: str


@dataclass(frozen=True, slots=True)
class Arithmetic:
    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Now:
    """CURRENT_TIMESTAMP or CURRENT_DATE, by the kind of its type."""

    kind: str


@dataclass(frozen=True, slots=True)
class DateSum:
    """`operand + INTERVAL 'count units'`; `kind` is the type of the operand. A negative count is subtracted."""

    operand: Expr
    count: int
    unit: str
    kind: str


@dataclass(frozen=True, slots=True)
class Difference:
    """`left - right` of two days or two times (`kind`), in days or milliseconds."""

    left: Expr
    right: Expr
    kind: str


@dataclass(frozen=True, slots=True)
class DatePart:
    """EXTRACT, or DATE_TRUNC (`is_truncated`), of a day or time (`kind`)."""

    word: str
    operand: Expr
    kind: str
    is_truncated: bool = False


@dataclass(frozen=True, slots=True)
class Aggregate:
    """COUNT(*) has no operand; SUM and AVG name the type of theirs."""

    function: str
    operand: Expr | None
    is_distinct: bool = False
    type: ValueType | None = None
    filter: Expr | None = None


@dataclass(frozen=True, slots=True)
class Exists:
    query: Select
    is_negated: bool


@dataclass(frozen=True, slots=True)
class InSelect:
    operand: Expr
    query: Select
    is_negated: bool


@dataclass(frozen=True, slots=True)
class ScalarSelect:
    """A subquery in the place of a value; it gives one row at most."""

    query: Select


Expr: TypeAlias = (
    "Col | Const | Param | Default | Row | Compare | And | Or | Not | IsNull | In | Between | Token | Call | Case"
    " | Distinct | Cast | Arithmetic | Now | DateSum | Difference | DatePart | Aggregate | Exists | InSelect"
    " | ScalarSelect"
)


@dataclass(frozen=True, slots=True)
class Item:
    """An output: an expression and, where it is not a plain column of that name, its name."""

    expression: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Source:
    """An element of FROM; `on` belongs to the joins."""

    kind: Literal["from", "comma", "inner", "left"]
    relation: str | Select | Union | Recursive
    alias: str
    on: Expr | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """A key of an order; `place` writes it as the number of an output, `nulls` says whether NULL is FIRST or LAST."""

    expression: Expr
    is_ascending: bool
    place: int | None = None
    nulls: str | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    kind: Literal["LIMIT", "PAGINATE"]
    count: int
    parameter: str | None = None


@dataclass(frozen=True, slots=True)
class Select:
    items: tuple[Item, ...]
    sources: tuple[Source, ...]
    where: Expr | None = None
    is_distinct: bool = False
    group: tuple[Expr, ...] = ()
    having: Expr | None = None
    order: tuple[Order, ...] = ()
    stop: Stop | None = None
    is_star: bool = False  # write the items as *
    by: tuple[str, ...] = ()  # write it as a FETCH, each further source by this foreign key


@dataclass(frozen=True, slots=True)
class Union:
    """Its order names outputs: each key is a Col with an empty alias."""

    selects: tuple[Select, ...]
    is_all: bool
    order: tuple[Order, ...] = ()
    stop: Stop | None = None


WALK = "walk"
"""The name of a recursive query, which its step reads like a table."""


@dataclass(frozen=True, slots=True)
class Recursive:
    """The rows of `anchor`, and those that `step` finds from the level before, `levels` times."""

    anchor: Select
    step: Select
    is_all: bool
    levels: int

    @property
    def names(self) -> list[str]:
        return [item.name for item in self.anchor.items]


@dataclass(frozen=True, slots=True)
class Insert:
    """INSERT; with `given` the rows are those of a list parameter, and `values` only name its columns."""

    table: str
    values: tuple[tuple[str, Expr], ...]
    if_not_exists: bool = False
    conflict: Conflict | None = None
    more: tuple[tuple[Expr, ...], ...] = ()  # the values of further rows
    returning: tuple[str, ...] = ()
    given: Param | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """ON CONFLICT: `key` is empty for any key, `changes` for DO NOTHING; a change without a value is to EXCLUDED's."""

    key: tuple[str, ...] = ()
    changes: tuple[tuple[str, Expr | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Update:
    """UPDATE; `key` are the columns of the primary key or of a UNIQUE key; empty where a `section` gives the rows."""

    table: str
    changes: tuple[tuple[str, Expr], ...]
    key: tuple[tuple[str, Expr], ...]
    conditions: tuple[tuple[str, Expr], ...] = ()
    returning: tuple[str, ...] = ()
    section: Select | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    table: str
    key: tuple[tuple[str, Expr], ...]
    returning: tuple[str, ...] = ()
    section: Select | None = None


Read: TypeAlias = Select | Union
Write: TypeAlias = Insert | Update | Delete
Query: TypeAlias = Read | Write


def parameters_of(query: Query) -> set[str]:
    """Return the names of the parameters that a query uses."""
    return set(_parameters(query))


def _parameters(node: object) -> Iterator[str]:
    match node:
        case Param():
            yield node.name
        case Stop(parameter=str() as name):
            yield name
    if isinstance(node, tuple):
        for item in node:
            yield from _parameters(item)
    elif is_dataclass(node):
        for field in fields(node):
            yield from _parameters(getattr(node, field.name))
