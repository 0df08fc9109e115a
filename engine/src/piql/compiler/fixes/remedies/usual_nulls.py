"""Remedy: NULLs where an index has them, as the smallest values, so that an index gives the order.

ORDER BY rank NULLS LAST LIMIT 10   →   ORDER BY rank LIMIT 10
"""

from __future__ import annotations

import re

from piql.compiler.fixes.remedy import Change, RefusedQuery, Remedy
from piql.compiler.fixes.select_text import occurrence_of
from piql.text.diagnostics.diagnostic import Edit

_NULLS = re.compile(r"\s+NULLS\s+(FIRST|LAST)$", re.IGNORECASE)


def leave_nulls_as_usual(query: RefusedQuery) -> list[Remedy]:
    """Return, for each sort with an unusual place of NULL, the same order with NULL as the smallest value."""
    remedies: list[Remedy] = []
    for gap in query.gaps:
        occurrence = occurrence_of(query.body, gap.relation)
        if occurrence is None or occurrence.select.order is None:
            continue
        unusual = [
            item
            for item in occurrence.select.order.items
            if item.nulls == ("LAST" if item.is_ascending else "FIRST") and _NULLS.search(item.span.text)
        ]
        if len(unusual) != 1:
            continue
        (item,) = unusual
        match = _NULLS.search(item.span.text)
        assert match is not None
        column, place = item.expression.span.text, "first" if item.is_ascending else "last"
        edit = Edit(item.span.file, item.span.start + match.start(), item.span.end, "")
        consequence = f"changes the order: rows without {column} come {place}, and LIMIT takes the first ones"
        title = f"Leave out {match[0].strip().upper()}"
        remedies.append(Remedy(title, consequence, Change.OTHER_ROWS, edit=edit, excludes="order"))
    return remedies
