"""The supervisor: it listens, starts the workers, and replaces a worker that dies or does not get ready.

Each worker has a listening socket of its own on the same port, and the kernel spreads connections over them. The
supervisor keeps them all open: connections that a dead worker has not accepted wait for the next one in its place.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from piql_service.processes.settings import WorkerSettings
from piql_service.processes.worker import READY, SECONDS_TO_CLOSE, SHOW_STACKS

_BACKLOG = 1024
_SECONDS_BETWEEN_LOOKS = 0.1
_SECONDS_BETWEEN_STARTS = 0.5
_SECONDS_TO_START = 120  # many times what a worker takes on a busy machine
_MOST_STARTS = 3


@dataclass(slots=True)
class _Place:
    """A worker that always runs: its settings, and the process that runs with them now."""

    settings: WorkerSettings
    process: subprocess.Popen[str]


class Supervisor:
    """Runs the workers of one service until it is told to end."""

    def __init__(self, settings: WorkerSettings, listeners: Sequence[socket.socket], folder: str) -> None:
        """Take the settings that all workers share, and a listening socket for each."""
        self._listeners = list(listeners)
        self._budgets = tempfile.TemporaryFile()  # noqa: SIM115 — closed by `_stop`
        self._is_ending = False
        self._settings = [
            replace(settings, number=number, socket=listener.fileno(), budgets=self._budgets.fileno(), folder=folder)
            for number, listener in enumerate(listeners)
        ]

    def end(self) -> None:
        """Let all workers drain; may be called by a signal's handler.

        So it takes no lock, as an event's `set` does: the handler runs in the thread that may hold it at that moment.
        """
        self._is_ending = True

    def run(self, announcement: str) -> int:
        """Start the workers, print the announcement when all are ready, and stay until `end`; return the exit code."""
        places = [_Place(settings, self._start(settings)) for settings in self._settings]
        try:
            for place in places:
                if not self._is_ready(place):
                    return 0 if self._is_ending else 1
            print(announcement, flush=True)
            while not self._is_ending:
                time.sleep(_SECONDS_BETWEEN_LOOKS)
                for place in places:
                    if place.process.poll() is not None and not self._is_ending:
                        time.sleep(_SECONDS_BETWEEN_STARTS)
                        place.process = self._start(place.settings)
            return 0
        finally:
            self._stop(places)

    def _is_ready(self, place: _Place) -> bool:
        """Wait until a worker serves, and return whether it does; one that fails has said why.

        One that is late says on stderr where its threads are, and another one takes its place.
        """
        for _ in range(_MOST_STARTS):
            started = time.monotonic()
            assert place.process.stdout is not None
            while not _is_late(started):
                if self._is_ending:
                    return False
                readable, _, _ = select.select([place.process.stdout], [], [], _SECONDS_BETWEEN_LOOKS)
                if readable:
                    return place.process.stdout.readline().strip() == READY
            print(
                f"piql service: worker {place.settings.number} is not ready after {_SECONDS_TO_START} s, which is a "
                "fault: please report where it is",
                file=sys.stderr,
                flush=True,
            )
            place.process.send_signal(SHOW_STACKS)
            time.sleep(1.0)
            place.process.kill()
            place.process.wait()
            place.process = self._start(place.settings)
        return False

    def _start(self, settings: WorkerSettings) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "piql_service.processes.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=(settings.socket, settings.budgets),
        )
        assert process.stdin is not None
        try:
            process.stdin.write(settings.to_json() + "\n")
            process.stdin.flush()
        except BrokenPipeError:  # it has ended at once; the loop sees that
            pass
        return process

    def _stop(self, places: Sequence[_Place]) -> None:
        """End all workers: by a signal, and by force those that have not ended when their time is over."""
        for listener in self._listeners:
            listener.close()
        for place in places:
            place.process.terminate()
        latest = time.monotonic() + places[0].settings.drain_seconds + SECONDS_TO_CLOSE + 5
        for place in places:
            try:
                place.process.wait(max(0.1, latest - time.monotonic()))
            except subprocess.TimeoutExpired:
                place.process.kill()
                place.process.wait()
        self._budgets.close()


def _is_late(started: float) -> bool:
    """Return whether a worker that started then, by the monotonic clock, should have been ready long ago."""
    return time.monotonic() - started > _SECONDS_TO_START


def listen(host: str, port: int, workers: int) -> list[socket.socket]:
    """Return a listening socket for each worker, all on one port; raise OSError where it is taken, also by another
    service."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as probe:  # it shares its port with nobody
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))
        port = probe.getsockname()[1]
    listeners: list[socket.socket] = []
    try:
        for _ in range(workers):
            listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
            listeners.append(listener)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            listener.bind((host, port))
            listener.listen(_BACKLOG)
            os.set_inheritable(listener.fileno(), False)
    except OSError:
        for listener in listeners:
            listener.close()
        raise
    return listeners


def end_at_signals(supervisor: Supervisor) -> None:
    """Let SIGTERM and Ctrl+C end the service."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: supervisor.end())
