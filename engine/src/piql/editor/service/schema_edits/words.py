"""Names and types as a user writes them into a field → as they stand in a text."""

from __future__ import annotations

from piql.compiler.syntax import ast
from piql.compiler.syntax.parser import parse_once
from piql.editor.service.renaming import written
from piql.editor.service.schema_edits.changes import NewColumn, SchemaEditRefused
from piql.text.source import Source


def name_of(name: str, what: str) -> str:
    """Return a new name as it must be written; `what` says what has it."""
    plain = name.strip()
    if not plain:
        raise SchemaEditRefused(f"a name is missing for {what}: write one")
    if not plain.isprintable():
        raise SchemaEditRefused(f"the name of {what} must be on one line, without control characters")
    return written(plain)


def column_text(column: NewColumn) -> str:
    """Return the definition of a new column: `name TYPE NOT NULL`."""
    name = name_of(column.name, "the column")
    return f"{name} {_type_text(column)}{' NOT NULL' if column.is_required else ''}"


def attribute_text(column: NewColumn) -> str:
    """Return the same for an ENTITY, where the type comes first: `TYPE name NOT NULL`."""
    name = name_of(column.name, "the attribute")
    return f"{_type_text(column)} {name}{' NOT NULL' if column.is_required else ''}"


def _type_text(column: NewColumn) -> str:
    """Return the type as written; raise SchemaEditRefused with what the parser says where it is none."""
    text = column.type.strip()
    if not text:
        raise SchemaEditRefused(f"the column {column.name.strip()} has no type yet, such as INT or VARCHAR(32)")
    parsed = parse_once(Source(f"CREATE TABLE t (c {text});"))
    for finding in parsed.diagnostics:
        raise SchemaEditRefused(f"the text {text} is no type: {finding.message}")
    match parsed.statements:
        case (ast.CreateTable(elements=(ast.ColumnDefinition() as definition,)),) if definition.type.span.text == text:
            return text
        case _:
            raise SchemaEditRefused(f"the text {text} is no type: write one such as INT or VARCHAR(32)")
