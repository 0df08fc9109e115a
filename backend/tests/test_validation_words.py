"""What is wrong with a request is said of its field, in plain words."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from .conftest import DEVELOPMENT

FILES = "/api/applications/scadr/files"
RUNS = f"{DEVELOPMENT}/load-runs"


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        (FILES, {"path": "a.piql", "text": "x" * 1_000_001}, "text: may have at most 1,000,000 characters"),
        (FILES, {"text": ""}, "path: must be given"),
        (FILES, {"path": "a.piql", "text": 7}, "text: must be a text"),
        (FILES, {"path": "a.piql", "text": "", "mode": 1}, "mode: there is no such field"),
        (RUNS, {"rates": ["many"]}, "rates.0: must be a number"),
        (RUNS, {"seconds": 0}, "seconds: must be at least 1"),
    ],
)
async def test_a_field_that_does_not_fit_is_named_and_told_what_fits(
    client: httpx.AsyncClient, path: str, body: dict[str, Any], message: str
) -> None:
    answer = await client.post(path, json=body)
    assert answer.status_code == 422
    assert message in answer.json()["message"]
