"""Spreads measurements over Ray; the only module that imports it.

Ray lives in a process of its own, because it takes over the signals of the process that starts it: the run itself can
then be stopped at any moment, and Ray with all its helpers is simply ended.

    RayRunner ──tasks──▶ driver process ──▶ Ray's workers        each worker runs `Task.run`
              ◀─one Measurement at a time──

Without `RAY_ADDRESS` a cluster of one node is started for the run, in a folder of its own, and ended with it. With
`RAY_ADDRESS` the run joins that cluster; the store must then be one that its nodes can reach.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, Self

from piql_profiler.measurements import Measurement
from piql_profiler.processes import end_family, end_with_parent
from piql_profiler.runner import MeasuringStopped, Task
from piql_profiler.scratch import scratch_folder

_OBJECT_STORE_BYTES = 80 * 1024 * 1024  # histograms are a few kilobytes; this is the least Ray takes
_ATTEMPTS_AFTER_A_LOST_WORKER = 2
_SECONDS_TO_END = 5.0
_STDERR = 2
_DRIVER = """
import sys
from multiprocessing.connection import Connection
from piql_profiler.cluster import drive
drive(Connection(int(sys.argv[1])), int(sys.argv[2]), sys.argv[3])
"""
_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_worker_niceness": "0",  # by itself Ray puts its workers behind all others, and what they measure is late
}


@dataclass(frozen=True, slots=True)
class _Failure:
    message: str


class RayRunner:
    """Hands tasks to the driver process; `with` starts it and ends it."""

    def __init__(self, clients: int) -> None:
        self.clients = clients

    def __enter__(self) -> Self:
        self._open = contextlib.ExitStack()
        folder = self._open.enter_context(scratch_folder("piql-ray-"))
        self._connection, other = Pipe()
        arguments = [str(other.fileno()), str(self.clients), str(folder)]
        self._driver = subprocess.Popen(  # what Ray has to say of a lost worker must not stand among progress lines
            [sys.executable, "-c", _DRIVER, *arguments], pass_fds=[other.fileno()], stdout=_STDERR
        )
        other.close()
        try:
            self._receive()
        except BaseException as error:
            self.__exit__(type(error))
            raise
        return self

    def __exit__(self, kind: object = None, *error: object) -> None:
        if kind is None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self._connection.send(None)
                self._driver.wait(_SECONDS_TO_END)
        end_family(self._driver.pid)
        self._driver.wait()
        self._connection.close()
        self._open.close()

    def run(self, tasks: Sequence[Task]) -> Iterator[Measurement]:
        self._connection.send(list(tasks))
        for _ in tasks:
            found = self._receive()
            assert isinstance(found, Measurement)
            yield found

    def _receive(self) -> object:
        try:
            found = self._connection.recv()
        except (EOFError, ConnectionError) as error:
            raise MeasuringStopped("Ray's driver process ended unexpectedly") from error
        if isinstance(found, _Failure):
            raise MeasuringStopped(found.message)
        return found


def drive(connection: Connection, clients: int, folder: str) -> None:
    """Run in the driver process: start Ray, then measure each list of tasks that comes, until None."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the run decides
    try:
        ray = _start_ray(clients, folder)
        connection.send("ready")
        measure = ray.remote(num_cpus=1, max_retries=_ATTEMPTS_AFTER_A_LOST_WORKER)(_run)
        while (tasks := connection.recv()) is not None:
            waiting = list(reversed(tasks))
            running: list[Any] = []
            while waiting or running:
                while waiting and len(running) <= clients:  # one more than there are clients, so that none waits
                    running.append(measure.remote(waiting.pop()))
                ready, running = ray.wait(running, num_returns=1)
                for found in ray.get(ready):
                    connection.send(found)
        ray.shutdown()
    except EOFError:
        return
    except Exception as error:
        cause = getattr(error, "cause", None) or error  # Ray wraps what a worker raised
        connection.send(_Failure(f"{type(cause).__name__}: {cause}".splitlines()[0]))


def _run(task: Task) -> Measurement:
    return task.run()


def _start_ray(clients: int, folder: str) -> Any:
    for name, value in _SETTINGS.items():  # read when Ray is imported
        os.environ.setdefault(name, value)
    import ray

    if os.environ.get("RAY_ADDRESS"):
        ray.init(log_to_driver=False, logging_level="ERROR")
    else:
        ray.init(
            num_cpus=clients,
            object_store_memory=_OBJECT_STORE_BYTES,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
            _temp_dir=folder,
        )
    return ray
