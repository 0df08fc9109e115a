"""How elements are taken out of the text of a table: with their commas, and with their lines where these are theirs.

Enters: the statement, and the elements that go. Leaves: edits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from piql.compiler.fixes.select_text import without_comments
from piql.compiler.syntax import ast
from piql.text.diagnostics.diagnostic import Edit

Declaration: TypeAlias = ast.CreateTable | ast.CreateEntity
Element: TypeAlias = ast.ColumnDefinition | ast.EntityReference | ast.TableConstraint


def without_elements(file: ast.ParsedFile, statement: Declaration, gone: Sequence[Element]) -> tuple[Edit, ...]:
    """Return the edits that take elements out of their table, of which some stay.

    CREATE TABLE t (             CREATE TABLE t (
      a INT,                 →     a INT
      b INT -- no longer         );
    );
    """
    text, elements = file.source.text, statement.elements
    ranges = [_range_of(text, statement, number) for number, element in enumerate(elements) if element in gone]
    last = max(number for number, element in enumerate(elements) if element not in gone)
    if last < len(elements) - 1 and comma_behind(text, statement, len(elements) - 1) is None:
        comma = comma_behind(text, statement, last)
        if comma is not None:
            ranges.append((comma, comma + 1))
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(Edit(file.source.name, start, end, "") for start, end in joined)


def without_maximum(file: ast.ParsedFile, element: ast.ForeignKeyClause | ast.EntityReference) -> tuple[Edit, ...]:
    """Return the edit that takes `MAX n` from a foreign key; none where it has no number."""
    if element.max_span is None:
        return ()
    text = file.source.text
    word = text.upper().rindex("MAX", element.span.start, element.max_span.start)
    blank = len(text[:word]) - len(text[:word].rstrip())
    return (Edit(file.source.name, word - blank, element.max_span.end, ""),)


def comma_behind(text: str, statement: Declaration, number: int) -> int | None:
    """Return the offset of the comma behind an element; None where there is none."""
    elements = statement.elements
    end = elements[number].span.end
    following = elements[number + 1].span.start if number + 1 < len(elements) else statement.span.end - 1
    comma = without_comments(text[end:following]).find(",")
    return end + comma if comma >= 0 else None


def _range_of(text: str, statement: Declaration, number: int) -> tuple[int, int]:
    """Return what goes with an element: its whole lines where it has them alone, else it and its comma."""
    span, comma = statement.elements[number].span, comma_behind(text, statement, number)
    line_start = text.rfind("\n", 0, span.start) + 1
    line_end = text.find("\n", span.end)
    before = text[line_start : span.start].strip()
    is_own_comma = comma is not None and comma < line_end and before != ","
    rest = without_comments(text[comma + 1 if comma is not None and is_own_comma else span.end : line_end])
    leads_with_comma = before == "," and number > 0  # as in `, b INT`: the comma of the next one stays
    is_alone = leads_with_comma or (not before and (is_own_comma or comma is None))
    if is_alone and line_start > statement.span.start and line_end >= 0 and not rest.strip():
        return line_start, line_end + 1
    if comma is None:
        return len(text[: span.start].rstrip(" ")), span.end
    end = comma + 1
    return span.start, end + len(text[end:]) - len(text[end:].lstrip(" "))
