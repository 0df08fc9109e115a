"""What a query groups by or fixes, as a key of a view: a column, or the value that stands for NULL in it.

team                         →  ViewKey(team)
COALESCE(team, 'nobody')     →  ViewKey(team, "'nobody'")
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from piql.compiler.syntax import ast
from piql.compiler.syntax.print_queries import print_expression, written
from piql.schema.catalog import Column, Kind, Table

_CHOOSING = ("COALESCE", "IFNULL", "NVL")
_STAND_INS: Mapping[type, frozenset[Kind]] = {
    str: frozenset((Kind.VARCHAR, Kind.TEXT, Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.UUID, Kind.TIMEUUID)),
    int: frozenset((Kind.INT, Kind.BIGINT, Kind.DECIMAL)),
    bool: frozenset((Kind.BOOLEAN,)),
    Decimal: frozenset((Kind.DECIMAL,)),
    bytes: frozenset((Kind.BLOB,)),
}
"""By the type of a literal, the columns that COALESCE leaves their type, so that the view gives the same value."""


@dataclass(frozen=True, slots=True)
class ViewKey:
    """A key of a view; `stand_in` is the text of what stands for NULL, empty where nothing does."""

    column: Column
    stand_in: str = ""

    @property
    def text(self) -> str:
        """The key as GROUP BY writes it."""
        name = written(self.column.name)
        return f"COALESCE({name}, {self.stand_in})" if self.stand_in else name

    @property
    def selected(self) -> str:
        """The key as the view selects it, under the name of its column."""
        return f"{self.text} AS {written(self.column.name)}" if self.stand_in else self.text


def key_of(expression: ast.Expression | None, table: Table) -> ViewKey | None:
    """Return the key that an expression is; None for any other."""
    match expression:
        case ast.ColumnName():
            column = column_named(expression, table)
            return ViewKey(column) if column is not None else None
        case ast.Call(arguments=(ast.ColumnName() as name, ast.LiteralValue() as literal)) if (
            expression.name.text.upper() in _CHOOSING
        ):
            column = column_named(name, table)
            if column is not None and column.type.kind in _STAND_INS.get(type(literal.value), ()):
                return ViewKey(column, print_expression(literal))
    return None


def column_named(expression: ast.Expression, table: Table) -> Column | None:
    """Return the column of a table that an expression names; None if it is something else."""
    if not isinstance(expression, ast.ColumnName):
        return None
    wanted = expression.name.text.lower()
    return next((column for column in table.columns if column.name.lower() == wanted), None)


def meant_by(expression: ast.Expression, select: ast.Select, table: Table) -> ast.Expression | None:
    """Return what a key of GROUP BY means, which may be an output: by its name, if no column has it, or its place."""
    match expression:
        case ast.LiteralValue(value=int() as position):
            item = select.items[position - 1] if 0 < position <= len(select.items) else None
        case ast.ColumnName(qualifier=None) if column_named(expression, table) is None:
            name = expression.name.text.lower()
            items = (item for item in select.items if isinstance(item, ast.SelectItem) and item.alias is not None)
            item = next((item for item in items if item.alias is not None and item.alias.text.lower() == name), None)
        case _:
            return expression
    return item.expression if isinstance(item, ast.SelectItem) else None
