"""Remedies: PAGINATE and LIMIT at the end of a query that has neither."""

from __future__ import annotations

from piql.compiler.fixes.remedy import Change, RefusedQuery, Remedy
from piql.text.diagnostics.diagnostic import Edit

DEFAULT_ROWS = 100
DEFAULT_PAGE = 20  # rows of a page


def add_stop(query: RefusedQuery) -> list[Remedy]:
    """Return the remedies LIMIT and PAGINATE, on a line of their own in a query of several lines."""
    if query.has_stop:
        return []
    limit = (f"LIMIT {DEFAULT_ROWS}", f"the answer ends after {DEFAULT_ROWS} rows", Change.FEWER_ROWS)
    pages = (
        f"PAGINATE {DEFAULT_PAGE}",
        f"the answer comes in pages of {DEFAULT_PAGE} rows, the next one by a cursor",
        Change.PAGES,
    )
    in_steps = f"one execution changes at most {DEFAULT_ROWS} rows: execute it until rows_affected is less"
    stops = [(limit[0], in_steps, Change.FEWER_ROWS)] if query.is_write else [limit, pages]
    span = query.body_span
    body = span.text
    line = body.splitlines()[-1] if "\n" in body else ""
    space = "\n" + line[: len(line) - len(line.lstrip())] if line else " "
    return [
        Remedy(
            f"Add {words}",
            consequence,
            change,
            edit=Edit(span.file, span.end, span.end, space + words),
            excludes="stop",
        )
        for words, consequence, change in stops
    ]
