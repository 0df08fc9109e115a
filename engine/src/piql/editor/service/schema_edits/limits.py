"""Cardinality limits of a table: added, given another number, or taken away."""

from __future__ import annotations

from collections.abc import Mapping

from piql.compiler.fixes.edits import new_lines
from piql.compiler.fixes.table_elements import without_maximum
from piql.compiler.syntax import ast
from piql.editor.service.renaming import written
from piql.editor.service.schema_edits.changes import SchemaEditRefused, SetLimit
from piql.editor.service.schema_edits.statements import TableText, table_of, without_elements
from piql.text.diagnostics.diagnostic import Edit
from piql.text.source import Span

LimitElement = ast.LimitClause | ast.ForeignKeyClause | ast.EntityReference


def set_limit(texts: Mapping[str, str], change: SetLimit) -> tuple[Edit, ...]:
    """Replace the number of the limit on these columns, add the limit, or take it away; nothing if the text says so."""
    table_text = table_of(texts, change.table)
    present = _present(table_text, change)
    if change.limit is None:
        return _without_limit(table_text, present, change)
    if present is not None:
        _, number = present
        if number.text == str(change.limit):
            return ()
        return (Edit(table_text.file.source.name, number.start, number.end, str(change.limit)),)
    line = limit_line(table_text, change)
    return tuple(new_lines(table_text.file, table_text.statement, [line])) if line is not None else ()


def limit_line(table_text: TableText, change: SetLimit) -> str | None:
    """Return the line of a limit that the table has not yet; None where it has one on these columns."""
    if not change.columns:
        raise SchemaEditRefused("choose the columns whose values the limit counts")
    if _present(table_text, change) is not None:
        return None
    for name in change.columns:
        table_text.column(name)
    names = ", ".join(written(name) for name in change.columns)
    return f"CARDINALITY LIMIT {change.limit} ({f'TOKEN({names})' if change.is_token else names})"


def _present(table_text: TableText, change: SetLimit) -> tuple[LimitElement, Span] | None:
    """Return what declares the limit on the columns, and its number; None where nothing does."""
    for element in _limits_of(table_text):
        names, is_token, number = _parts(element)
        if set(names) == set(change.columns) and is_token == change.is_token and number is not None:
            return element, number
    return None


def _limits_of(table_text: TableText) -> list[LimitElement]:
    """Return every element and column constraint that may hold a limit."""
    beside = (
        constraint
        for element in table_text.statement.elements
        if isinstance(element, ast.ColumnDefinition)
        for constraint in element.constraints
    )
    return [
        element
        for element in (*table_text.statement.elements, *beside)
        if isinstance(element, ast.LimitClause | ast.ForeignKeyClause | ast.EntityReference)
    ]


def _parts(element: LimitElement) -> tuple[tuple[str, ...], bool, Span | None]:
    """Return the columns of a limit, whether it counts words, and where its number stands."""
    match element:
        case ast.LimitClause():
            return tuple(name.text for name in element.columns), element.is_token, element.limit_span
        case ast.ForeignKeyClause():
            return tuple(name.text for name in element.columns), False, element.max_span
        case ast.EntityReference():
            return (element.name.text,), False, element.max_span


def _without_limit(
    table_text: TableText, present: tuple[LimitElement, Span] | None, change: SetLimit
) -> tuple[Edit, ...]:
    if present is None:
        raise SchemaEditRefused(f"the table {change.table} has no limit on {', '.join(change.columns)}")
    element, _ = present
    if isinstance(element, ast.LimitClause):
        return without_elements(table_text, [element])
    return without_maximum(table_text.file, element)
