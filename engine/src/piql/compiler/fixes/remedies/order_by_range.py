"""Remedy: an order that begins with the column of the range, which an index can apply and be in the order of."""

from __future__ import annotations

from piql.compiler.fixes.remedy import Change, Patient, Remedy
from piql.compiler.fixes.select_text import place_of
from piql.text.diagnostics.diagnostic import Edit


def order_by_range(patient: Patient) -> list[Remedy]:
    """Return for each sort that a range stands in the way of the order that begins with the column of the range.

    A reference that is tested for not being NULL is a range, too.
    """
    found: list[Remedy] = []
    for gap in patient.gaps:
        column = gap.range_column if gap.kind == "sort" else gap.unset[0][0] if gap.unset else ""
        place = place_of(patient.body, gap.relation) if column else None
        if place is None or place.select.order is None:
            continue
        first = place.select.order.items[0]
        direction = "" if first.is_ascending else " DESC"
        start = first.expression.span.start
        edit = Edit(first.span.file, start, start, f"{place.column(column)}{direction}, ")
        what = f"changes the answer: the first rows by {column} come first, and LIMIT takes these"
        found.append(Remedy(f"Order by {column} first", what, Change.OTHER_ROWS, edit=edit, excludes="order"))
    return found
