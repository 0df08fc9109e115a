"""Spreads measurements over Ray; the only module that imports it.

Ray runs below a driver process, because it takes over the signals of the process that starts it. So the run itself can
be stopped at any moment, and the driver is then ended with Ray and all its helpers.

    RayRunner ──tasks──▶ driver process ──▶ clients: actors that live as long as the run, spread over the machines
              ◀─a task's Measurements at a time──  each keeps its connection and runs one `Task` after the other

A client that dies is reported, and its block is measured again: by a new client, or by the others where no machine has
a processor left for one.

Without `RAY_ADDRESS` a cluster of one node is started for the run, in a folder of its own, and ended with it. With
`RAY_ADDRESS` the run joins that cluster; the store must then be one that its nodes can reach.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, Self

from piql_profiler.measure.measurements import Measurement
from piql_profiler.measure.scratch import scratch_folder
from piql_profiler.runs.processes import descendants, end_family, end_orphans, end_with_parent
from piql_profiler.runs.runner import MeasuringStopped, Task, sentence_of

_OBJECT_STORE_BYTES = 80 * 1024 * 1024  # histograms are a few kilobytes; this is the least Ray takes
_LOST_CLIENTS = 2  # while measuring one block; where more are lost, the block itself is taken to kill them
_SECONDS_FOR_A_PROCESSOR = 5.0  # until Ray knows that a dead client's processor is free, or its machine gone
_SECONDS_FOR_THE_LAST = 60.0  # where no client is left, waiting longer is better than ending the run
_SECONDS_TO_START = 30.0
_SECONDS_TO_END = 5.0
_STARTS = 4  # of Ray, where its parts are slow to start
_STDERR = 2
_DRIVER = """
import sys
from multiprocessing.connection import Connection
from piql_profiler.runs.cluster import drive
drive(Connection(int(sys.argv[1])), int(sys.argv[2]), sys.argv[3])
"""
_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_worker_niceness": "0",  # by default Ray's workers have a low priority, and would measure their own lateness
}


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why the driver has ended; sent by it to the run."""

    message: str


@dataclass(frozen=True, slots=True)
class _Notice:
    """What has happened to a client; sent by the driver to the run."""

    message: str


class RayRunner:
    """Hands tasks to the driver process; `with` starts it and ends it. `places` are the machines of its clients."""

    def __init__(self, clients: int) -> None:
        self.clients = clients
        self.places: tuple[str, ...] = ()
        self._notices: list[str] = []

    def __enter__(self) -> Self:
        self._open = contextlib.ExitStack()
        folder = self._open.enter_context(scratch_folder("piql-ray-"))
        self._connection, far_end = Pipe()
        arguments = [str(far_end.fileno()), str(self.clients), str(folder)]
        self._driver = subprocess.Popen(  # to stderr, as Ray's messages must not appear among the progress lines
            [sys.executable, "-P", "-c", _DRIVER, *arguments], pass_fds=[far_end.fileno()], stdout=_STDERR
        )
        far_end.close()
        try:
            places = self._receive()
            assert isinstance(places, tuple)
            self.places = places
        except BaseException as error:
            self.__exit__(type(error))
            raise
        return self

    def __exit__(self, kind: object = None, *error: object) -> None:
        helpers = descendants(self._driver.pid)
        if kind is None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self._connection.send(None)
                self._driver.wait(_SECONDS_TO_END)
        end_family(self._driver.pid)
        self._driver.wait()
        end_orphans(helpers)  # those that were still about to end when the driver had ended
        self._connection.close()
        self._open.close()

    def run(self, tasks: Sequence[Task]) -> Iterator[Measurement]:
        self._connection.send(list(tasks))
        for _ in tasks:
            measurements = self._receive()
            assert isinstance(measurements, list)
            yield from measurements

    def notices(self) -> list[str]:
        notices, self._notices = self._notices, []
        return notices

    def _receive(self) -> object:
        try:
            while isinstance(message := self._connection.recv(), _Notice):
                self._notices.append(message.message)
        except (EOFError, ConnectionError) as error:
            raise MeasuringStopped("Ray's driver process ended unexpectedly") from error
        if isinstance(message, _Failure):
            raise MeasuringStopped(message.message)
        return message


def drive(connection: Connection, clients: int, folder: str) -> None:
    """Run in the driver process: start Ray, then measure each list of tasks that comes, until None."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the run decides
    try:
        ray = _start_ray(clients, folder)
        team = _Team(ray, clients, connection)
        connection.send(team.places())
        while (tasks := connection.recv()) is not None:
            team.measure(tasks)
        ray.shutdown()
    except EOFError:
        return
    except MeasuringStopped as stopped:
        connection.send(_Failure(str(stopped)))
    except Exception as error:
        cause = getattr(error, "cause", None) or error  # Ray wraps what a worker raised
        connection.send(_Failure(sentence_of(cause)))


class Client:
    """Lives in a process of its own on some machine; its connection stays open between tasks."""

    def place(self) -> str:
        return f"{socket.gethostname()}, process {os.getpid()}"

    def measure(self, task: Task) -> list[Measurement]:
        return task.run()


class _Team:
    """The clients of a run, in the driver process."""

    def __init__(self, ray: Any, clients: int, connection: Connection) -> None:
        processors = int(ray.cluster_resources().get("CPU", 0))
        if processors < clients:
            raise MeasuringStopped(f"Ray has {processors} processors, too few for {clients} clients")
        self._ray = ray
        self._connection = connection
        self._start = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(Client).remote
        self._clients = {number: self._start() for number in range(1, clients + 1)}

    def places(self) -> tuple[str, ...]:
        """The machine and process of each client, once all have started."""
        return tuple(self._ray.get([client.place.remote() for client in self._clients.values()]))

    def measure(self, tasks: Sequence[Task]) -> None:
        """Let the clients measure, each one task at a time, and send the measurements of each task to the run.

        Raises MeasuringStopped where a task loses too many clients, or the last client is lost.
        """
        waiting = list(reversed(tasks))
        running: dict[Any, tuple[int, Task]] = {}
        lost: Counter[Task] = Counter()
        free = set(self._clients)
        while waiting or running:
            while waiting and free:
                number, task = free.pop(), waiting.pop()
                running[self._clients[number].measure.remote(task)] = number, task
            ((ready,), _) = self._ray.wait(list(running), num_returns=1)
            number, task = running.pop(ready)
            try:
                measurements = self._ray.get(ready)
            except self._ray.exceptions.RayActorError:
                lost[task] += 1
                if lost[task] > _LOST_CLIENTS:
                    raise MeasuringStopped(f"{lost[task]} clients died while they measured {task}") from None
                waiting.append(task)
                if self._replace(number, task):
                    free.add(number)
                continue
            self._connection.send(measurements)
            free.add(number)

    def _replace(self, number: int, task: Task) -> bool:
        """Start another client in the place of one that died, if some machine has a processor for it."""
        loss = f"client {number} died while it measured {task}"
        del self._clients[number]
        client = self._started()
        if client is not None:
            self._clients[number] = client
            remedy = "another one measures it again"
        elif self._clients:
            remedy = f"no machine has room for another one, and {len(self._clients)} measure on"
        else:
            raise MeasuringStopped(f"{loss}, and it was the last one")
        self._connection.send(_Notice(f"{loss}: {remedy}"))
        return client is not None

    def _started(self) -> Any:
        """Start a client; None where none has started in time. Ray learns late that a machine is gone."""
        until = time.monotonic() + (_SECONDS_FOR_A_PROCESSOR if self._clients else _SECONDS_FOR_THE_LAST)
        while self._ray.available_resources().get("CPU", 0) < 1:
            if time.monotonic() > until:
                return None
            time.sleep(0.1)
        client = self._start()
        ready, _ = self._ray.wait([client.place.remote()], timeout=_SECONDS_TO_START)
        if ready:
            return client
        self._ray.kill(client)
        return None


def _start_ray(clients: int, folder: str) -> Any:
    """Join the cluster of RAY_ADDRESS, or start one in the folder; return the module of Ray."""
    for name, value in _SETTINGS.items():  # read when Ray is imported
        os.environ.setdefault(name, value)
    import ray

    if os.environ.get("RAY_ADDRESS"):
        ray.init(log_to_driver=False, logging_level="ERROR")
    else:
        start_node(ray, clients, folder)
    return ray


def start_node(ray: Any, clients: int, folder: str) -> None:
    """Start Ray on this machine, again where its own parts took longer than the 30 seconds that it waits for them."""
    for attempt in range(1, _STARTS + 1):
        try:
            ray.init(
                num_cpus=clients,
                object_store_memory=_OBJECT_STORE_BYTES,
                include_dashboard=False,
                log_to_driver=False,
                logging_level="ERROR",
                _temp_dir=folder,
            )
            return
        except Exception as error:
            if attempt == _STARTS or "timed out during startup" not in str(error):
                raise
            ray.shutdown()
