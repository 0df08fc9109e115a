"""Remedy: a column itself in an equality, instead of LOWER, UPPER or TRIM of it, so that an index serves the equality.

WHERE LOWER(email) = LOWER([email])   →   WHERE email = LOWER([email])     (emails are stored in lower case)
"""

from __future__ import annotations

from collections.abc import Iterator

from piql.compiler.fixes.remedy import Change, RefusedQuery, Remedy
from piql.compiler.fixes.select_text import occurrence_of, tests_of
from piql.compiler.syntax import ast
from piql.schema.catalog import Table
from piql.text.diagnostics.diagnostic import Edit

_STORED = {"LOWER": "in lower case", "UPPER": "in upper case", "TRIM": "without blanks around it"}


def compare_columns(query: RefusedQuery) -> list[Remedy]:
    """Return, for each column of a gap that is compared in another spelling, the equality with the column itself."""
    remedies: list[Remedy] = []
    for gap in query.gaps:
        occurrence = occurrence_of(query.body, gap.relation)
        if occurrence is None or not isinstance(occurrence.select, ast.Select):
            continue
        for call, column in _spelled(occurrence.select, gap.table, occurrence.called.text):
            stored = f"{column.name.text} is stored {_STORED[call.name.text.upper()]}"
            edit = Edit(call.span.file, call.span.start, call.span.end, column.span.text)
            consequence = f"changes the answer: only rows whose {stored} are found"
            remedies.append(Remedy(f"Compare {column.span.text} itself", consequence, Change.OTHER_ROWS, edit=edit))
    return remedies


def _spelled(select: ast.Select, table: Table, called: str) -> Iterator[tuple[ast.Call, ast.ColumnName]]:
    """Yield each call that spells a column of the table anew, on a side of an equality of WHERE, with the column."""
    for test in tests_of(select):
        if not isinstance(test, ast.Binary) or test.operator != "=":
            continue
        for side in (test.left, test.right):
            if not isinstance(side, ast.Call) or side.name.text.upper() not in _STORED or len(side.arguments) != 1:
                continue
            column = side.arguments[0]
            if not isinstance(column, ast.ColumnName) or table.column(column.name.text) is None:
                continue
            if column.qualifier is None or column.qualifier.text == called:
                yield side, column
