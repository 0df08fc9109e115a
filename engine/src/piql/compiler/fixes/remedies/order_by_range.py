"""Remedy: an order that begins with the column of the range, which an index can apply and be in the order of."""

from __future__ import annotations

from piql.compiler.fixes.remedy import Change, RefusedQuery, Remedy
from piql.compiler.fixes.select_text import occurrence_of
from piql.text.diagnostics.diagnostic import Edit


def order_by_range(query: RefusedQuery) -> list[Remedy]:
    """Return for each sort that a range prevents the order that begins with the column of that range.

    A reference that is tested for not being NULL is a range, too.
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
