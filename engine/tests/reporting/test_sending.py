"""What is said of a workbench that does not answer."""

from __future__ import annotations

from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import pytest
from piql.reporting.address import ReportAddress
from piql.reporting.sending import send

ADDRESS = ReportAddress("http", "127.0.0.1", 1, "/reports", Path())


@pytest.mark.parametrize(
    ("failure", "said"), [(HTTPException(), "HTTPException"), (TimeoutError("timed out"), "timed out")]
)
def test_a_failure_without_words_is_told_by_its_name(
    failure: Exception, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise failure

    monkeypatch.setattr(HTTPConnection, "request", fail)
    answer = send(ADDRESS, b"", 1.0)
    assert (answer.outcome, answer.message) == ("later", f"{ADDRESS} does not answer: {said}")
