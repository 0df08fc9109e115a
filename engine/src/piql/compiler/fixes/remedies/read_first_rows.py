"""Remedy: a LIMIT in a derived table, below an aggregate, a sort or a test that would read all rows."""

from __future__ import annotations

from piql.compiler.fixes.remedy import Change, RefusedQuery, Remedy
from piql.compiler.fixes.select_text import COMMENT, joined_by_and, main_selects, occurrence_of, tests_of, where_of
from piql.compiler.physical.planner.unbounded import Gap
from piql.compiler.syntax import ast
from piql.text.diagnostics.diagnostic import Edit
from piql.text.source import Span

DEFAULT_ROWS = 100  # the user is expected to change it


def read_first_rows(query: RefusedQuery) -> list[Remedy]:
    """Return, for each relation that is read without a join, the query over its first rows only.

    SELECT COUNT(*) FROM users WHERE age > 3
    → SELECT COUNT(*) FROM (SELECT * FROM users WHERE age > 3 LIMIT 100) users

    Tests that an index serves move into the derived table, the others stay outside. The answer changes; the title of
    the remedy says so.
    """
    remedies: list[Remedy] = []
    for gap in query.gaps:
        if gap.kind not in ("aggregate", "sort", "blocked"):
            continue
        occurrence = occurrence_of(query.body, gap.relation)
        if (
            occurrence is None
            or not isinstance(occurrence.select, ast.Select)
            or not isinstance(occurrence.source, ast.TableName)
        ):
            continue  # a FETCH reads no derived tables
        if not any(select is occurrence.select for select in main_selects(query.body)):
            continue
        edit = _edit(gap, occurrence.select, occurrence.source, occurrence.name)
        if edit is not None:
            title = f"Read the first {DEFAULT_ROWS} rows of {gap.table.name} only"
            consequence = f"changes the answer: it is made of {DEFAULT_ROWS} rows of {gap.table.name} at most"
            remedies.append(
                Remedy(title, consequence, Change.PART_OF_THE_DATA, edit=edit, excludes=f"rows {edit.start}")
            )
    return remedies


def _edit(gap: Gap, select: ast.Select, source: ast.TableName, name: str) -> Edit | None:
    """Return the edit of FROM and WHERE; None with a join, or where a comment would be lost."""
    assert select.from_clause is not None
    if select.from_clause.joins:
        return None
    start, end = source.span.start, select.from_clause.span.end
    inner, outer = "", ""
    condition = where_of(select)
    if condition is not None:
        served = {(span.start, span.end) for span in gap.served}
        inside = [test for test in tests_of(select) if (test.span.start, test.span.end) in served]
        outside = [test for test in tests_of(select) if test not in inside]
        inner, outer = (f" WHERE {joined_by_and(tests)}" if tests else "" for tests in (inside, outside))
        end = condition[1]
    if COMMENT.search(_text(source.span, start, end)):
        return None
    order = f" {select.order.span.text}" if gap.kind == "blocked" and select.order is not None else ""
    derived = f"(SELECT * FROM {source.span.text}{inner}{order} LIMIT {DEFAULT_ROWS}) {name}"
    return Edit(source.span.file, start, end, derived + outer)


def _text(span: Span, start: int, end: int) -> str:
    return span.source.text[start:end]
