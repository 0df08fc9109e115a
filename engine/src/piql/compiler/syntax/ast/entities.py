"""The ENTITY/FETCH dialect."""

from __future__ import annotations

from dataclasses import dataclass, field

from piql.compiler.syntax.ast.base import AstNode, Name
from piql.compiler.syntax.ast.definitions import ColumnDefinition, TableConstraint
from piql.compiler.syntax.ast.queries import Expression, OffsetClause, OrderClause, StopClause
from piql.text.source import Span


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
