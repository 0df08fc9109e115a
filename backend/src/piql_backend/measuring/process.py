"""One profile run as a process of its own: `piql profile` is started, its progress lines are read, it is ended.

stdout   {"state": "running", "points_done": 3, "points_total": 40, "eta_seconds": 80.0}    a line each time
stderr   complaints, of which the last is shown when it fails
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from piql_profiler.measure.store_urls import STORE_VARIABLE, without_password
from piql_profiler.runs.run_files import UnreadableRun, read_info

SECONDS_TO_END = 15.0
_COMMAND = re.compile(r"^piql profile: (error: )?")  # what the command puts before each complaint


class ProfileEnd(NamedTuple):
    """How a process ended: its exit code, and the last line on stderr, "" for none."""

    code: int
    complaint: str


class ProfileProcess:
    """A running profiler; it leads a process group, so that what it started ends with it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._complaint = ""

    @classmethod
    async def start(cls, arguments: Sequence[str], folder: Path, store_url: str) -> ProfileProcess:
        """Start a profiler; the store's URL may have a password, so it is passed in the environment."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "piql_profiler.commands",
            "profile",
            *arguments,
            cwd=folder,
            env=os.environ | {STORE_VARIABLE: store_url},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            limit=1_000_000,
        )
        return cls(process)

    async def follow(self, on_progress: Callable[[dict[str, Any]], None]) -> ProfileEnd:
        """Call `on_progress` with each progress line until the process ends."""
        assert self._process.stdout is not None
        errors = asyncio.create_task(self._read_errors())
        async for line in self._process.stdout:
            with contextlib.suppress(ValueError):
                progress = json.loads(line)
                if isinstance(progress, dict):
                    on_progress(progress)
        code = await self._process.wait()
        await errors
        return ProfileEnd(code, self._complaint)

    async def cancel(self) -> None:
        """Ask it to stop, and end the whole group when it does not in time."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            self._process.send_signal(signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), SECONDS_TO_END)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)  # also processes that it left behind

    async def _read_errors(self) -> None:
        """Read stderr to its end, and keep the last line that is not empty."""
        assert self._process.stderr is not None
        async for line in self._process.stderr:
            said = without_password(line.decode("utf-8", "replace").strip())
            self._complaint = _COMMAND.sub("", said) or self._complaint


def end_orphan(measurements: Path) -> None:
    """End a profiler that outlived the backend which started it."""
    try:
        info = read_info(measurements)
    except UnreadableRun:
        return
    if info.state in ("starting", "running"):  # then its process is alive
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(info.process, signal.SIGTERM)
