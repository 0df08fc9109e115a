"""One measurement as a process of its own: a command is started, its progress lines are read, it is ended.

{"state": "running", "points_done": 3, "points_total": 40, "eta_seconds": 80.0}    a line each time, on either stream
piql profile: error: …                                    complaints on stderr; the last is shown when it fails
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
_COMMAND = re.compile(r"^piql [a-z-]+: (error: )?")  # what the command puts before each complaint


class MeasurementEnd(NamedTuple):
    """How a process ended: its exit code, and the last line on stderr, "" for none."""

    code: int
    complaint: str


class MeasuringProcess:
    """A running command of the profiler; it leads a process group, so that what it started ends with it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._complaint = ""

    @classmethod
    async def start(cls, command: str, arguments: Sequence[str], folder: Path, store_url: str) -> MeasuringProcess:
        """Start a command; the store's URL may have a password, so it is passed in the environment."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "piql_profiler.commands",
            command,
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

    async def follow(self, on_progress: Callable[[dict[str, Any]], None]) -> MeasurementEnd:
        """Call `on_progress` with each progress line until the process ends."""
        assert self._process.stdout is not None
        errors = asyncio.create_task(self._read_errors(on_progress))
        async for line in self._process.stdout:
            if (progress := _progress_in(line)) is not None:
                on_progress(progress)
        code = await self._process.wait()
        await errors
        return MeasurementEnd(code, self._complaint)

    async def cancel(self) -> None:
        """Ask it to stop, and end the whole group when it does not in time."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            self._process.send_signal(signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), SECONDS_TO_END)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)  # also processes that it left behind

    async def _read_errors(self, on_progress: Callable[[dict[str, Any]], None]) -> None:
        """Read stderr to its end, and keep the last line that is neither empty nor progress."""
        assert self._process.stderr is not None
        async for line in self._process.stderr:
            if (progress := _progress_in(line)) is not None:
                on_progress(progress)
                continue
            said = without_password(line.decode("utf-8", "replace").strip())
            self._complaint = _COMMAND.sub("", said) or self._complaint


def _progress_in(line: bytes) -> dict[str, Any] | None:
    with contextlib.suppress(ValueError):
        progress = json.loads(line)
        if isinstance(progress, dict):
            return progress
    return None


def end_orphan(measurements: Path) -> None:
    """End a profiler that outlived the backend which started it."""
    try:
        info = read_info(measurements)
    except UnreadableRun:
        return
    if info.state in ("starting", "running"):  # then its process is alive
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(info.process, signal.SIGTERM)
