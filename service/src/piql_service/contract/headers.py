"""The headers of requests and answers that are the service's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SESSION = "Piql-Session"
NEW_SESSION = "new"
CONSISTENCY = "Piql-Consistency"
TIMEOUT = "Piql-Timeout-Ms"
PAGES = "Piql-Pages"

MOST_TIMEOUT_MS = 600_000
MOST_PAGES = 1_000_000

REQUEST_HEADERS: Mapping[str, tuple[Mapping[str, Any], str]] = {
    SESSION: ({"type": "string"}, "`new`, or the token of the session's answer before: reads see what it has written"),
    CONSISTENCY: ({"enum": ["eventual", "quorum"]}, "how fresh the rows of a read are"),
    TIMEOUT: (
        {"type": "integer", "minimum": 1, "maximum": MOST_TIMEOUT_MS},
        "milliseconds after which nobody waits for the answer any more",
    ),
    PAGES: (
        {"type": "integer", "minimum": 1, "maximum": MOST_PAGES},
        "with `Accept: application/x-ndjson`: how many pages are sent at most",
    ),
}
