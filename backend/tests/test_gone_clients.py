"""What nobody waits for any more is not begun, or given up: each key makes the answer to the one before it old."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import httpx
from patience import PATIENCE
from piql_backend.workers.pool import WorkerPool

from .test_workers import all_started, worker_processes

TEXT = '{"files": [{"path": "a.piql", "text": "CREATE TABLE t (a INT PRIMARY KEY);"}]}'


def test_texts_whose_clients_have_gone_do_not_wait_for_a_worker(address: str, workers: WorkerPool) -> None:
    processes = all_started(workers)
    done = compiled_once(address, workers)
    with stopped(processes):
        with ExitStack() as clients:
            for _ in range(30):
                clients.enter_context(asking(address))
            wait_until(lambda: workers.waiting >= 30 - workers.limits.workers)
        wait_until(lambda: workers.waiting == 0)
    assert httpx.post(f"{address}/api/compilations", content=TEXT, headers=JSON, timeout=PATIENCE).status_code == 200
    assert workers.done <= done + workers.limits.workers + 1  # those that had begun, and the last


def test_a_client_that_stays_has_its_answer(address: str, workers: WorkerPool) -> None:
    compiled_once(address, workers)
    with ExitStack() as clients:
        with stopped(worker_processes()):
            staying = clients.enter_context(asking(address))
            with asking(address):
                wait_until(lambda: workers.waiting > 0)
        assert staying.recv(15) == b"HTTP/1.1 200 OK"


def test_a_text_that_is_compiled_is_given_up_once_its_client_has_gone(address: str, workers: WorkerPool) -> None:
    compiled_once(address, workers)
    given_up = workers.given_up
    with asking(address, text_of_queries(2000)):
        wait_until(lambda: workers.is_at_work)
    wait_until(lambda: workers.given_up == given_up + 1)
    whole = httpx.post(f"{address}/api/compilations", content=text_of_queries(2000), headers=JSON, timeout=PATIENCE)
    assert len(whole.json()["queries"]) == 2000


def text_of_queries(count: int) -> str:
    queries = (f"CREATE QUERY q{number} AS SELECT a FROM t WHERE a = [a] AND b > {number};" for number in range(count))
    text = "\n".join(("CREATE TABLE t (a INT PRIMARY KEY, b INT);", *queries))
    return json.dumps({"files": [{"path": "a.piql", "text": text}]})


JSON = {"content-type": "application/json"}


def compiled_once(address: str, workers: WorkerPool) -> int:
    """Compile, so that a worker has started; return how many jobs were done so far."""
    answer = httpx.post(f"{address}/api/compilations", content=TEXT, headers=JSON, timeout=PATIENCE)
    assert answer.status_code == 200
    return workers.done


@contextmanager
def asking(address: str, text: str = TEXT) -> Iterator[socket.socket]:
    """A client that asks for a compilation, and leaves without having read the answer."""
    url = urlsplit(address)
    with socket.create_connection((url.hostname, url.port), timeout=PATIENCE) as client:
        head = f"POST /api/compilations HTTP/1.1\r\nhost: {url.netloc}\r\ncontent-type: application/json\r\n"
        client.sendall(f"{head}content-length: {len(text)}\r\n\r\n{text}".encode())
        yield client


@contextmanager
def stopped(processes: set[int]) -> Iterator[None]:
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)
