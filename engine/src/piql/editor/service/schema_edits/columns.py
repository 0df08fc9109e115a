"""Columns of a table: added, renamed, dropped, and made to reference another table."""

from __future__ import annotations

from collections.abc import Mapping

from piql.compiler.fixes.edits import new_lines
from piql.compiler.fixes.table_elements import Element, comma_behind
from piql.compiler.syntax import ast
from piql.editor.service.renaming import RenameRefused, rename, written
from piql.editor.service.schema_edits.changes import (
    AddColumn,
    AddReference,
    DropColumn,
    RenameColumn,
    SchemaEditRefused,
    SetLimit,
)
from piql.editor.service.schema_edits.limits import limit_line, set_limit
from piql.editor.service.schema_edits.statements import (
    TableText,
    line_break,
    table_of,
    without_elements,
)
from piql.editor.service.schema_edits.words import attribute_text, column_text, name_of
from piql.text.diagnostics.diagnostic import Edit

COLUMNS = (ast.ColumnDefinition, ast.EntityReference)


def add_column(texts: Mapping[str, str], change: AddColumn) -> tuple[Edit, ...]:
    """Put the column behind the last column, before the constraints of the table."""
    table_text = table_of(texts, change.table)
    _refuse_taken(table_text, change.column.name)
    is_entity = isinstance(table_text.statement, ast.CreateEntity)
    return _behind_columns(table_text, attribute_text(change.column) if is_entity else column_text(change.column))


def _behind_columns(table_text: TableText, text: str) -> tuple[Edit, ...]:
    """Return the edits that put an element behind the last column.

    ENTITY Pet {                  ENTITY Pet {
      int id                        int id,
      PRIMARY(id)            →      int age,
    }                               PRIMARY(id)
                                  }
    """
    elements = table_text.statement.elements
    last = max((number for number, element in enumerate(elements) if isinstance(element, COLUMNS)), default=-1)
    if last in (-1, len(elements) - 1):
        return tuple(new_lines(table_text.file, table_text.statement, [text]))
    at, end, name = elements[last + 1].span.start, elements[last].span.end, table_text.file.source.name
    line_start = table_text.text.rfind("\n", 0, at) + 1
    indent = table_text.text[line_start:at]
    separator = f"{line_break(table_text.text)}{indent}" if not indent.strip() and line_start > 0 else " "
    # An ENTITY needs no comma before PRIMARY.
    comma = (
        () if comma_behind(table_text.text, table_text.statement, last) is not None else (Edit(name, end, end, ","),)
    )
    return (*comma, Edit(name, at, at, f"{text},{separator}"))


def _refuse_taken(table_text: TableText, name: str) -> None:
    for element in table_text.statement.elements:
        if isinstance(element, COLUMNS):
            other = element.name.text
            if other.lower() == name.strip().strip('"').lower():
                raise SchemaEditRefused(f"there is a column {other} in {table_text.statement.name.text} already")


def rename_column(texts: Mapping[str, str], change: RenameColumn) -> tuple[Edit, ...]:
    """Rename a column in all files, as the editor's F2 does."""
    table_text = table_of(texts, change.table)
    column = table_text.column(change.column)
    try:
        return rename(texts, table_text.file.source.name, column.name.span.start, change.new_name)
    except RenameRefused as refusal:
        raise SchemaEditRefused(str(refusal)) from refusal


def drop_column(texts: Mapping[str, str], change: DropColumn) -> tuple[Edit, ...]:
    """Take out a column and the constraints on it alone; refused while it is a part of a longer one or of the key."""
    table_text = table_of(texts, change.table)
    column = table_text.column(change.column)
    gone: list[Element] = [column]
    for element in table_text.statement.elements:
        if isinstance(element, COLUMNS):
            continue
        names = _named_in(element)
        if change.column not in names:
            continue
        if isinstance(element, ast.PrimaryKeyClause) or len(set(names)) > 1:
            raise SchemaEditRefused(
                f"the column {change.column} is a part of {element.span.text}: change that in the text first"
            )
        gone.append(element)
    if isinstance(column, ast.ColumnDefinition) and any(
        isinstance(constraint, ast.PrimaryKeyClause) for constraint in column.constraints
    ):
        raise SchemaEditRefused(
            f"the column {change.column} is the primary key of {change.table}: give it another key first"
        )
    return without_elements(table_text, gone)


def _named_in(constraint: ast.TableConstraint) -> list[str]:
    """Return the names of the columns of a constraint; a CHECK may name one several times."""
    if isinstance(constraint, ast.CheckClause):
        return [column.name.text for column in constraint.test.find(ast.ColumnName)]
    return [name.text for name in constraint.columns]


def add_reference(texts: Mapping[str, str], change: AddReference) -> tuple[Edit, ...]:
    """Write REFERENCES behind one column or FOREIGN KEY for several, with a CARDINALITY LIMIT if one is wanted."""
    table_text = table_of(texts, change.table)
    target = written(table_of(texts, change.referenced_table).statement.name.text)
    if isinstance(table_text.statement, ast.CreateEntity):
        return _behind_columns(table_text, _reference_attribute(table_text, change, target))
    if not change.columns:
        raise SchemaEditRefused("choose the column that holds the reference")
    columns = [table_text.column(name) for name in change.columns]
    lines: list[str] = []
    edits: list[Edit] = []
    limit = SetLimit(change.table, change.columns, change.limit)
    if len(columns) == 1:
        end = columns[0].span.end
        edits.append(Edit(table_text.file.source.name, end, end, f" REFERENCES {target}"))
    else:
        names = ", ".join(written(name) for name in change.columns)
        lines.append(f"FOREIGN KEY ({names}) REFERENCES {target}")
    if change.limit is not None:
        line = limit_line(table_text, limit)
        if line is None:
            edits.extend(set_limit(texts, limit))
        else:
            lines.append(line)
    if lines:
        edits.extend(new_lines(table_text.file, table_text.statement, lines))
    return _joined(edits)


def _reference_attribute(table_text: TableText, change: AddReference, target: str) -> str:
    """Return the attribute of an ENTITY that is a reference; it has a name of its own, and the type of that key."""
    if len(change.columns) != 1:
        raise SchemaEditRefused(
            f"the table {change.table} is an ENTITY: write the name of the one attribute that refers to {target}"
        )
    (name,) = change.columns
    for element in table_text.statement.elements:
        if isinstance(element, COLUMNS) and element.name.text.lower() == name.lower():
            raise SchemaEditRefused(
                f"the table {change.table} is an ENTITY, whose references are attributes of their own: "
                f"write a new name instead of {name}"
            )
    most = "" if change.limit is None else f" MAX {change.limit}"
    return f"FOREIGN KEY {name_of(name, 'the attribute')} REF {target}{most}"


def _joined(edits: list[Edit]) -> tuple[Edit, ...]:
    """Return the edits in order; insertions at one offset become one, as the comma behind the last column does."""
    joined: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        last = joined[-1] if joined else None
        if last is not None and edit.start == edit.end == last.start == last.end:
            joined[-1] = Edit(edit.file, edit.start, edit.end, last.text + edit.text)
        else:
            joined.append(edit)
    return tuple(joined)
