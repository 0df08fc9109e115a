"""The start and the end of a service: a worker that hangs is replaced, and a signal is heeded at any moment."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from piql_service.processes import supervisor as module
from piql_service.processes.settings import WorkerSettings
from piql_service.processes.supervisor import Supervisor, end_at_signals, listen

HANGS = """
import faulthandler, pathlib, signal, sys
faulthandler.register(signal.SIGUSR1)
pathlib.Path(HANGING).touch()
sys.stdin.read()
"""
WORKS_AND_ENDS_THE_SERVICE = """
import os, signal, sys
print("ready", flush=True)
os.kill(os.getppid(), signal.SIGTERM)
sys.stdin.read()
"""

MakeSupervisor = Callable[..., Supervisor]


@pytest.fixture
def supervised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeSupervisor]:
    """Return a function that makes a supervisor whose workers run these programs, one after another."""
    hanging = tmp_path / "hanging"
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    start = subprocess.Popen

    def make(*programs: str) -> Supervisor:
        left = list(programs)
        monkeypatch.setattr(
            module.subprocess,
            "Popen",
            lambda command, **options: start(
                [command[0], "-c", left.pop(0).replace("HANGING", repr(str(hanging)))], **options
            ),
        )
        monkeypatch.setattr(module, "_is_late", lambda _: len(left) > 0 and hanging.exists())
        settings = WorkerSettings("embedded:nowhere", 0, 0, 0, str(tmp_path))
        supervisor = Supervisor(settings, listen("127.0.0.1", 0, 1), str(tmp_path))
        end_at_signals(supervisor)
        return supervisor

    yield make
    for number, handler in before.items():
        signal.signal(number, handler)


def test_a_worker_that_does_not_get_ready_is_replaced_and_says_where_it_is(
    supervised: MakeSupervisor, capfd: pytest.CaptureFixture[str]
) -> None:
    assert supervised(HANGS, WORKS_AND_ENDS_THE_SERVICE).run("announced") == 0
    said = capfd.readouterr()
    assert said.out.startswith("announced")
    assert "worker 0 is not ready" in said.err
    assert 'File "<string>"' in said.err


def test_a_signal_that_comes_while_workers_start_ends_the_service(supervised: MakeSupervisor) -> None:
    supervisor = supervised(HANGS)
    threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGTERM)).start()
    assert supervisor.run("never") == 0


def test_the_end_takes_no_lock_that_its_own_thread_may_hold(supervised: MakeSupervisor) -> None:
    """As an event's `set` does: a signal between two lines of `wait` would wait for its own thread for ever."""
    supervisor = supervised(WORKS_AND_ENDS_THE_SERVICE)
    for kind in ("Event", "Lock", "Condition"):
        assert not any(isinstance(value, type(getattr(threading, kind)())) for value in vars(supervisor).values())
    assert supervisor.run("announced") == 0
