"""The service as it runs: workers are killed, and nothing that was acknowledged is lost."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from queue import Queue
from threading import Event

import httpx
import piql
import pytest
from piql_service.commands.service import service

from .conftest import SCADR, serving


@pytest.fixture
def store(tmp_path: Path) -> str:
    url = f"embedded:{tmp_path / 'store.db'}"
    with piql.connect(url) as database:
        database.deploy(piql.compile(SCADR))
    return url


@pytest.fixture
def running(store: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A service of two workers at a free port, with its address."""
    with serving(store, "--workers", "2") as started:
        yield started


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


def test_killed_workers_lose_nothing_that_was_acknowledged(
    running: tuple[subprocess.Popen[str], str], store: str
) -> None:
    process, address = running
    acknowledged, numbers, enough = Queue[str](), count(), Event()

    def write_on() -> None:
        while not enough.is_set():
            name = f"user{next(numbers)}"
            body = {"parameters": {"username": name, "hometown": None}}
            try:
                if httpx.post(f"{address}/queries/addUser", json=body, timeout=30).status_code == 200:
                    acknowledged.put(name)
            except httpx.TransportError:
                pass  # of a worker that was killed: the write may be made or not

    with ThreadPoolExecutor(3) as writers:
        writing = [writers.submit(write_on) for _ in range(3)]
        try:
            names = [acknowledged.get(timeout=60) for _ in range(15)]
            for killed in (1, 2):
                for pid in workers_of(process)[:killed]:
                    os.kill(pid, signal.SIGKILL)
                names += [acknowledged.get(timeout=60) for _ in range(15)]
        finally:
            enough.set()
        for future in writing:
            future.result()
    with piql.connect(store) as database:
        lost = [name for name in names if not database.execute("findUser", {"username": name}).rows]
    assert lost == []


def test_a_stopped_service_has_counted_every_execution(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIQL_REPORT", "http://127.0.0.1:1/reports")  # nobody is there: what is counted waits on disk
    monkeypatch.setenv("PIQL_REPORT_SPOOL", str(tmp_path / "spool"))
    with serving(store, "--workers", "2") as (_, address):
        for number in range(30):
            body = {"parameters": {"username": f"user{number}"}}
            assert httpx.post(f"{address}/queries/findUser", json=body, timeout=30).status_code == 200
    files = [path for path in (tmp_path / "spool").rglob("*") if path.is_file()]
    assert {"".join(path.suffixes) for path in files} == {".json.gz"}
    shipments = [json.loads(gzip.decompress(path.read_bytes())) for path in files]
    assert sum(sum(shipment["cells"]["executions"]) for shipment in shipments) == 30


def test_the_port_is_refused_to_another_service_and_free_at_the_end(
    running: tuple[subprocess.Popen[str], str], store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    process, address = running
    assert service(["--store", store, "--port", address.rpartition(":")[2]]) == 1
    assert "Address already in use" in capsys.readouterr().err
    pids = workers_of(process)
    assert len(pids) == 2
    answer = httpx.get(f"{address}/metrics").text
    assert {f'piql_service_connections{{worker="{number}"}}' in answer for number in (0, 1)} == {True}
    process.terminate()
    assert process.wait(30) == 0
    assert [pid for pid in pids if Path(f"/proc/{pid}").exists()] == []
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{address}/healthz")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "0.0.0.0"], "give --tokens FILE"),
        (["--workers", "0"], "give 1 to 64"),
    ],
)
def test_what_is_not_safe_is_refused(
    store: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        service(["--store", store, *arguments])
    assert end.value.code == 2
    assert message in capsys.readouterr().err


def test_a_store_that_is_not_there_or_has_other_queries_is_told(
    tmp_path: Path, store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert service(["--store", f"embedded:{tmp_path / 'nowhere.db'}"]) == 1
    assert "there is no store at" in capsys.readouterr().err
    assert service(["--store", store, "--app", str(SCADR.parent / "tpcw")]) == 1
    assert "is not deployed: deploy" in capsys.readouterr().err
    assert service(["--store", "embedded:"]) == 1
    assert "temporary store" in capsys.readouterr().err
