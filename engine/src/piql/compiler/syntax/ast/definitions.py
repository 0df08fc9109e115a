"""CREATE TABLE, CREATE INDEX, CREATE VIEW and SET."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from piql.compiler.syntax.ast.base import AstNode, Name, TypeName
from piql.compiler.syntax.ast.queries import Expression, QueryExpression
from piql.text.source import Span


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
    """`CARDINALITY LIMIT n (columns)`, or `(TOKEN(columns))`; without columns it limits the whole table."""

    limit: int
    limit_span: Span = field(compare=False, repr=False)
    columns: tuple[Name, ...]
    is_token: bool = False
    name: Name | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckClause(AstNode):
    """`CHECK (test)`, in the table or beside one of its columns."""

    test: Expression
    name: Name | None = None


TableConstraint: TypeAlias = PrimaryKeyClause | UniqueClause | ForeignKeyClause | LimitClause | CheckClause


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDefinition(AstNode):
    """A column; the keys written beside it name it as their only column."""

    name: Name
    type: TypeName
    nullability: Literal["NOT NULL", "NULL"] | None = None
    constraints: tuple[TableConstraint, ...] = ()
    default: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSetting(AstNode):
    """`SET name = number`: a setting of the whole application."""

    name: Name
    value: int
    value_span: Span = field(compare=False, repr=False)


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
class Duration(AstNode):
    """`5 MINUTES`: a count and a unit, which has the name of the singular."""

    count: int
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowClause(AstNode):
    """`WINDOW length BY step` of a view; without a step, windows follow each other."""

    length: Duration
    step: Duration | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateView(AstNode):
    """`CREATE VIEW name AS query window STRIPES n`."""

    name: Name
    query: QueryExpression
    window: WindowClause | None = None
    stripes: int | None = None
    stripes_span: Span | None = field(default=None, compare=False, repr=False)
    is_broken: bool = False
