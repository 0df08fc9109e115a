"""The tree of a text, as written: names are not resolved yet, every node knows its span.

Data only: expressions, queries, writes, the schema, the ENTITY/FETCH dialect. The parser makes these nodes, `binding`
resolves them against a catalog, `printer` prints them. Two nodes are equal if they say the same, wherever they stand;
so where a word such as DISTINCT has a span, which equality ignores, a flag beside it says whether it is written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from piql.compiler.syntax.lexer import Comment
from piql.text.diagnostics.diagnostic import Diagnostic
from piql.text.source import Source, Span
from piql.trees.node import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class AstNode(Node):
    """The base of all nodes: `span` is the text that the node was read from; equality ignores it."""

    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Name(AstNode):
    """An identifier. One without quotes matches declared names whatever the case of the letters."""

    text: str
    is_quoted: bool = False


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
    """`[1: name]`, `[name]` or `:name`, with `MAX n` where it is a list or a count."""

    name: str
    ordinal: int | None = None
    max: int | None = None
    max_span: Span | None = field(default=None, compare=False, repr=False)
    is_colon: bool = False


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(AstNode):
    """`(a, b)`: several expressions in parentheses."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarQuery(AstNode):
    """`(SELECT …)` as a value."""

    query: QueryExpression


Expression: TypeAlias = (
    ColumnName
    | LiteralValue
    | ParameterUse
    | Unary
    | Binary
    | Junction
    | NullTest
    | Between
    | In
    | InQuery
    | ExistsQuery
    | Like
    | Call
    | Row
    | ScalarQuery
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
    """One table joined to those before it; `condition` is None for a comma, CROSS JOIN, or a join without ON."""

    kind: Literal["inner", "left", "cross", "comma"]
    table: TableSource
    condition: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FromClause(AstNode):
    """FROM: a first table, and those joined to it from left to right."""

    first: TableSource
    joins: tuple[JoinClause, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItem(AstNode):
    expression: Expression
    is_ascending: bool = True


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


@dataclass(frozen=True, slots=True, kw_only=True)
class UnionQuery(AstNode):
    """Two or more queries; ORDER BY and LIMIT after the last belong to the whole."""

    inputs: tuple[QueryExpression, ...]
    is_all: bool
    unions: tuple[Span, ...] = field(default=(), compare=False, repr=False)  # the word between two inputs
    order: OrderClause | None = None
    stop: StopClause | None = None
    offset: OffsetClause | None = None


QueryExpression: TypeAlias = Select | UnionQuery


# Writes


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert(AstNode):
    """INSERT of one row."""

    table: Name
    columns: tuple[Name, ...]  # empty where the text names none: all are meant, in the order declared
    values: tuple[Expression, ...]
    values_span: Span = field(compare=False, repr=False)
    is_conditional: bool = False
    condition: Span | None = field(default=None, compare=False, repr=False)  # of IF NOT EXISTS


@dataclass(frozen=True, slots=True, kw_only=True)
class SetItem(AstNode):
    """`column = value` of an UPDATE."""

    column: Name
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Update(AstNode):
    """UPDATE; `condition` is the expression after IF."""

    table: Name
    changes: tuple[SetItem, ...]
    where: Expression | None
    condition: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete(AstNode):
    """DELETE; `condition` is the expression after IF."""

    table: Name
    where: Expression | None
    condition: Expression | None = None


# Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeName(AstNode):
    """A type as written: `VARCHAR(32)` has the arguments `(32,)`."""

    name: str
    arguments: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PrimaryKeyClause(AstNode):
    """`PRIMARY KEY (columns)`, also where it is written beside a column."""

    columns: tuple[Name, ...]
    name: Name | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueClause(AstNode):
    """`UNIQUE (columns)`, also where it is written beside a column."""

    columns: tuple[Name, ...]
    name: Name | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeyClause(AstNode):
    """`FOREIGN KEY (columns) REFERENCES table (referenced) MAX n`.

    `referenced` is empty where the text names no columns: the primary key of the table is meant.
    """

    columns: tuple[Name, ...]
    table: Name
    referenced: tuple[Name, ...] = ()
    max: int | None = None
    max_span: Span | None = field(default=None, compare=False, repr=False)
    name: Name | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitClause(AstNode):
    """`CARDINALITY LIMIT n (columns)`, or `(TOKEN(columns))`."""

    limit: int
    limit_span: Span = field(compare=False, repr=False)
    columns: tuple[Name, ...]
    is_token: bool = False
    name: Name | None = None


TableConstraint: TypeAlias = PrimaryKeyClause | UniqueClause | ForeignKeyClause | LimitClause


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDefinition(AstNode):
    """A column; the constraints written beside it name it as their only column."""

    name: Name
    type: TypeName
    nullability: Literal["NOT NULL", "NULL"] | None = None
    constraints: tuple[TableConstraint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTable(AstNode):
    """CREATE TABLE; `is_broken`: an element had a syntax error and is missing."""

    name: Name
    elements: tuple[ColumnDefinition | TableConstraint, ...]
    is_broken: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexPart(AstNode):
    """One key of a CREATE INDEX: a column, or `TOKEN(columns)`."""

    columns: tuple[Name, ...]
    is_token: bool = False
    is_ascending: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateIndex(AstNode):
    """CREATE INDEX; `covering` columns are stored beside the key."""

    name: Name
    table: Name
    parts: tuple[IndexPart, ...]
    covering: tuple[Name, ...] = ()
    buckets: int | None = None
    is_broken: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateQuery(AstNode):
    """`CREATE QUERY name AS body`; after a syntax error in the body, `body` is None and the name is still known."""

    name: Name
    body: QueryExpression | Fetch | Insert | Update | Delete | None
    body_span: Span = field(compare=False, repr=False)
    kind: Literal["select", "insert", "update", "delete"] = "select"
    is_broken: bool = False


# The ENTITY/FETCH dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityReference(AstNode):
    """`FOREIGN KEY name REF Entity MAX n`: it declares columns with the types of the referenced key."""

    name: Name
    table: Name
    max: int | None = None
    max_span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateEntity(AstNode):
    """`ENTITY name { type attribute, …, PRIMARY(attributes) }`."""

    name: Name
    elements: tuple[ColumnDefinition | EntityReference | TableConstraint, ...]
    is_broken: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchStep(AstNode):
    """`FETCH Entity alias`, or `OF Entity alias BY foreign_key`: one step along a foreign key, in either direction."""

    entity: Name
    alias: Name | None = None
    by: Name | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch(AstNode):
    """`FETCH … OF … BY … WHERE … ORDER BY … LIMIT …`: returns the entities of the first step."""

    steps: tuple[FetchStep, ...]
    where: Expression | None = None
    order: OrderClause | None = None
    stop: StopClause | None = None
    offset: OffsetClause | None = None


BareStatement: TypeAlias = Select | UnionQuery | Fetch | Insert | Update | Delete
Statement: TypeAlias = CreateTable | CreateEntity | CreateIndex | CreateQuery | BareStatement


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """One file as a tree, with its syntax errors; `work` estimates how long it takes to compile."""

    source: Source
    statements: tuple[Statement, ...]
    diagnostics: tuple[Diagnostic, ...]
    comments: tuple[Comment, ...] = ()
    work: int = 0  # estimated time to compile it; 1 is that of a token
