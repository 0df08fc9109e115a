"""What a fix makes of a text, and of the query that it mends."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal, cast

import piql

from .query import Stop
from .query_generator import QueryCase


def mended(source: str, fix: piql.Fix) -> str | None:
    """Return a text with the edits of a fix; None where they overlap or leave the text."""
    text, last = source, len(source) + 1
    for edit in sorted(fix.edits, key=lambda edit: edit.start, reverse=True):
        if not 0 <= edit.start <= edit.end <= min(last, len(source)):
            return None
        last = edit.start
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def with_stop_of(fix: piql.Fix, case: QueryCase) -> QueryCase:
    """Return a query with the PAGINATE or LIMIT that a fix adds to it."""
    added = re.match(r"Add (LIMIT|PAGINATE) (\d+) ", fix.title)
    if added is None:
        return case
    stop = Stop(cast("Literal['LIMIT', 'PAGINATE']", added[1]), int(added[2]))
    return replace(case, query=replace(case.query, stop=stop))  # type: ignore[call-arg]
