"""`piql app` shows a team's workbench a token, and nobody who could read it on its way."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.request import OpenerDirector

import pytest
from piql_backend.commands.applications import REFUSED, UNREACHABLE, app
from piql_backend.slos.report import TOKEN_VARIABLE


class Guarded(BaseHTTPRequestHandler):
    """Lists no applications to who has the token, and sends everybody else somewhere else."""

    shown: ClassVar[list[str | None]] = []

    def do_GET(self) -> None:
        token = self.headers.get("Authorization")
        self.shown.append(token)
        self.send_response(200 if token == "Bearer secret" else 307)
        if token != "Bearer secret":
            self.send_header("Location", "/elsewhere")
        self.end_headers()
        self.wfile.write(json.dumps({"items": [], "next": None}).encode())

    def log_message(self, *_words: object) -> None:
        """Say nothing of requests."""


@pytest.fixture
def guarded() -> Iterator[str]:
    Guarded.shown.clear()
    server = HTTPServer(("127.0.0.1", 0), Guarded)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_token_comes_from_the_environment_or_from_a_file(
    guarded: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "secret")
    assert app(["--url", guarded, "list"]) == 0
    monkeypatch.setenv(TOKEN_VARIABLE, "of somebody else")
    (tmp_path / "token").write_text("secret\n")
    assert app(["--url", guarded, "--token-file", str(tmp_path / "token"), "list"]) == 0
    assert Guarded.shown == ["Bearer secret", "Bearer secret"]


def test_no_redirect_is_followed_with_a_token(guarded: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "another")
    assert app(["--url", guarded, "list"]) == REFUSED
    assert Guarded.shown == ["Bearer another"]


def test_a_token_is_not_sent_where_others_could_read_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "secret")
    monkeypatch.setattr(OpenerDirector, "open", lambda *asked, **how: pytest.fail("it was asked"))
    assert app(["--url", "http://workbench.example", "list"]) == UNREACHABLE
    assert "give an https address" in capsys.readouterr().err


def test_a_file_without_a_token_that_can_be_read_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert app(["--token-file", str(tmp_path / "nowhere"), "list"]) == UNREACHABLE
    assert "nowhere" in capsys.readouterr().err
