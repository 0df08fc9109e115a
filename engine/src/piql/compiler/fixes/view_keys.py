"""What a query groups by or fixes, as a key of a view: a column, or the value that stands for NULL in it.

team                         →  ViewKey(team)
COALESCE(team, 'nobody')     →  ViewKey(team, "'nobody'")

`declared_view` reads a CREATE VIEW in the same terms, so that a query finds a view that is there already.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from piql.compiler.fixes.select_text import tests_of
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


@dataclass(frozen=True, slots=True)
class DeclaredView:
    """A view of one table: its keys, of which it leaves out the rows with NULL in `never_null`, and its `columns`.

    `columns` names the column of each COUNT, SUM and AVG by its text: `SUM(price)`.
    """

    name: str
    keys: frozenset[ViewKey]
    never_null: frozenset[str]
    columns: Mapping[str, str]
    is_striped: bool = False


def declared_view(node: ast.CreateView, table: Table) -> DeclaredView | None:
    """Return a view of a table whose keys are called as its columns; None for one that holds other rows or names."""
    select = node.query
    if not isinstance(select, ast.Select) or select.group is None or select.from_clause is None:
        return None
    source = select.from_clause.first
    if not isinstance(source, ast.TableName) or source.table.text.lower() != table.name.lower():
        return None
    never_null: set[str] = set()
    for test in tests_of(select):
        column = column_named(test.operand, table) if isinstance(test, ast.NullTest) and test.is_negated else None
        if column is None:
            return None
        never_null.add(column.name)
    columns: dict[str, str] = {}
    for item in select.items:
        if not isinstance(item, ast.SelectItem):
            return None
        key = key_of(item.expression, table)
        if key is not None and item.alias is not None and item.alias.text != key.column.name:
            return None
        if isinstance(item.expression, ast.Call) and key is None and item.alias is not None:
            columns[call_text(item.expression, table)] = item.alias.text
    keys = [key_of(expression, table) for expression in select.group.keys]
    return (
        DeclaredView(
            node.name.text,
            frozenset(key for key in keys if key is not None),
            frozenset(never_null),
            columns,
            node.stripes is not None,
        )
        if None not in keys
        else None
    )


def call_text(call: ast.Call, table: Table) -> str:
    """Return COUNT, SUM or AVG of a column in one spelling; empty for a call that is none of them."""
    function = call.name.text.upper()
    if call.is_star:
        return f"{function}(*)"
    column = column_named(call.arguments[0], table) if len(call.arguments) == 1 else None
    return f"{function}({written(column.name)})" if column is not None else ""


def aggregates_of(node: ast.AstNode) -> Iterator[ast.Call]:
    """Yield the calls that a view might hold, or that are aggregates which none holds."""
    names = ("COUNT", "SUM", "AVG", "MIN", "MAX", "ARRAY_AGG", "STRING_AGG")
    return (call for call in node.find(ast.Call) if call.name.text.upper() in names)


def free_name(wanted: str, taken: Sequence[str]) -> str:
    """Return a name, with a number behind it where it is taken."""
    folded = {name.lower() for name in taken}
    names = (wanted, *(f"{wanted}_{number}" for number in range(2, len(folded) + 3)))
    return next(name for name in names if name.lower() not in folded)


def names_of_tables(files: Sequence[ast.ParsedFile]) -> list[str]:
    """Return the names of all tables and views of some texts."""
    return [
        statement.name.text
        for file in files
        for statement in file.statements
        if isinstance(statement, ast.CreateTable | ast.CreateEntity | ast.CreateView)
    ]


def behind_statement(tables: Collection[str], files: Sequence[ast.ParsedFile]) -> tuple[str, int, int] | None:
    """Return the file and the place behind the last statement that defines one of some tables, as edits need it."""
    place = None
    for file in files:
        for statement in file.statements:
            if not isinstance(statement, ast.CreateTable | ast.CreateEntity):
                continue
            behind = file.source.text[statement.span.end :]
            at = statement.span.end + len(behind) - len(behind.lstrip())
            if statement.name.text in tables and file.source.text[at : at + 1] == ";":
                place = (file.source.name, at + 1, at + 1)
    return place
