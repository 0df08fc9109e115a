"""`piql load-test`, as a user runs it: on an embedded store and over HTTP, for a second or two, with real clients."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import piql
import pytest
from piql_profiler.commands.load_test import load_test

SCHEMA = """
CREATE TABLE users (name VARCHAR(20), town VARCHAR(20), PRIMARY KEY (name));
CREATE TABLE follows (
  owner VARCHAR(20), target VARCHAR(20), CARDINALITY LIMIT 20 (owner), PRIMARY KEY (owner, target),
  FOREIGN KEY (target) REFERENCES users
);
CREATE QUERY findUser AS SELECT name, town FROM users WHERE name = [1: name];
CREATE QUERY followed AS
SELECT u.name, u.town FROM follows f JOIN users u WHERE u.name = f.target AND f.owner = [1: me];
CREATE QUERY addUser AS INSERT INTO users (name, town) VALUES ([1: name], [2: town]);
"""


@pytest.fixture
def store(tmp_path: Path) -> str:
    (tmp_path / "app.piql").write_text(SCHEMA)
    url = f"embedded:{tmp_path / 'app.db'}"
    with piql.connect(url, report="") as db:
        db.deploy(piql.compile(tmp_path / "app.piql"))
        db.load("users", [{"name": f"u{number}", "town": "Paris"} for number in range(20)])
        db.load("follows", [{"owner": "u1", "target": f"u{number}"} for number in range(10)])
    return url


def users_of(store: str) -> int:
    with piql.connect(store, report="") as db:
        return len(db.some_rows("users", ["name"], 1_000))


def ends_with(arguments: list[str]) -> int:
    try:
        return load_test(arguments)
    except SystemExit as ended:
        return int(ended.code or 0)


def test_a_run_calls_every_query_that_reads_and_keeps_what_came_of_it(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {option: tmp_path / f"run.{option}" for option in ("out", "hlog", "html")}
    kept = [text for option, path in files.items() for text in (f"--{option}", str(path))]
    code = ends_with(["--store", store, "--rate", "60,90", "--seconds", "1.5", "--clients", "2", *kept])
    assert code in (0, 97)  # on a busy machine the client itself may be late, and then it says so
    printed = capsys.readouterr()
    assert "Step 2: 90 calls a second for 1.5 s" in printed.out
    assert "asked 60/s" in printed.err
    result = json.loads(files["out"].read_text())
    assert {(line["step"], line["query"]) for line in result["lines"]} == {
        (step, query) for step in (0, 1) for query in ("findUser", "followed")
    }
    assert all(line["errors"] == {} and line["unanswered"] == 0 for line in result["lines"])
    followed = [line for line in result["lines"] if line["query"] == "followed"]
    assert max(line["most_requests"] for line in followed) <= 21
    assert sum(line["due"] for line in result["lines"]) == sum(line["answered"] for line in result["lines"])
    assert "Tag=findUser:60:rt" in files["hlog"].read_text()
    assert files["html"].read_text().startswith("<!doctype html>")
    assert users_of(store) == 20


def test_a_query_that_writes_is_called_where_it_is_named(store: str) -> None:
    assert ends_with(["--store", store, "--rate", "40", "--seconds", "1", "--clients", "1", "--query", "addUser"]) in (
        0,
        97,
    )
    assert users_of(store) > 20


def test_two_results_are_compared(store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = [str(tmp_path / f"{name}.json") for name in ("a", "b")]
    for result in results:
        ends_with(["--store", store, "--rate", "40", "--seconds", "1", "--clients", "1", "--out", result])
    capsys.readouterr()
    assert ends_with(["--compare", *results]) == 0
    printed = capsys.readouterr().out
    assert "findUser" in printed
    assert "has a probability of at most 5%" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--rate is required: calls a second"),
        (["--rate", "fast"], "--rate fast: write numbers above 0"),
        (["--rate", "5,6,7", "--seconds", "1,2"], "--rate has 3 steps, and --seconds 2"),
        (["--rate", "5", "--query", "findUsr"], "no query 'findUsr' is deployed: did you mean findUser?"),
        (["--rate", "5", "--query", "findUser=0"], "--query findUser=0: a weight is a number above 0"),
        (
            ["--rate", "5", "--mix", "scadr"],
            "the mix scadr calls thoughtstream, and no query 'thoughtstream'",
        ),
        (["--rate", "5", "--stop-if", "speed > 5ms"], "'speed' is not known here: write for example 'p99 > 50ms'"),
        (["--rate", "5", "--connections", "0"], "--clients is a number from 1 to 64"),
        (["--rate", "5", "--service", "shop"], "--service is no address: write one such as http://127.0.0.1:8500"),
        (["--rate", "5", "--service", "https://["], "--service is no address: write one such as http://127.0.0.1:8500"),
        (["--rate", "5", "--out", "none/run.json"], "none/run.json: there is no folder none: make it first"),
        (["--rate", "5", "--slo", "soon"], "--slo: soon is neither a number of ms nor a file"),
    ],
)
def test_what_is_wrong_with_arguments_is_said(
    store: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ends_with(["--store", store, *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_store_that_is_not_there_is_said_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ends_with(["--store", f"embedded:{tmp_path / 'none.db'}", "--rate", "5"]) == 1
    assert "there is no store at" in capsys.readouterr().err


def test_a_threshold_that_no_window_can_check_is_said_before_the_run(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ends_with(["--store", store, "--rate", "5", "--seconds", "0.2", "--clients", "1", "--stop-if", "p99 > 50ms"])
    printed = capsys.readouterr()
    assert "a window of 10 s has about 50 calls, and 300 are needed: write --window 90" in printed.err
    assert "p99 > 50ms: never checked" in printed.out


def test_ctrl_c_keeps_what_was_measured_and_says_that_it_is_partial(store: str, tmp_path: Path) -> None:
    arguments = [
        "--store",
        store,
        "--rate",
        "40",
        "--seconds",
        "600",
        "--clients",
        "1",
        "--out",
        str(tmp_path / "run.json"),
    ]
    program = "import sys; from piql_profiler.commands.load_test import load_test; sys.exit(load_test(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    line = process.stderr.readline()
    assert "asked 40/s" in line
    os.kill(process.pid, signal.SIGINT)
    output, errors = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "This result is partial: the run was interrupted after" in output
    assert json.loads((tmp_path / "run.json").read_text())["ended"] == "interrupted"


class _Service(BaseHTTPRequestHandler):
    """Answers as the query service does; every call of `followed` is refused."""

    protocol_version = "HTTP/1.1"
    asked: list[tuple[str, str | None, Any]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, self.headers["Authorization"], body))
        is_refused = self.path == "/queries/followed"
        answer = (
            {"code": "budget-used-up", "message": "the budget is used up"}
            if is_refused
            else {"rows": [], "cursor": None, "rows_affected": None, "operations": 1}
        )
        content = json.dumps(answer).encode()
        self.send_response(429 if is_refused else 200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def service() -> Iterator[ThreadingHTTPServer]:
    _Service.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def run_on(service: ThreadingHTTPServer, store: str, *more: str) -> int:
    address = f"http://127.0.0.1:{service.server_port}"
    asked = ["--rate", "40", "--seconds", "1", "--clients", "1", "--connections", "4"]
    return ends_with(["--store", store, "--service", address, *asked, *more])


def test_the_query_service_is_called_with_a_token_that_is_no_argument(
    store: str, service: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PIQL_SERVICE_TOKEN", "secret")
    assert run_on(service, store, "--query", "findUser", "--out", str(tmp_path / "run.json")) in (0, 97)
    path, token, body = _Service.asked[-1]
    assert (path, token) == ("/queries/findUser", "Bearer secret")
    assert body["parameters"]["name"].startswith("u")
    assert "secret" not in (tmp_path / "run.json").read_text()


def test_refusals_of_the_service_are_errors_by_their_codes(
    store: str, service: ThreadingHTTPServer, capsys: pytest.CaptureFixture[str]
) -> None:
    run_on(service, store)
    assert "× budget-used-up (the budget is used up)" in capsys.readouterr().out


def test_a_service_that_is_away_is_an_error_of_each_call_and_no_traceback(
    store: str, service: ThreadingHTTPServer, capsys: pytest.CaptureFixture[str]
) -> None:
    service.shutdown()
    service.server_close()
    assert run_on(service, store, "--query", "findUser") == 1
    printed = capsys.readouterr()
    assert "× unreachable (ConnectionRefusedError: " in printed.out
    assert "Traceback" not in printed.err
