"""The statements of a file, and the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from piql.compiler.syntax.ast.base import AstNode, Name
from piql.compiler.syntax.ast.definitions import CreateIndex, CreateTable, CreateView, SetSetting
from piql.compiler.syntax.ast.entities import CreateEntity, Fetch
from piql.compiler.syntax.ast.queries import Expression, QueryExpression, Select, UnionQuery
from piql.compiler.syntax.ast.writes import Delete, Insert, Update
from piql.compiler.syntax.lexer import Comment
from piql.schema.read_policies import ReadLevel
from piql.schema.write_policies import WriteLevel
from piql.text.diagnostics.diagnostic import Diagnostic
from piql.text.source import Source, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class WithRead(AstNode):
    """`WITH READ EVENTUAL`, `QUORUM` or `SESSION`, behind the name of a query."""

    level: ReadLevel


@dataclass(frozen=True, slots=True, kw_only=True)
class WithWrite(AstNode):
    """`WITH WRITE QUORUM` or `ALL`, behind the name of a query that is a write."""

    level: WriteLevel


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateQuery(AstNode):
    """`CREATE QUERY name [WITH READ … | WITH WRITE …] AS body`.

    After a syntax error `body` is None, and the name is still known.
    """

    name: Name
    body: QueryExpression | Fetch | Insert | Update | Delete | None
    body_span: Span = field(compare=False, repr=False)
    kind: Literal["select", "insert", "update", "delete"] = "select"
    is_broken: bool = False
    read: WithRead | None = None
    write: WithWrite | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Let(AstNode):
    """`LET name = expression` in a unit: a value that the statements behind it use as `[name]`.

    `LET (name, more, …) = (SELECT …)` names the columns of one row.
    """

    name: Name
    value: Expression
    more: tuple[Name, ...] = ()

    @property
    def names(self) -> tuple[Name, ...]:
        return (self.name, *self.more)


UnitStatement: TypeAlias = Insert | Update | Delete | Let


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateUnit(AstNode):
    """`CREATE UNIT name AS BEGIN statement; … END`: writes that are made together or not at all."""

    name: Name
    statements: tuple[UnitStatement, ...]
    body_span: Span = field(compare=False, repr=False)
    is_broken: bool = False


BareStatement: TypeAlias = Select | UnionQuery | Fetch | Insert | Update | Delete
Statement: TypeAlias = (
    CreateTable | CreateEntity | CreateIndex | CreateView | SetSetting | CreateQuery | CreateUnit | BareStatement
)


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """One file as a tree, with its syntax errors; `work` estimates how long it takes to compile."""

    source: Source
    statements: tuple[Statement, ...]
    diagnostics: tuple[Diagnostic, ...]
    comments: tuple[Comment, ...] = ()
    work: int = 0  # estimated time to compile it; 1 is that of a token
