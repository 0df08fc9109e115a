"""Remedy: an order that begins with the column of the range, so that one index serves both the range and the order.

WHERE posted > [since] ORDER BY rank LIMIT 10   →   WHERE posted > [since] ORDER BY posted, rank LIMIT 10
"""

from __future__ import annotations

from piql.compiler.fixes.remedy import Change, RefusedQuery, Remedy
from piql.compiler.fixes.select_text import occurrence_of
from piql.text.diagnostics.diagnostic import Edit


def order_by_range(query: RefusedQuery) -> list[Remedy]:
    """Return, for each sort that a range prevents, an order that begins with the column of that range.

    IS NOT NULL on a reference counts as a range.
    """
    remedies: list[Remedy] = []
    for gap in query.gaps:
        column = gap.range_column if gap.kind == "sort" else gap.unset[0][0] if gap.unset else ""
        occurrence = occurrence_of(query.body, gap.relation) if column else None
        if occurrence is None or occurrence.select.order is None:
            continue
        first = occurrence.select.order.items[0]
        direction = "" if first.is_ascending else " DESC"
        start = first.expression.span.start
        edit = Edit(first.span.file, start, start, f"{occurrence.column(column)}{direction}, ")
        consequence = f"changes the answer: the first rows by {column} come first, and LIMIT takes these"
        remedies.append(Remedy(f"Order by {column} first", consequence, Change.OTHER_ROWS, edit=edit, excludes="order"))
    return remedies
