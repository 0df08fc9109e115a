"""Ends the processes that a run has started, Ray's helpers included, so that none outlives it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Collection
from pathlib import Path

_BECOME_CHILD_SUBREAPER = 36  # prctl(2)
_LOOK_SECONDS = 0.5


def adopt_orphans() -> None:
    """On Linux, become the parent of descendants whose own parent has ended, so that they can be found and ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_BECOME_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_with_parent() -> None:
    """End this process and all below it when the one that started it ends, however it ends.

    A thread watches for that: if the kernel were asked to kill this process, its descendants would live on.
    """
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_SECONDS)
        end_family(os.getpid())

    threading.Thread(target=watch, daemon=True).start()


def descendants(ancestor: int | None = None) -> set[int]:
    """The ids of all processes below one, this one by default."""
    children: dict[int, list[int]] = {}
    for process, parent in _parents():
        children.setdefault(parent, []).append(process)
    pids: set[int] = set()
    waiting = [ancestor or os.getpid()]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in pids:
                pids.add(child)
                waiting.append(child)
    return pids


def end_family(process: int) -> None:
    """Kill a process and all below it."""
    family = {process} | descendants(process)
    while family:
        for member in sorted(family, key=lambda process: process == os.getpid()):  # this process comes last
            _kill(member)
        family = {below for member in family for below in descendants(member)} - family


def end_orphans(processes: Collection[int], timeout_seconds: float = 5.0) -> None:
    """Kill those of some processes that this one has adopted, and wait until they are gone or the seconds are over."""
    deadline = time.monotonic() + timeout_seconds
    while (living := descendants().intersection(processes)) and time.monotonic() < deadline:
        for process in living:
            _kill(process)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process, os.WNOHANG)
        time.sleep(0.02)


def end_descendants(timeout_seconds: float = 1.0) -> None:
    """Kill all processes below this one, and wait until they are gone or the seconds are over."""
    deadline = time.monotonic() + timeout_seconds
    while (living := descendants()) and time.monotonic() < deadline:
        for process in living:
            _kill(process)
        for process in living:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process, os.WNOHANG)
        time.sleep(0.02)


def _kill(process: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL)


def _parents() -> list[tuple[int, int]]:
    """The pair (process, parent) of everything that runs."""
    if not Path("/proc/self/stat").exists():
        listed = subprocess.run(["ps", "-axo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
        return [(int(process), int(parent)) for process, parent in map(str.split, listed.splitlines())]
    pairs = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
                pairs.append((int(entry.name), int(parent)))
    return pairs
