"""Remedy: a LIMIT below a join, so that the tests on other tables see the first rows of one table only.

SELECT s.id FROM statuses s JOIN accounts a ON a.id = s.author WHERE a.silenced = FALSE ORDER BY s.id DESC LIMIT 20
→ … FROM (SELECT * FROM statuses s ORDER BY s.id DESC LIMIT 100) s JOIN accounts a ON a.id = s.author WHERE …

The same where a test has a subquery. The answer changes; the consequence says so.
"""

from __future__ import annotations

from piql.compiler.fixes.remedies.read_first_rows import DEFAULT_ROWS
from piql.compiler.fixes.remedy import Change, RefusedQuery, Remedy
from piql.compiler.fixes.select_text import (
    COMMENT,
    Occurrence,
    joined_by_and,
    line_break,
    main_selects,
    occurrences_in,
    tests_of,
    where_of,
)
from piql.compiler.syntax import ast
from piql.text.diagnostics.diagnostic import Edit


def read_first_rows_of_join(query: RefusedQuery) -> list[Remedy]:
    """Return an edit for each SELECT with LIMIT or PAGINATE, a join or a subquery, and an ORDER BY of one table."""
    remedies: list[Remedy] = []
    for select in main_selects(query.body):
        if select.stop is None or select.group is not None or select.is_distinct:
            continue
        ordered = _ordered(select)
        edit = _edit(select, ordered) if ordered is not None else None
        if ordered is None or edit is None:
            continue
        assert isinstance(ordered.source, ast.TableName)
        table = ordered.source.table.text
        order = ", the first in this order" if select.order is not None else ""
        consequence = f"changes the answer: it is made of {DEFAULT_ROWS} rows of {table} at most{order}"
        title = f"Read the first {DEFAULT_ROWS} rows of {table} only"
        remedies.append(Remedy(title, consequence, Change.FEWER_ROWS, edit=edit, excludes=f"rows {edit.start}"))
    return remedies


def _ordered(select: ast.Select) -> Occurrence | None:
    """Return the table whose columns ORDER BY names, or without ORDER BY the first; None where it is several."""
    occurrences = list(occurrences_in(select))
    if not occurrences:
        return None
    if select.order is None or len(occurrences) == 1:
        return occurrences[0]
    names = {_relation_of(column) for item in select.order.items for column in item.expression.find(ast.ColumnName)}
    named = [occurrence for occurrence in occurrences if names == {occurrence.name.lower()}]
    return named[0] if len(named) == 1 and not named[0].is_optional else None


def _edit(select: ast.Select, ordered: Occurrence) -> Edit | None:
    """Return the edit of FROM and WHERE; None where nothing would stay outside, or a comment would be lost."""
    assert select.from_clause is not None
    source = ordered.source
    is_alone = not select.from_clause.joins
    condition = where_of(select)
    relation = None if is_alone else ordered.name.lower()
    inside = [test for test in tests_of(select) if _is_served(test, relation, _first_key(select))]
    outside = [test for test in tests_of(select) if test not in inside]
    if is_alone and not any(next(test.find(ast.Select), None) is not None for test in outside):
        return None  # `read_first_rows` is for tests of the same table
    text = source.span.source.text
    end = select.from_clause.span.end if condition is None else condition[1]
    if COMMENT.search(text[source.span.start : end]):
        return None
    order = f" {select.order.span.text}" if select.order is not None else ""
    inner = f" WHERE {joined_by_and(inside)}" if inside else ""
    derived = f"(SELECT * FROM {source.span.text}{inner}{order} LIMIT {DEFAULT_ROWS}) {ordered.name}"
    joins = text[source.span.end : select.from_clause.span.end]
    where = f"{line_break(text, select)}WHERE {joined_by_and(outside)}" if outside else ""
    return Edit(source.span.file, source.span.start, end, derived + joins + where)


def _first_key(select: ast.Select) -> str | None:
    """Return the column that ORDER BY names first, in lower case; None without one."""
    first = select.order.items[0].expression if select.order is not None else None
    return first.name.text.lower() if isinstance(first, ast.ColumnName) else None


def _is_served(test: ast.Expression, relation: str | None, first_key: str | None) -> bool:
    """Whether one index can apply a test and give the order: an equality, or a range on the first column of the order.

    The column is one of `relation`, if that is given.
    """
    is_range = False
    match test:
        case ast.Binary(operator="=" | "<" | "<=" | ">" | ">=" as operator, left=left, right=right):
            sides = [left, right]
            is_range = operator != "="
        case ast.NullTest(operand=operand, is_negated=False):
            sides = [operand]
        case ast.In(operand=operand, items=items, is_negated=False):
            sides = [operand, *items]
        case ast.Between(operand=operand, low=low, high=high, is_negated=False):
            sides = [operand, low, high]
            is_range = True
        case _:
            return False
    columns = [side for side in sides if isinstance(side, ast.ColumnName)]
    values = [side for side in sides if isinstance(side, ast.LiteralValue | ast.ParameterUse)]
    if len(columns) != 1 or len(values) != len(sides) - 1:
        return False
    if is_range and first_key is not None and columns[0].name.text.lower() != first_key:
        return False
    return relation is None or _relation_of(columns[0]) == relation


def _relation_of(column: ast.ColumnName) -> str:
    """Return what stands before the dot, in lower case; nothing where there is none."""
    return "" if column.qualifier is None else column.qualifier.text.lower()
