"""What a request asked for, for the record: its path alone does not say which role somebody was given.

{"role": "deployer", "application": "shop", "password": "…"}  →  {"role": "deployer", "application": "shop"}

Only fields of the list below are told, so that no secret, text or row gets into a record that nobody can change.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fastapi import Request

TOLD = (
    *("name", "id", "title", "role", "application", "environment", "path", "new_path", "line", "query", "table"),
    *("is_disabled", "is_archived", "is_resolved", "days", "template", "kind", "file_name", "size", "prefix", "branch"),
    *("verdict", "revision", "version", "base_version", "removes", "run_id", "share", "thresholds", "why", "label"),
    *("needs_request", "load_runs_by", "run_on", "approvals", "excludes_author", "checks"),
    *("quantile", "threshold_ms", "interval_seconds", "seconds", "rows", "add", "dry_run", "allow_writes"),
)
_MOST_CHARACTERS = 80  # of one value


def wish_of(request: Request) -> str:
    """What the body of a request says, as far as it is told; empty where it was not read, or says nothing of that."""
    body = vars(request).get("_json")  # kept by Starlette once the endpoint's arguments were read
    return "" if not isinstance(body, Mapping) else wish_among(body)


def wish_among(fields: Mapping[str, Any]) -> str:
    """The fields that are told, in the order of the list, as JSON."""
    shown = {name: _short(fields[name]) for name in TOLD if name in fields}
    text = json.dumps(shown, ensure_ascii=False) if shown else ""
    return text.encode("utf-8", "replace").decode()  # halves of characters, which no database takes


def _short(value: Any) -> Any:
    """A value, or its beginning where it is long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= _MOST_CHARACTERS:
        return value
    return f"{text[:_MOST_CHARACTERS]}…"
