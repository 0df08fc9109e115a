"""One profile run as a process of its own: its command line, its progress lines, its end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from piql_profiler.measure.store_urls import STORE_VARIABLE, without_password
from piql_profiler.runs.run_files import UnreadableRun, read_info

SECONDS_TO_END = 15.0


class ProfileProcess:
    """A running profiler; it leads a process group, so that what it started ends with it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._errors: list[str] = []

    @classmethod
    async def start(cls, arguments: Sequence[str], folder: Path, store_url: str) -> ProfileProcess:
        """Start a profiler; the store's URL goes by the environment, for everybody can read arguments."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
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

    async def follow(self, on_progress: Callable[[dict[str, Any]], None]) -> tuple[int, str]:
        """Report each progress line until the process ends; give its exit code and the last thing it complained of."""
        assert self._process.stdout is not None
        errors = asyncio.create_task(self._collect_errors())
        async for line in self._process.stdout:
            with contextlib.suppress(ValueError):
                progress = json.loads(line)
                if isinstance(progress, dict):
                    on_progress(progress)
        code = await self._process.wait()
        await errors
        return code, self._errors[-1] if self._errors else ""

    async def cancel(self) -> None:
        """Ask it to stop, and end the whole group when it does not in time."""
        self._signal(signal.SIGTERM, is_group=False)
        try:
            await asyncio.wait_for(self._process.wait(), SECONDS_TO_END)
        except TimeoutError:
            self._signal(signal.SIGKILL)
        else:
            self._signal(signal.SIGKILL)  # whatever it left behind

    def _signal(self, number: int, is_group: bool = True) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if is_group:
                os.killpg(self._process.pid, number)
            else:
                self._process.send_signal(number)

    async def _collect_errors(self) -> None:
        assert self._process.stderr is not None
        async for line in self._process.stderr:
            text = without_password(line.decode("utf-8", "replace").strip())
            if text:
                self._errors = [*self._errors[-19:], text]


def end_orphan(measurements: Path) -> None:
    """End a profiler that outlived the backend which started it."""
    try:
        info = read_info(measurements)
    except UnreadableRun:
        return
    if info.state in ("starting", "running"):  # said only while its process is alive
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(info.process, signal.SIGTERM)
