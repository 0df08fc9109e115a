"""A worker ends by itself when its server has ended, however that ended."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection

from piql_backend.workers.protocol import READY, Job

PATIENCE_MS = 120_000  # an orphan would stay for ever

SERVER = """
import time
from pathlib import Path
from piql_backend.web.schemas import SourceFile
from piql_backend.settings import WorkerLimits
from piql_backend.workers.pool import WorkerPool

pool = WorkerPool(WorkerLimits(workers=2))
for name in ("a.piql", "b" * 200_000):  # for the worker of small jobs, and for that of large ones
    file = SourceFile(path="a.piql", text="")
    pool.submit("outline", file, {name: name}).result(timeout=300)

def children(task):
    try:
        return (task / "children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):  # a thread that has ended since it was listed
        return []

print(*(child for task in Path("/proc/self/task").iterdir() for child in children(task)), flush=True)
time.sleep(3600)
"""

BUSY_WORKER = """
import sys
from piql_backend.worker_process import jobs, process

def work_for_ever(*_):
    print("at work", flush=True)
    while True:
        pass

jobs.Worker.carry_out = work_for_ever
process.main(*map(int, sys.argv[1:]))
"""


def ended(descriptors: Sequence[int]) -> bool:
    """Wait until all of the processes have ended."""
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    waiting = set(descriptors)
    while waiting:
        events = poll.poll(PATIENCE_MS)
        if not events:
            return False
        for descriptor, _ in events:
            poll.unregister(descriptor)
            waiting.remove(descriptor)
    return True


def test_workers_end_when_their_server_is_killed_even_those_that_are_stopped() -> None:
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        workers = [int(worker) for worker in server.stdout.readline().split()]
        assert len(workers) == 2
        descriptors = [os.pidfd_open(worker) for worker in workers]
        try:
            os.kill(workers[0], signal.SIGSTOP)
            server.kill()
            assert ended(descriptors)
        finally:
            server.kill()
            for descriptor in descriptors:
                with suppress(ProcessLookupError):
                    signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                os.close(descriptor)


def test_a_worker_that_is_at_work_ends_when_the_other_end_of_its_socket_is_closed() -> None:
    here, there = socket.socketpair()
    with there:
        command = [sys.executable, "-c", BUSY_WORKER, str(there.fileno()), "1000", "0"]
        worker = subprocess.Popen(command, pass_fds=(there.fileno(),), stdout=subprocess.PIPE, text=True)
    with worker:
        try:
            connection: Connection = Connection(here.detach())
            assert connection.recv() == READY
            connection.send(Job("outline", None, 1_000_000.0))
            assert worker.stdout is not None
            assert worker.stdout.readline() == "at work\n"
            assert worker.poll() is None
            connection.close()
            assert worker.wait(PATIENCE_MS / 1000) == 0
        finally:
            worker.kill()
