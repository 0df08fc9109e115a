"""INSERT, UPDATE and DELETE."""

from __future__ import annotations

from dataclasses import dataclass, field

from piql.compiler.syntax.ast.base import AstNode, Name
from piql.compiler.syntax.ast.queries import (
    Expression,
    OrderClause,
    ParameterUse,
    Row,
    SelectItem,
    Star,
    StopClause,
    TableName,
)
from piql.text.source import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class SetItem(AstNode):
    """`column = value` of UPDATE or DO UPDATE; `table` is what is written before the column, as in `users.age`."""

    column: Name
    value: Expression
    table: Name | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OnConflict(AstNode):
    """`ON CONFLICT (target) DO NOTHING`, or `… DO UPDATE SET changes`, behind an INSERT."""

    target: tuple[Name, ...]  # empty where the text names no key: any key of the table is meant
    changes: tuple[SetItem, ...]  # empty for DO NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert(AstNode):
    """INSERT of one row, or of several: `more` has the values of those behind the first.

    With `rows` it is an INSERT of the rows of a list parameter, and has no values of its own.
    """

    table: Name
    columns: tuple[Name, ...]  # empty where the text names none: all are meant, in the order declared
    values: tuple[Expression, ...]
    values_span: Span = field(compare=False, repr=False)
    more: tuple[Row, ...] = ()
    rows: ParameterUse | None = None
    is_conditional: bool = False
    condition: Span | None = field(default=None, compare=False, repr=False)  # of IF NOT EXISTS
    conflict: OnConflict | None = None
    returning: tuple[SelectItem | Star, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Update(AstNode):
    """UPDATE of the rows that pass WHERE, the first ones where it has a LIMIT; `condition` is the one after IF."""

    source: TableName
    changes: tuple[SetItem, ...]
    where: Expression | None
    order: OrderClause | None = None
    stop: StopClause | None = None
    condition: Expression | None = None
    returning: tuple[SelectItem | Star, ...] = ()

    @property
    def table(self) -> Name:
        """The name of the table that is written."""
        return self.source.table


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete(AstNode):
    """DELETE of the rows that pass WHERE, the first ones where it has a LIMIT; `condition` is the one after IF."""

    source: TableName
    where: Expression | None
    order: OrderClause | None = None
    stop: StopClause | None = None
    condition: Expression | None = None
    returning: tuple[SelectItem | Star, ...] = ()

    @property
    def table(self) -> Name:
        """The name of the table that is written."""
        return self.source.table
