"""Expressions and queries, which hold each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from piql.compiler.syntax.ast.base import AstNode, Name, TypeName
from piql.text.source import Span

# Expressions


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnName(AstNode):
    """`column` or `qualifier.column`."""

    qualifier: Name | None
    name: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteralValue(AstNode):
    """A literal: int, Decimal (`1.5`), float (`1e3`), str, bool, bytes (`X'00'`) or None."""

    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterUse(AstNode):
    """A parameter, with `MAX n` where it is a list or a count.

    `style` is how it is written: `[1: name]` or `[name]`, `:name`, `?`, `$1`. The last two have their number as their
    ordinal, and are called `p1`, `p2`, ….
    """

    name: str
    ordinal: int | None = None
    max: int | None = None
    max_span: Span | None = field(default=None, compare=False, repr=False)
    style: Literal["[", ":", "?", "$"] = "["

    @property
    def shown(self) -> str:
        """The parameter as messages call it."""
        match self.style:
            case "?":
                return f"? ({self.name})"
            case "$":
                return f"${self.ordinal}"
        return f"[{self.name}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unary(AstNode):
    operator: Literal["-", "NOT"]
    operand: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary(AstNode):
    operator: Literal["=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "||"]
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Junction(AstNode):
    """`a AND b AND c`, or the same with OR, in one node."""

    operator: Literal["AND", "OR"]
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NullTest(AstNode):
    """`operand IS NULL`, or IS NOT NULL (`is_negated`)."""

    operand: Expression
    is_negated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DistinctTest(AstNode):
    """`left IS DISTINCT FROM right`, in which NULL is a value; IS NOT DISTINCT FROM where `is_negated`."""

    left: Expression
    right: Expression
    is_negated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Between(AstNode):
    operand: Expression
    low: Expression
    high: Expression
    is_negated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class In(AstNode):
    """`operand IN (a, b)`, `IN [list] MAX n` (`is_list`: the only item is a list parameter)."""

    operand: Expression
    items: tuple[Expression, ...]
    is_list: bool
    is_negated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InQuery(AstNode):
    """`operand IN (SELECT …)`; the operand may be a `Row`."""

    operand: Expression
    query: QueryExpression
    is_negated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistsQuery(AstNode):
    query: QueryExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class Like(AstNode):
    """`operand LIKE pattern` or `operand CONTAINS word`; ILIKE is read only so that binding can refuse it."""

    operand: Expression
    pattern: Expression
    keyword: Literal["LIKE", "CONTAINS", "ILIKE"]
    is_negated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(AstNode):
    """A function or aggregate call; `is_star` for `COUNT(*)`, `over` is the span of an OVER clause."""

    name: Name
    arguments: tuple[Expression, ...]
    is_distinct: bool = False
    is_star: bool = False
    over: Span | None = field(default=None, compare=False, repr=False)
    filter: Expression | None = None  # the condition of FILTER (WHERE …)
    order: OrderClause | None = None  # inside the parentheses of an aggregate


@dataclass(frozen=True, slots=True, kw_only=True)
class WhenBranch(AstNode):
    """`WHEN test THEN value` of a CASE; after `CASE operand` the test is a value that the operand may equal."""

    test: Expression
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Case(AstNode):
    """`CASE WHEN … THEN … ELSE … END`, or `CASE operand WHEN …`; `otherwise` is None without ELSE."""

    branches: tuple[WhenBranch, ...]
    operand: Expression | None = None
    otherwise: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast(AstNode):
    """`CAST(operand AS type)`, or `operand::type` (`has_colons`)."""

    operand: Expression
    type: TypeName
    has_colons: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(AstNode):
    """`(a, b)`: several expressions in parentheses."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarQuery(AstNode):
    """`(SELECT …)` as a value."""

    query: QueryExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalPart(AstNode):
    """`7 days`: a count, and a unit of `schema.calendar.UNITS`."""

    count: LiteralValue | ParameterUse
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval(AstNode):
    """`INTERVAL '1 year 2 days'`, or one part: `INTERVAL 7 DAY`, `INTERVAL [days] DAY`."""

    parts: tuple[IntervalPart, ...]


Expression: TypeAlias = (
    ColumnName
    | LiteralValue
    | ParameterUse
    | Unary
    | Binary
    | Junction
    | NullTest
    | DistinctTest
    | Between
    | In
    | InQuery
    | ExistsQuery
    | Like
    | Call
    | Case
    | Cast
    | Row
    | ScalarQuery
    | Interval
)


# Queries


@dataclass(frozen=True, slots=True, kw_only=True)
class Star(AstNode):
    """`*` or `t.*`."""

    qualifier: Name | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectItem(AstNode):
    """`expression AS alias` in a select list."""

    expression: Expression
    alias: Name | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableName(AstNode):
    table: Name
    alias: Name | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedTable(AstNode):
    """`(SELECT …) alias` in FROM."""

    query: QueryExpression
    alias: Name | None = None


TableSource: TypeAlias = TableName | DerivedTable


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinClause(AstNode):
    """One table joined to those before it; `condition` is None for a comma, CROSS JOIN, or a join without ON.

    `using` are the columns of `USING (a, b)`. NATURAL is read only so that binding can refuse it.
    """

    kind: Literal["inner", "left", "cross", "comma"]
    table: TableSource
    condition: Expression | None = None
    using: tuple[Name, ...] = ()
    is_natural: bool = False
    natural_span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FromClause(AstNode):
    """FROM: a first table, and those joined to it from left to right."""

    first: TableSource
    joins: tuple[JoinClause, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItem(AstNode):
    """A key of ORDER BY; without `nulls`, NULL is the smallest value: FIRST ascending, LAST descending."""

    expression: Expression
    is_ascending: bool = True
    nulls: Literal["FIRST", "LAST"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderClause(AstNode):
    items: tuple[OrderItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupClause(AstNode):
    keys: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StopClause(AstNode):
    """`LIMIT n`, `LIMIT [p] MAX n` or `PAGINATE n`; the count is a literal or a parameter."""

    is_page: bool
    count: LiteralValue | ParameterUse


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetClause(AstNode):
    """`OFFSET n`: parsed so that it can be refused in its own words."""

    count: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class WithEntry(AstNode):
    """One query of WITH: `name (column, …) AS (query) MAX n LEVELS`; `levels` is None where no MAX is written."""

    name: Name
    columns: tuple[Name, ...] = ()
    query: QueryExpression
    levels: int | None = None
    levels_span: Span | None = field(default=None, compare=False, repr=False)  # the number alone
    closing_span: Span = field(compare=False, repr=False)  # the parenthesis behind the query


@dataclass(frozen=True, slots=True, kw_only=True)
class WithClause(AstNode):
    """WITH, or WITH RECURSIVE, in which a query may read itself."""

    entries: tuple[WithEntry, ...]
    is_recursive: bool = False
    word_span: Span = field(compare=False, repr=False)  # WITH, or WITH RECURSIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class Select(AstNode):
    """One SELECT with its clauses; each is None where it is not written."""

    items: tuple[SelectItem | Star, ...]
    items_span: Span = field(compare=False, repr=False)
    distinct: Span | None = field(default=None, compare=False, repr=False)  # the word DISTINCT
    is_distinct: bool = False
    from_clause: FromClause | None = None
    where: Expression | None = None
    group: GroupClause | None = None
    having: Expression | None = None
    order: OrderClause | None = None
    stop: StopClause | None = None
    offset: OffsetClause | None = None
    with_clause: WithClause | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnionQuery(AstNode):
    """Two or more queries; ORDER BY and LIMIT after the last belong to the whole."""

    inputs: tuple[QueryExpression, ...]
    is_all: bool
    unions: tuple[Span, ...] = field(default=(), compare=False, repr=False)  # the word between two inputs
    order: OrderClause | None = None
    stop: StopClause | None = None
    offset: OffsetClause | None = None
    with_clause: WithClause | None = None


QueryExpression: TypeAlias = Select | UnionQuery
