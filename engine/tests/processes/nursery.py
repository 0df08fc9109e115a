"""Starts processes and kills them, and keeps what they said."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from patience import PATIENCE

TESTS = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Done:
    """An operation that was acknowledged or refused, after so many pieces of it were in; `wal_bytes` where told."""

    outcome: str
    pieces: int
    wal_bytes: int = 0


@dataclass
class Life:
    """What one process said: operations that it finished, then the pieces of one that was under way."""

    done: list[Done] = field(default_factory=list)
    pieces: int = 0
    other: list[str] = field(default_factory=list)
    status: int = 0

    @property
    def was_killed(self) -> bool:
        return self.status == signal.SIGKILL


@dataclass
class Killed:
    """How many processes were killed, and what they had done by then."""

    kills: int = 0
    acknowledged: int = 0
    found_done: int = 0  # what was under way was there as a whole, though nobody had said so

    def count(self, acknowledged: int, found_done: bool) -> None:
        self.kills += 1
        self.acknowledged += acknowledged
        self.found_done += found_done


class Nursery:
    """The warm parent, as a test sees it."""

    def __init__(self, *sources: str) -> None:
        """Let the children know the compilation of some sources already."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "processes", json.dumps(sources)],
            cwd=TESTS,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._process.stdout.close()

    def run(
        self, job: dict[str, Any], kill_after: float | None = None, after: int = 0, victims: int | None = None
    ) -> list[Life]:
        """Run a job to its end, or kill it `kill_after` seconds from the moment when it was heard `after` times.

        Of the processes the first `victims` are killed, without a number all.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        processes = job.setdefault("processes", 1)
        lives = [Life() for _ in range(processes)]
        pids: list[int] = []
        self._process.stdin.write(json.dumps(job) + "\n")
        timer: threading.Timer | None = None
        heard = dead = 0
        while dead < processes:
            event, *words = self._process.stdout.readline().split()
            if event == "born":
                pids.append(int(words[1]))
            elif event == "dead":
                lives[int(words[0])].status = int(words[1])
                dead += 1
            else:
                heard += _note(lives[int(event)], words)
            if kill_after is not None and timer is None and len(pids) == processes and heard >= after:
                timer = threading.Timer(kill_after, _kill, (pids[:victims],))
                timer.start()
        if timer is not None:
            timer.join()
        return lives


def _note(life: Life, words: list[str]) -> bool:
    match words:
        case ["ready"]:
            return True
        case ["loaded", _]:
            life.other.append(" ".join(words))
            return True
        case ["piece"]:
            life.pieces += 1
        case ["done", outcome, *details]:
            life.done.append(Done(outcome, life.pieces, *map(int, details)))
            life.pieces = 0
            return True
        case _:
            life.other.append(" ".join(words))
    return False


def _kill(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@contextmanager
def nursery(*sources: str) -> Iterator[Nursery]:
    nursery = Nursery(*sources)
    try:
        yield nursery
    finally:
        nursery.close()
