"""`ENTITY` → the CREATE TABLE that says the same: its foreign keys become columns with the types of the key they name.

    ENTITY Thought {                          CREATE TABLE Thought (
      int timestamp,                            timestamp INT,
      FOREIGN KEY owner REF User,        →      owner TEXT REFERENCES User,
      PRIMARY(owner, timestamp)                 PRIMARY KEY (owner, timestamp)
    }                                         )

A foreign key to an entity whose key has several attributes becomes as many columns: `FOREIGN KEY thought REF Thought`
declares `thought_owner` and `thought_timestamp`, and PRIMARY(thought) means both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain

from piql.compiler.binding.near_names import NearNames
from piql.compiler.binding.scope import unknown_table
from piql.compiler.syntax import ast
from piql.schema.catalog import Kind, SqlType, Table
from piql.text.diagnostics.diagnostic import Diagnostic
from piql.text.diagnostics.report import report
from piql.text.source import Span
from piql.trees.cached_property import cached_property

KeyColumns = list[tuple[str, ast.TypeName]]  # names with their types


class Entities:
    """All tables and entities of a program, in which the types of foreign keys are looked up."""

    def __init__(self, statements: Iterable[ast.Statement], deployed: Mapping[str, Table]) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._declared: dict[str, ast.CreateTable | ast.CreateEntity] = {}
        self._deployed = {name.lower(): table for name, table in deployed.items()}
        self._under_way: set[str] = set()  # entities whose keys are being resolved, to notice a circle
        for statement in statements:
            if isinstance(statement, ast.CreateTable | ast.CreateEntity):
                self._declared.setdefault(statement.name.text.lower(), statement)

    @cached_property
    def _table_names(self) -> NearNames:
        declared = (declaration.name.text for declaration in self._declared.values())
        return NearNames(chain(declared, (table.name for table in self._deployed.values())))

    def as_table(self, entity: ast.CreateEntity) -> ast.CreateTable:
        """Return an entity as a table; an attribute that refers to an unknown entity is reported and dropped."""
        elements: list[ast.ColumnDefinition | ast.TableConstraint] = []
        expanded: dict[str, tuple[ast.Name, ...]] = {}
        is_broken = entity.is_broken
        for element in entity.elements:
            if isinstance(element, ast.EntityReference):
                columns = self._columns_of(element)
                if columns is None:
                    is_broken = True
                    continue
                names = tuple(column.name for column in columns)
                expanded[element.name.text.lower()] = names
                clause = ast.ForeignKeyClause(
                    columns=names,
                    table=element.table,
                    max=element.max,
                    max_span=element.max_span,
                    name=element.name if len(names) > 1 else None,
                    span=element.span,
                )
                if len(columns) == 1:
                    elements.append(replace(columns[0], constraints=(clause,)))
                else:
                    elements.extend((*columns, clause))
            elif isinstance(element, ast.ColumnDefinition):
                elements.append(replace(element, type=_sql_type(element.type)))
        for element in entity.elements:
            if isinstance(element, ast.PrimaryKeyClause | ast.UniqueClause | ast.LimitClause):
                elements.append(_with_columns(element, expanded))
            elif isinstance(element, ast.CheckClause):
                elements.append(element)
        return ast.CreateTable(name=entity.name, elements=tuple(elements), is_broken=is_broken, span=entity.span)

    def _columns_of(self, reference: ast.EntityReference) -> list[ast.ColumnDefinition] | None:
        """Return the columns that a foreign key declares; None, after a report, if the key it names is unknown."""
        key = self._key(reference.table)
        if key is None:
            return None
        columns = []
        for name, type_name in key:
            text = reference.name.text if len(key) == 1 else f"{reference.name.text}_{name}"
            column = ast.Name(text=text, is_quoted=reference.name.is_quoted, span=reference.name.span)
            columns.append(ast.ColumnDefinition(name=column, type=type_name, span=reference.span))
        return columns

    def _key(self, name: ast.Name) -> KeyColumns | None:
        """Return the columns of a table's primary key with their types; None, after a report, if it has none."""
        fold = name.text.lower()
        declared = self._declared.get(fold)
        if declared is None:
            table = self._deployed.get(fold)
            if table is not None:
                return [(column, _type_name(table, column, name.span)) for column in table.primary_key]
            self.diagnostics.append(unknown_table(name, self._table_names))
            return None
        if fold in self._under_way:
            self.diagnostics.append(
                report(
                    "endless-key",
                    f"the primary key of {declared.name.text} refers to itself, so its types are unknown",
                    name.span,
                    help="leave the foreign key out of PRIMARY",
                )
            )
            return None
        self._under_way.add(fold)
        try:
            return self._key_of(declared)
        finally:
            self._under_way.discard(fold)

    def _key_of(self, declared: ast.CreateTable | ast.CreateEntity) -> KeyColumns | None:
        """Return the key of a table or entity of the program; None if it has none, or one that is broken."""
        types: dict[str, KeyColumns] = {}
        clauses: list[ast.PrimaryKeyClause] = []
        references: dict[str, ast.EntityReference] = {}
        for element in declared.elements:
            if isinstance(element, ast.ColumnDefinition):
                types[element.name.text.lower()] = [(element.name.text, _sql_type(element.type))]
                clauses.extend(
                    constraint for constraint in element.constraints if isinstance(constraint, ast.PrimaryKeyClause)
                )
            elif isinstance(element, ast.EntityReference):
                references[element.name.text.lower()] = element
            elif isinstance(element, ast.PrimaryKeyClause):
                clauses.append(element)
        if not clauses:
            return None
        key: KeyColumns = []
        for name in clauses[0].columns:
            fold = name.text.lower()
            if fold in references:
                columns = self._columns_of(references[fold])
                if columns is None:
                    return None
                key.extend((column.name.text, column.type) for column in columns)
            elif fold in types:
                key.extend(types[fold])
            else:
                return None
        return key


def _with_columns(
    clause: ast.PrimaryKeyClause | ast.UniqueClause | ast.LimitClause, expanded: dict[str, tuple[ast.Name, ...]]
) -> ast.TableConstraint:
    """Return a constraint with each foreign key in it replaced by the columns that it stands for."""
    columns: list[ast.Name] = []
    for name in clause.columns:
        for column in expanded.get(name.text.lower(), (name,)):
            columns.append(ast.Name(text=column.text, is_quoted=column.is_quoted, span=name.span))
    return replace(clause, columns=tuple(columns))


def _sql_type(type: ast.TypeName) -> ast.TypeName:
    """Return a type with its SQL name: `string` is TEXT, or VARCHAR where it has a length; `bool` is BOOLEAN."""
    names = {"STRING": "VARCHAR" if type.arguments else "TEXT", "BOOL": "BOOLEAN"}
    return replace(type, name=names.get(type.name, type.name))


def _type_name(table: Table, column: str, span: Span) -> ast.TypeName:
    """Return the type of a deployed column as it would be written."""
    declared_column = table.column(column)
    declared = declared_column.type if declared_column is not None else SqlType(Kind.TEXT)
    arguments = [number for number in (declared.length, declared.precision, declared.scale) if number is not None]
    return ast.TypeName(name=declared.kind.value, arguments=tuple(arguments), span=span)
