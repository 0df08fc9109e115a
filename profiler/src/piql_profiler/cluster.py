"""Spreads measurements over Ray; the only module that imports it.

Without `RAY_ADDRESS` a cluster of one node is started for the run, in a folder of its own, and ended with it. With
`RAY_ADDRESS` the run joins that cluster; the store must then be one that its nodes can reach.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator, Sequence
from typing import Any, Self

from piql_profiler.measurements import Measurement
from piql_profiler.runner import Task

# Ray reads these when it is imported.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
os.environ.setdefault("RAY_DEDUP_LOGS", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

import ray

_OBJECT_STORE_BYTES = 80 * 1024 * 1024  # histograms are a few kilobytes; this is the least Ray takes
_ATTEMPTS_AFTER_A_LOST_WORKER = 2


class RayRunner:
    """Keeps one task more in flight than there are clients, so that none waits for the driver."""

    def __init__(self, clients: int) -> None:
        self.clients = clients
        self._folder: str | None = None

    def __enter__(self) -> Self:
        try:
            with _own_signal_handlers():
                self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self) -> None:
        if os.environ.get("RAY_ADDRESS"):
            ray.init(log_to_driver=False, logging_level="ERROR")
            return
        self._folder = tempfile.mkdtemp(prefix="piql-ray-")
        ray.init(
            num_cpus=self.clients,
            object_store_memory=_OBJECT_STORE_BYTES,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
            _temp_dir=self._folder,
        )

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(Exception):
            ray.shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def run(self, tasks: Sequence[Task]) -> Iterator[Measurement]:
        waiting = list(reversed(tasks))
        running: list[Any] = []
        while waiting or running:
            while waiting and len(running) <= self.clients:
                running.append(_measure.remote(waiting.pop()))
            ready, running = ray.wait(running, num_returns=1)
            yield from ray.get(ready)


@contextlib.contextmanager
def _own_signal_handlers() -> Iterator[None]:
    """Ray takes over SIGTERM when it starts, and aborts the process on it; give the signals back to who had them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def _run(task: Task) -> Measurement:
    return task.run()


_measure = ray.remote(num_cpus=1, max_retries=_ATTEMPTS_AFTER_A_LOST_WORKER)(_run)
