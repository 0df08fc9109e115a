"""A load run is reported while it goes on; a workbench that is away keeps no run waiting."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from piql_profiler.load_runs.arrivals import Step
from piql_profiler.load_runs.reporting import NotReported, RunReporter, Workbench, workbench_of
from piql_profiler.load_runs.result import CalledQuery, LoadRun, Second, Setting
from piql_profiler.load_runs.run import Plan
from piql_profiler.load_runs.targets import Address

SETTING = Setting("embedded:", False, (Step(10.0, 2.0),), (CalledQuery("findUser", 1.0, 1),), 1, 4, 1, 10.0, 300)
PLAN = Plan(SETTING, Address("embedded:", None, None), (0,))
RUN = LoadRun(SETTING, 1_700_000_000.0, "done", "", 2.0, (), ())


class Taker:
    """A workbench that answers what a test says, by the end of the path; it keeps what it was sent."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, dict[str, Any]]] = {"reported": (201, {"id": "load-1"})}
        self.taken: list[tuple[str, dict[str, Any], str | None]] = []
        taker = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(gzip.decompress(self.rfile.read(int(self.headers["Content-Length"]))))
                taker.taken.append((self.path, body, self.headers["Authorization"]))
                status, answer = taker.answers.get(self.path.rpartition("/")[2], (200, {"state": "running"}))
                text = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *args: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}).start()

    @property
    def address(self) -> Workbench:
        return workbench_of(f"http://127.0.0.1:{self.server.server_port}/load-runs", None, {})


@pytest.fixture
def taker() -> Iterator[Taker]:
    started = Taker()
    yield started
    started.server.shutdown()
    started.server.server_close()


def second(at: float) -> Second:
    return Second(at, 10.0, 10.0, 0, 0, 1.0, 2.0, 0.1)


def reporter(taker: Taker, interrupted: threading.Event | None = None) -> tuple[RunReporter, list[str]]:
    complaints: list[str] = []
    return RunReporter(taker.address, PLAN, "nightly", interrupted or threading.Event(), complaints.append), complaints


def test_what_is_called_then_each_second_and_then_the_result_are_sent(taker: Taker) -> None:
    reporting, complaints = reporter(taker)
    for at in (1.0, 2.0):
        reporting.add(second(at))
    reporting.end(RUN)
    (begin, asked, _), *seconds, (end, result, _) = taker.taken
    assert (begin, asked["label"], asked["queries"]) == (
        "/load-runs/reported",
        "nightly",
        [{"name": "findUser", "weight": 1.0}],
    )
    assert [s["at"] for path, body, _ in seconds for s in body["seconds"] if path == "/load-runs/load-1/seconds"] == [
        1.0,
        2.0,
    ]
    assert (end, result["result"]["format"]) == ("/load-runs/load-1/reported-result", "piql-load-run")
    assert complaints == []


def test_seconds_that_could_not_be_sent_come_with_the_next_ones_and_are_complained_of_once(taker: Taker) -> None:
    taker.answers["seconds"] = (503, {"message": "It is being closed."})
    reporting, complaints = reporter(taker)
    for at in (1.0, 2.0):
        reporting.add(second(at))
        while len(taker.taken) < 1 + at:
            time.sleep(0.01)
    del taker.answers["seconds"]
    reporting.add(second(3.0))
    reporting.end(RUN)
    *_, (_, last, _), _ = taker.taken
    assert [sent["at"] for sent in last["seconds"]] == [1.0, 2.0, 3.0]
    assert complaints == [f"seconds wait: {taker.address} answers 503: It is being closed."]


def test_a_run_that_is_cancelled_in_the_workbench_is_interrupted(taker: Taker) -> None:
    taker.answers["seconds"] = (200, {"state": "cancelling"})
    interrupted = threading.Event()
    reporting, _ = reporter(taker, interrupted)
    reporting.add(second(1.0))
    assert interrupted.wait(20)
    reporting.end(RUN)


def test_a_run_that_the_workbench_does_not_take_does_not_begin(taker: Taker) -> None:
    taker.answers["reported"] = (404, {"message": "No query findUser is live in this environment."})
    with pytest.raises(NotReported, match="answers 404: No query findUser is live"):
        reporter(taker)


def test_the_token_comes_from_a_file_and_is_sent(taker: Taker, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("a-token\n")
    url = f"http://127.0.0.1:{taker.server.server_port}/load-runs"
    RunReporter(workbench_of(url, tmp_path / "token", {}), PLAN, None, threading.Event(), print).end(None)
    assert taker.taken[0][2] == "Bearer a-token"


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("http://127.0.0.1:8400/load", "is not the address of an environment's load runs"),
        ("ftp://127.0.0.1/load-runs", "is not the address"),
        ("https://me:word@workbench.example/load-runs", "a password in it"),
        ("http://workbench.example/load-runs", "could be read on its way"),
    ],
)
def test_an_address_that_may_not_be_used_is_refused(url: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        workbench_of(url, None, {"PIQL_WORKBENCH_TOKEN": "a-token"})


def test_a_failure_without_words_is_told_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise HTTPException

    monkeypatch.setattr(HTTPConnection, "request", fail)
    with pytest.raises(NotReported, match="does not answer: HTTPException"):
        workbench_of("http://127.0.0.1:1/load-runs", None, {}).post("/x", {})
