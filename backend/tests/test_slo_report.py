"""`piql slo` prints how often each SLO was kept, observed beside predicted."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any, ClassVar
from urllib.request import OpenerDirector

import pytest
from piql_backend.slos.report import SLO_FAILED, TOKEN_VARIABLE, UNREACHABLE, report

QUERY = {
    "query": "findUser",
    "slo": {"quantile": 0.99, "threshold_ms": 500.0, "interval_seconds": 600.0},
    "compliance": {"kept": 6, "judged": 6, "samples_needed": 100},
    "observed": {"p99_ms": 2.1},
    "predicted_compliance": None,
}


def predicted(within: int, most: float = 0.992) -> dict[str, Any]:
    agreement = {"within": within, "executions": 100_000, "predicted": 0.992, "predicted_most": most}
    return {"predicted_compliance": {"at_limits": 0.99, "agreement": agreement}}


@pytest.mark.parametrize(
    ("change", "printed", "code"),
    [
        ({}, "✓  findUser: 99 % within 500 ms in each 600 s; kept in 6 of 6 intervals, p99 2.1 ms", 0),
        (predicted(99_436), "p99 2.1 ms; 99.43 % of ≈ 99.2 % predicted", 0),
        (predicted(99_999, 0.99512), "; 99.99 % of ≈ 99.2 to 99.51 % predicted", 0),
        (predicted(100_000, 1.0), "; 100 % of ≈ 99.2 to 100 % predicted", 0),
        ({"predicted_compliance": {"at_limits": 0.99, "agreement": None}}, "p99 2.1 ms", 0),
        ({"compliance": {"kept": 5, "judged": 6}}, "✗  findUser: 99 % within 500 ms", SLO_FAILED),
    ],
)
def test_a_line_has_what_was_observed_and_what_was_predicted_of_the_same_executions(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    change: dict[str, Any],
    printed: str,
    code: int,
) -> None:
    answer = json.dumps({"queries": [QUERY | change]}).encode()
    monkeypatch.setattr(OpenerDirector, "open", lambda _opener, request, timeout: io.BytesIO(answer))
    assert report("http://127.0.0.1:8400", "scadr", "production", "live", 3600, "table") == code
    (line,) = capsys.readouterr().out.splitlines()
    assert printed in line
    assert ("predicted" in line) == ("predicted" in printed)


class _Guarded(BaseHTTPRequestHandler):
    """A workbench of a team: it answers who shows the token, and sends everybody else away."""

    shown: ClassVar[list[str | None]] = []

    def do_GET(self) -> None:
        self.shown.append(self.headers["Authorization"])
        is_known = self.shown[-1] == "Bearer secret"
        self.send_response(200 if is_known else 302)
        self.send_header("Location", "/elsewhere")
        self.end_headers()
        if is_known:
            self.wfile.write(json.dumps({"queries": [QUERY]}).encode())

    def log_message(self, *words: object) -> None:
        """Say nothing."""


@pytest.fixture
def guarded() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _Guarded)
    thread = Thread(target=server.serve_forever)
    thread.start()
    _Guarded.shown = []
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_workbench_of_a_team_is_shown_the_token_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, guarded: str
) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "secret")
    assert report(guarded, "scadr", "production", "live", 3600, "table") == 0
    monkeypatch.setenv(TOKEN_VARIABLE, "another")
    assert report(guarded, "scadr", "production", "live", 3600, "table") == UNREACHABLE
    assert _Guarded.shown == ["Bearer secret", "Bearer another"]  # no redirect is followed with it


def test_a_token_is_not_sent_where_others_could_read_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "secret")
    monkeypatch.setattr(OpenerDirector, "open", lambda *asked, **how: pytest.fail("it was asked"))
    assert report("http://workbench.example", "scadr", "production", "live", 3600, "table") == UNREACHABLE
    assert "give an https address" in capsys.readouterr().err
