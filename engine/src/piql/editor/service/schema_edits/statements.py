"""Where a schema is declared in the texts, and how an element is taken out of a table's text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from piql.compiler.fixes.select_text import without_comments
from piql.compiler.syntax import ast
from piql.compiler.syntax.parser import parse_once
from piql.editor.service.schema_edits.changes import SchemaEditRefused
from piql.text.diagnostics.diagnostic import Edit
from piql.text.source import Source

Declaration = ast.CreateTable | ast.CreateEntity
Element = ast.ColumnDefinition | ast.EntityReference | ast.TableConstraint


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
    """Return the edits that take elements out of their table, with their commas and the rest of their lines.

    CREATE TABLE t (             CREATE TABLE t (
      a INT,                 →     a INT
      b INT -- no longer         );
    );
    """
    elements = table_text.statement.elements
    ranges = [_range_of(table_text, number) for number, element in enumerate(elements) if element in gone]
    kept = [number for number, element in enumerate(elements) if element not in gone]
    if not kept:
        raise SchemaEditRefused(f"the table {table_text.statement.name.text} would have no column left")
    last = kept[-1]
    if last < len(elements) - 1 and comma_behind(table_text, len(elements) - 1) is None:
        comma = comma_behind(table_text, last)
        if comma is not None:
            ranges.append((comma, comma + 1))
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(Edit(table_text.file.source.name, start, end, "") for start, end in joined)


def comma_behind(table_text: TableText, number: int) -> int | None:
    """Return the offset of the comma behind an element; None where there is none."""
    elements = table_text.statement.elements
    end = elements[number].span.end
    following = elements[number + 1].span.start if number + 1 < len(elements) else table_text.statement.span.end - 1
    comma = without_comments(table_text.text[end:following]).find(",")
    return end + comma if comma >= 0 else None


def _range_of(table_text: TableText, number: int) -> tuple[int, int]:
    """Return what goes with an element: its whole lines where it has them alone, else it and its comma."""
    text, span, comma = table_text.text, table_text.statement.elements[number].span, comma_behind(table_text, number)
    line_start = text.rfind("\n", 0, span.start) + 1
    line_end = text.find("\n", span.end)
    before = text[line_start : span.start].strip()
    is_own_comma = comma is not None and comma < line_end and before != ","
    rest = without_comments(text[comma + 1 if comma is not None and is_own_comma else span.end : line_end])
    leads_with_comma = before == "," and number > 0  # as in `, b INT`: the comma of the next one stays
    is_alone = leads_with_comma or (not before and (is_own_comma or comma is None))
    if is_alone and line_start > table_text.statement.span.start and line_end >= 0 and not rest.strip():
        return line_start, line_end + 1
    if comma is None:
        return len(text[: span.start].rstrip(" ")), span.end
    end = comma + 1
    return span.start, end + len(text[end:]) - len(text[end:].lstrip(" "))
