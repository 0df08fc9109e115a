"""Texts are compiled by processes with a budget: one that takes too much ends alone, and the others go on."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from piql_backend.compilations.schemas import CompilationCreate
from piql_backend.settings import WorkerLimits
from piql_backend.web.errors import ApiError
from piql_backend.web.schemas import SourceFile
from piql_backend.workers import pool as pools
from piql_backend.workers.pool import LARGE_BYTES, NICENESS, NICENESS_OF_LARGE, WorkerPool

from .conftest import DEVELOPMENT

SMALL = (SourceFile(path="a.piql", text="CREATE TABLE t (a INT PRIMARY KEY);"),)
Making = Callable[..., WorkerPool]


@pytest.fixture
def pool_with() -> Iterator[Making]:
    """Makes pools of one worker with limits of their own."""
    pools_made = []

    def make(**limits: float) -> WorkerPool:
        pools_made.append(WorkerPool(replace(WorkerLimits(workers=1), **limits)))  # type: ignore[arg-type]
        return pools_made[-1]

    yield make
    for pool in pools_made:
        pool.close()


def large(queries: int) -> tuple[SourceFile, ...]:
    table = "CREATE TABLE t (a INT PRIMARY KEY, b INT, c INT);"
    query = "CREATE QUERY q{} AS SELECT a, b, c FROM t WHERE a = [a] AND b > {};\n"
    return (SourceFile(path="a.piql", text=table + "".join(query.format(at, at) for at in range(queries))),)


def texts_of(files: tuple[SourceFile, ...]) -> dict[str, str]:
    return {file.path: file.text for file in files}


def compiled(pool: WorkerPool, files: tuple[SourceFile, ...]) -> bytes:
    answer: bytes = pool.submit("compile_to_json", CompilationCreate(files=list(files)), texts_of(files)).result(
        timeout=300
    )
    return answer


def worker_processes() -> set[int]:
    children = {int(child) for task in Path("/proc/self/task").iterdir() for child in read(task / "children").split()}
    return {child for child in children if b"piql_backend.worker_process" in read(Path(f"/proc/{child}/cmdline"))}


def all_started(pool: WorkerPool) -> set[int]:
    """The worker processes, once that for large texts has been started, too."""
    pool.submit("outline", SMALL[0], {"a.piql": " " * (LARGE_BYTES + 1)}).result(timeout=300)
    return worker_processes()


def read(file: Path) -> bytes:
    """What Linux says of a thread or process; nothing of one that has ended since it was listed."""
    try:
        return file.read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def test_a_text_beyond_the_time_is_refused_in_words_and_the_next_is_compiled(pool_with: Making) -> None:
    pool = pool_with(seconds=0.5)  # for a small text enough on any machine
    with pytest.raises(ApiError, match=r"more than 0\.5 s of processor time") as refusal:
        compiled(pool, large(10_000))
    assert (refusal.value.status, refusal.value.code) == (422, "text-too-costly")
    assert pool.submit("outline", SMALL[0], texts_of(SMALL)).result(timeout=300).startswith(b"[{")
    assert pool.ended_early == 1


def test_a_text_beyond_the_memory_is_refused_in_words_and_the_next_is_compiled(pool_with: Making) -> None:
    pool = pool_with(megabytes=20)
    with pytest.raises(ApiError, match="more than 20 MB") as refusal:
        compiled(pool, large(10_000))
    assert (refusal.value.status, refusal.value.code) == (422, "text-too-costly")
    assert compiled(pool, SMALL).startswith(b'{"diagnostics":[]')


def test_a_worker_imports_nothing_from_the_folder_of_the_server(
    pool_with: Making, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    was_run = tmp_path / "was_run"
    for name in ("types", "piql", "piql_backend"):
        (tmp_path / f"{name}.py").write_text(f"open({str(was_run)!r}, 'w').close()\nraise SystemExit\n")
    monkeypatch.chdir(tmp_path)
    assert compiled(pool_with(), SMALL).startswith(b'{"diagnostics":[]')
    assert not was_run.exists()


def test_a_worker_that_is_killed_is_replaced(pool_with: Making) -> None:
    before = worker_processes()
    pool = pool_with()
    assert compiled(pool, SMALL)
    (worker,) = worker_processes() - before
    os.kill(worker, signal.SIGSTOP)
    call = pool.submit("compile_to_json", CompilationCreate(files=list(SMALL)), texts_of(SMALL))
    os.kill(worker, signal.SIGKILL)
    with pytest.raises(ApiError) as refusal:
        call.result(timeout=300)
    assert (refusal.value.status, refusal.value.code) == (503, "worker-lost")
    assert compiled(pool, SMALL)
    assert worker not in worker_processes()


def test_a_worker_that_has_come_to_hold_much_is_replaced_before_its_next_job(pool_with: Making) -> None:
    before = worker_processes()
    pool = pool_with(megabytes=100)  # which is less than twice what an idle one holds
    assert compiled(pool, SMALL)
    first = worker_processes() - before
    assert compiled(pool, SMALL)
    assert not first & worker_processes()
    assert pool.ended_early == 0


def test_workers_give_way_to_the_server_and_a_large_text_to_a_small_one(pool_with: Making) -> None:
    before = worker_processes()
    pool = pool_with(workers=2)
    for size in (1, LARGE_BYTES + 1):  # the worker of small texts, and that of large ones
        pool.submit("outline", SMALL[0], {"a.piql": " " * size}).result(timeout=300)
    workers = worker_processes() - before
    own = os.getpriority(os.PRIO_PROCESS, 0)
    niceness = sorted(os.getpriority(os.PRIO_PROCESS, worker) for worker in workers)
    assert niceness == [min(own + NICENESS, 19), min(own + NICENESS_OF_LARGE, 19)]
    for worker in workers:
        assert os.getsid(worker) == os.getsid(0)  # Linux compares the niceness of programs of one session only
        assert os.getpgid(worker) != os.getpgid(0)  # Ctrl-C is for the server alone


def test_the_worker_for_large_texts_is_started_with_the_first_of_them(pool_with: Making) -> None:
    before = worker_processes()
    pool = pool_with(workers=2)
    assert compiled(pool, SMALL)
    assert len(worker_processes() - before) == 1
    assert len(all_started(pool) - before) == 2


def test_the_worker_for_large_texts_is_started_where_many_small_ones_wait(pool_with: Making) -> None:
    before = worker_processes()
    pool = pool_with(workers=2)
    assert compiled(pool, SMALL)
    (worker,) = worker_processes() - before
    os.kill(worker, signal.SIGSTOP)
    try:
        texts = [pool.submit("outline", SMALL[0], texts_of(SMALL)) for _ in range(10)]
        wait(texts, timeout=300, return_when=FIRST_COMPLETED)
        assert any(text.done() for text in texts)
    finally:
        os.kill(worker, signal.SIGCONT)


def test_what_waits_is_bounded(pool_with: Making, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "MOST_WAITING", 3)
    before = worker_processes()
    pool = pool_with()
    assert compiled(pool, SMALL)
    (worker,) = worker_processes() - before
    os.kill(worker, signal.SIGSTOP)
    calls = [pool.submit("outline", SMALL[0], texts_of(SMALL))]
    while pool.waiting:
        time.sleep(0.001)  # until the worker's thread has taken it
    calls += [pool.submit("outline", SMALL[0], texts_of(SMALL)) for _ in range(3)]
    with pytest.raises(ApiError) as refusal:
        pool.submit("outline", SMALL[0], texts_of(SMALL))
    assert (refusal.value.status, refusal.value.code) == (503, "busy")
    os.kill(worker, signal.SIGCONT)
    assert all(call.result(timeout=300).startswith(b"[{") for call in calls)


def test_a_closed_pool_leaves_no_process_and_nobody_waiting() -> None:
    before = worker_processes()
    pool = WorkerPool(WorkerLimits(workers=2))
    calls = [pool.submit("outline", SMALL[0], texts_of(SMALL)) for _ in range(20)]
    pool.close()
    pool.close()  # which ends nothing more
    assert worker_processes() <= before
    assert all(call.done() for call in calls)
    with pytest.raises(ApiError):
        pool.submit("outline", SMALL[0], texts_of(SMALL))


async def test_page_health_and_executions_answer_while_no_worker_does(
    client: httpx.AsyncClient, workers: WorkerPool, files: list[dict[str, str]]
) -> None:
    """Sixty texts wait for workers that are stopped: nothing else needs one."""
    assert (await client.post("/api/compilations", json={"files": files})).status_code == 200
    stopped = all_started(workers)
    for worker in stopped:
        os.kill(worker, signal.SIGSTOP)
    try:
        texts = [asyncio.create_task(client.post("/api/compilations", json={"files": files})) for _ in range(60)]
        while workers.waiting < 60 - workers.limits.workers:
            await asyncio.sleep(0.001)  # until all have arrived
        execution = f"{DEVELOPMENT}/deployments/live/queries/findUser/executions"
        for _ in range(20):
            assert (await client.get(f"{DEVELOPMENT}/health")).status_code == 200
            assert (await client.get("/")).status_code == 503  # it is not built here
            assert (await client.get(f"{DEVELOPMENT}/deployments")).status_code == 200
            answer = await client.post(execution, json={"parameters": {"username": "none"}})
            assert answer.status_code == 200
        assert not any(text.done() for text in texts)
    finally:
        for worker in stopped:
            os.kill(worker, signal.SIGCONT)
    assert {(await text).status_code for text in texts} == {200}


def test_a_worker_that_is_ended_while_it_starts_is_no_error(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    has_begun, has_ended = threading.Event(), threading.Event()
    end = pools._Process.end

    def is_ready(process: pools._Process) -> bool:
        has_begun.set()
        has_ended.wait()
        return False

    def end_and_tell(process: pools._Process) -> None:
        end(process)
        has_ended.set()

    monkeypatch.setattr(pools._Process, "is_ready", is_ready)
    monkeypatch.setattr(pools._Process, "end", end_and_tell)
    pool = WorkerPool(WorkerLimits(workers=1))
    has_begun.wait()
    pool.close()
    assert caplog.messages == []


def test_what_waits_for_a_worker_that_cannot_be_started_is_refused_until_one_can(
    pool_with: Making, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = subprocess.Popen
    tries = threading.Semaphore(0)

    def refused(*_: object, **__: object) -> subprocess.Popen[bytes]:
        tries.release()
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(subprocess, "Popen", refused)
    pool = pool_with()
    tries.acquire()
    with pytest.raises(ApiError, match="does not start: Too many open files") as refusal:
        pool.submit("outline", SMALL[0], texts_of(SMALL)).result(timeout=300)
    assert (refusal.value.status, refusal.value.code) == (503, "no-worker")
    monkeypatch.setattr(subprocess, "Popen", started)
    assert pool.submit("outline", SMALL[0], texts_of(SMALL)).result(timeout=300).startswith(b"[{")
