"""Where a schema is declared in the texts, and how an element is taken out of a table's text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from piql.compiler.fixes import table_elements
from piql.compiler.fixes.select_text import without_comments
from piql.compiler.fixes.table_elements import Declaration, Element
from piql.compiler.syntax import ast
from piql.compiler.syntax.parser import parse_once
from piql.editor.service.schema_edits.changes import SchemaEditRefused
from piql.text.diagnostics.diagnostic import Edit
from piql.text.source import Source


@dataclass(frozen=True, slots=True)
class TableText:
    """A table's statement and the file that it stands in."""

    file: ast.ParsedFile
    statement: Declaration

    @property
    def text(self) -> str:
        return self.file.source.text

    def column(self, name: str) -> ast.ColumnDefinition | ast.EntityReference:
        """Return the definition of a column; raise SchemaEditRefused where there is none."""
        for element in self.statement.elements:
            if isinstance(element, ast.ColumnDefinition | ast.EntityReference) and element.name.text == name:
                return element
        raise SchemaEditRefused(f"the table {self.statement.name.text} has no column {name} of its own")


def tables_of(texts: Mapping[str, str]) -> list[TableText]:
    """Return every table that the texts declare, in their order."""
    files = [parse_once(Source(text, name)) for name, text in texts.items()]
    return [
        TableText(file, statement)
        for file in files
        for statement in file.statements
        if isinstance(statement, ast.CreateTable | ast.CreateEntity)
    ]


def table_of(texts: Mapping[str, str], name: str) -> TableText:
    """Return where a table is declared; raise SchemaEditRefused where it is not, or cannot be read whole."""
    table_text = next((table_text for table_text in tables_of(texts) if table_text.statement.name.text == name), None)
    if table_text is None:
        raise SchemaEditRefused(f"there is no table {name} in the texts")
    if table_text.statement.is_broken or not table_text.statement.elements:
        raise SchemaEditRefused(f"the text of {name} has an error: correct it first")
    return table_text


def behind_statement(table_text: TableText, statement: str) -> Edit:
    """Return the edit that puts a statement below a table, with an empty line between."""
    end = table_text.statement.span.end
    rest = without_comments(table_text.text[end:])
    semicolon = rest.find(";") + 1  # a table without a semicolon is the end of its file
    newline = rest.find("\n", semicolon)
    is_alone = newline < 0 or not rest[semicolon:newline].strip()
    at = end + (semicolon if not is_alone else newline if newline >= 0 else len(rest))
    break_ = line_break(table_text.text)
    return Edit(table_text.file.source.name, at, at, f"{'' if semicolon else ';'}{break_}{break_}{statement}")


def line_break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def without_elements(table_text: TableText, gone: Sequence[Element]) -> tuple[Edit, ...]:
    """Return the edits that take elements out of their table; refuse to leave it without any."""
    if all(element in gone for element in table_text.statement.elements):
        raise SchemaEditRefused(f"the table {table_text.statement.name.text} would have no column left")
    return table_elements.without_elements(table_text.file, table_text.statement, gone)
