"""The client processes of a run: how they are started, what they are told, and how they are ended.

    run ──Task──▶ client process: connects, draws parameters       ◀── Ready, or Unable and why
        ──the moment to begin──▶  calls                            ◀── a Batch each second, the last one when it ends
        ──stop──▶                 makes no more calls

A client ends with the process that started it. It leaves signals to that one: Ctrl+C reaches both.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Self

from piql_profiler.load_runs.arrivals import ClosedLine, Line, OpenLine, Step, arrivals
from piql_profiler.load_runs.calling import Calling
from piql_profiler.load_runs.calls import Batch
from piql_profiler.load_runs.targets import Address, open_target, warm_up
from piql_profiler.runs.processes import end_family, end_with_parent

_SECONDS_TO_END = 5.0  # of a client that was told to stop; calls that take longer are not answered
_CLIENT = """
import sys
from multiprocessing.connection import Connection
from piql_profiler.load_runs.clients import serve
serve(Connection(int(sys.argv[1])))
"""


@dataclass(frozen=True, slots=True)
class Task:
    """All that one of several clients needs to know; `reads` are the numbers of the queries that only read."""

    client: int
    share: float
    address: Address
    queries: tuple[str, ...]
    reads: tuple[int, ...]
    weights: tuple[float, ...]
    steps: tuple[Step, ...]
    connections: int
    seed: int


@dataclass(frozen=True, slots=True)
class _Ready:
    """A client can begin."""


@dataclass(frozen=True, slots=True)
class _Unable:
    """A client cannot begin; the message says why."""

    message: str


class ClientsUnable(Exception):
    """No run can begin; the message says why."""


class Clients:
    """The client processes; `with` starts them, and ends them whatever happens."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = tasks
        self._processes: list[subprocess.Popen[bytes]] = []
        self._connections: dict[Connection, int] = {}

    def __enter__(self) -> Self:
        try:
            for task in self._tasks:
                connection, far_end = Pipe()
                self._processes.append(
                    subprocess.Popen(
                        [sys.executable, "-P", "-c", _CLIENT, str(far_end.fileno())], pass_fds=[far_end.fileno()]
                    )
                )
                far_end.close()
                self._connections[connection] = task.client
                connection.send(task)
            for connection in self._connections:
                answer = connection.recv()
                if isinstance(answer, _Unable):
                    raise ClientsUnable(answer.message)
        except EOFError:
            self.__exit__()
            raise ClientsUnable("a client process has ended before the run began") from None
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        for process in self._processes:
            if process.poll() is None:
                end_family(process.pid)
            process.wait()
        for connection in self._connections:
            connection.close()

    def begin(self) -> float:
        """Let all clients begin; return that moment, of `time.perf_counter`."""
        began = time.perf_counter() + 0.05
        for connection in self._connections:
            connection.send(began)
        return began

    def stop(self) -> None:
        """Tell all clients to make no more calls."""
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.send(None)

    def batches(self, seconds: float) -> tuple[list[Batch], list[int]]:
        """What clients say within so many seconds, and the numbers of clients that ended without a last batch."""
        batches: list[Batch] = []
        lost: list[int] = []
        for ready in wait([*self._connections], seconds):
            assert isinstance(ready, Connection)
            try:
                batch = ready.recv()
            except (EOFError, OSError):
                lost.append(self._connections.pop(ready))
                continue
            assert isinstance(batch, Batch)
            batches.append(batch)
            if batch.is_last:
                del self._connections[ready]
        return batches, lost

    @property
    def are_calling(self) -> bool:
        """Whether a client has not sent its last batch."""
        return bool(self._connections)


class _RunClock:
    """Seconds since the run began; waits end when the run is stopped. It never spins: calls need the processor."""

    def __init__(self, began: float, stopped: threading.Event) -> None:
        self._began = began
        self._stopped = stopped

    def now(self) -> float:
        return time.perf_counter() - self._began

    def wait_until(self, moment: float) -> None:
        if (left := moment - self.now()) > 0.0:
            self._stopped.wait(left)


def serve(connection: Connection) -> None:
    """What a client process does, from its task to its last batch."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    end_with_parent()
    task: Task = connection.recv()
    try:
        target = open_target(task.address, task.queries, task.seed)
        warm_up(target, task.reads)
    except Exception as error:  # said to the user by the process that started this one
        connection.send(_Unable(str(error).splitlines()[0] if str(error) else type(error).__name__))
        return
    connection.send(_Ready())
    gc.freeze()
    began: float = connection.recv()
    stopped = threading.Event()
    clock = _RunClock(began, stopped)
    calling = Calling(task.client, _line(task, clock), target, clock)
    threads = [threading.Thread(target=calling.work, daemon=True) for _ in range(task.connections)]
    clock.wait_until(0.0)
    for thread in threads:
        thread.start()
    with contextlib.suppress(OSError, EOFError):  # nobody is there any more
        _report(connection, calling, clock, stopped, threads)
    os._exit(0)  # a call that does not end holds no one up


def _line(task: Task, clock: _RunClock) -> Line:
    if task.steps[0].rate is None:
        return ClosedLine(sum(step.seconds for step in task.steps), task.weights, task.seed, clock.now)
    return OpenLine(arrivals(task.steps, task.weights, task.seed, task.share))


def _report(
    connection: Connection,
    calling: Calling,
    clock: _RunClock,
    stopped: threading.Event,
    threads: Sequence[threading.Thread],
) -> None:
    """Send a batch each second until all threads have ended, or too long after the run was stopped."""
    second, end = 1.0, float("inf")
    computed, since = time.process_time(), clock.now()
    while any(thread.is_alive() for thread in threads) and clock.now() < end:
        if connection.poll(max(0.0, min(second - clock.now(), 0.1))):
            connection.recv()
            calling.stop()
            stopped.set()
            end = min(end, clock.now() + _SECONDS_TO_END)
        if (now := clock.now()) >= second:
            computing = (time.process_time() - computed) / max(now - since, 1e-9)
            computed, since = time.process_time(), now
            connection.send(calling.batch(computing))
            second = max(second + 1.0, float(int(now) + 1))
    computing = (time.process_time() - computed) / max(clock.now() - since, 1e-9)
    connection.send(calling.batch(computing, is_last=True))
