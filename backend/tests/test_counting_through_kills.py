"""SCADr's queries in several processes that report to a workbench: the dashboard counts what they executed, exactly.

Processes are killed, the workbench is killed and away for a while, and shipments come twice. The processes share an
embedded store, or a cluster of three nodes.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from patience import PATIENCE
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]

SCADR = Path(__file__).resolve().parents[2] / "sample-apps" / "scadr"
HEADERS = {"content-type": "application/json", "content-encoding": "gzip"}
PROCESSES, USERS = 3, 20
EXECUTED = {"findUser": 20, "thoughtstream": 10, "postThought": 1}  # in one round of a process
APPLICATION = """
import sys
from datetime import UTC, datetime, timedelta
sys.path.insert(0, sys.argv[2])
import piql
from data import username
with piql.connect(sys.argv[1]) as db:
    reporter = db.reporter
    for number, word in enumerate(sys.stdin):
        if word == "end\\n":
            break
        me = username(number % 20)
        for _ in range(20):
            db.execute("findUser", {"username": me})
        for _ in range(10):
            db.execute("thoughtstream", {"me": me, "count": 10})
        posted = datetime.now(UTC)
        db.execute("postThought", {"me": me, "posted": posted, "text": sys.argv[3]})
        reporter.fold()
        reporter.keep()       # from here on a kill does not lose them
        if word == "ship\\n":
            reporter.ship(5)  # also where nobody answers
        print("kept", flush=True)
"""


class Application:
    """A process that executes a round of SCADr's queries for each line that it is told."""

    def __init__(self, store: str, number: int, environment: dict[str, str]) -> None:
        words = [sys.executable, "-c", APPLICATION, store, str(SCADR), f"by {number}"]
        self.process = subprocess.Popen(
            words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.rounds = 0

    def executes(self, word: str = "go") -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "kept\n"
        self.rounds += 1

    def is_killed(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def ends(self) -> None:
        self.process.communicate("end\n", timeout=PATIENCE)
        assert self.process.returncode == 0


@contextmanager
def served(data: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    """A workbench in a process of its own, until it is killed."""
    words = [sys.executable, "-m", "piql_backend", "--port", str(port), "--data", str(data)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert str(port) in process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture(params=["embedded", pytest.param("cluster", marks=pytest.mark.cluster)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    sys.path.insert(0, str(SCADR))
    from data import generate  # the application's own rows

    if request.param == "embedded":
        url = f"embedded:{tmp_path / 'scadr.db'}"
    else:
        url = request.getfixturevalue("cluster_url")()
    with piql.connect(url, report="") as db:
        db.deploy(piql.compile(SCADR))
        for table, rows in generate(users=USERS).items():
            db.load(table, rows)
    return url


def test_the_dashboard_counts_what_processes_executed_whoever_is_killed_or_away_or_comes_twice(
    settings: Settings, store: str, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    reports = f"http://127.0.0.1:{port}{DEVELOPMENT}/reports"
    spool = tmp_path / "spool"
    environment = os.environ | {"PIQL_REPORT": reports, "PIQL_REPORT_SPOOL": str(spool)}
    with ExitStack() as ending:
        applications = [Application(store, number, environment) for number in range(PROCESSES)]
        for application in applications:
            ending.callback(application.process.kill)
        with served(settings.data, port):
            for word in ("go", "ship", "go"):
                for application in applications:
                    application.executes(word)
            applications[0].is_killed()
        # The workbench was killed, too.
        for word in ("go", "ship", "go"):
            for application in applications[1:]:
                application.executes(word)
        applications[1].is_killed()
        waiting = tmp_path / "waiting"
        shutil.copytree(spool, waiting)
        with served(settings.data, port):
            applications[2].executes("ship")
            applications[2].executes()
            applications[2].ends()
            for file in spool.rglob("*-*.*"):
                os.utime(file, (1, 1))  # as if the processes that were killed were gone for a minute
            last = Application(store, PROCESSES, environment)
            last.executes("ship")
            last.ends()
            assert [file.name for file in spool.rglob("*") if file.is_file()] == []
            again = [
                httpx.post(reports, content=file.read_bytes(), headers=HEADERS, timeout=PATIENCE).json()["is_new"]
                for file in waiting.rglob("*.json.gz")
            ]
            assert again
            assert not any(again)
            counted = httpx.get(reports, timeout=PATIENCE).json()
    rounds = sum(application.rounds for application in (*applications, last))
    assert {query["query"]: query["executions"] for query in counted["queries"]} == {
        query: rounds * count for query, count in EXECUTED.items()
    }
    assert Counter(outcome["outcome"] for query in counted["queries"] for outcome in query["outcomes"]) == {"ok": 3}
    assert counted["lost"] == 0
