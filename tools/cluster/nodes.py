"""One node: its process, and what a test may do to it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from cluster.configuration import NATIVE_PORT, java_command


@dataclass(slots=True)
class Node:
    """A Cassandra process with its folder; `process` is None while it does not run under this one."""

    address: str
    folder: Path
    lib: Path
    is_quick: bool = True
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def log(self) -> Path:
        """The log that Cassandra writes."""
        return self.folder / "system.log"

    @property
    def pid_file(self) -> Path:
        """The file with the number of the node's process and of the process that started it."""
        return self.folder / "pid"

    def start(self) -> None:
        """Start the process in a session of its own; it outlives this one."""
        (self.folder / "tmp").mkdir(parents=True, exist_ok=True)
        command = java_command(self.folder, self.lib, is_quick=self.is_quick)
        with (self.folder / "output.log").open("ab") as output:
            self.process = subprocess.Popen(
                [*_without_locked_memory(), *command],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                env=os.environ | {"MALLOC_ARENA_MAX": "2"},
            )
        self.pid_file.write_text(f"{self.process.pid} {os.getpid()}")

    def is_running(self) -> bool:
        """Return whether the node's process runs, whoever started it."""
        if self.process is not None:
            return self.process.poll() is None
        pid = self.pid()
        return pid is not None and _is_ours(pid, self.folder)

    def is_left_behind(self) -> bool:
        """Return whether the node runs though the process that started it has ended."""
        return self.is_running() and not Path(f"/proc/{self._noted()[1]}").exists()

    def answers(self) -> bool:
        """Return whether something listens where clients connect."""
        try:
            with socket.create_connection((self.address, NATIVE_PORT), timeout=0.5):
                return True
        except OSError:
            return False

    def ask_to_end(self) -> None:
        """Ask the process to write out what it has and end; return at once."""
        self._signal(signal.SIGTERM)

    def stop(self, seconds: float = 20) -> None:
        """Let the node write out what it has and end; kill it when it does not."""
        self.ask_to_end()
        if not self._ends_within(seconds):
            self.kill()
        self.pid_file.unlink(missing_ok=True)

    def kill(self) -> None:
        """End the process as a power cut would."""
        self._signal(signal.SIGKILL)
        self._ends_within(10)

    def pause(self) -> None:
        """Stop the process without ending it: it holds its connections and answers nothing."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let a paused process go on."""
        self._signal(signal.SIGCONT)

    def pid(self) -> int | None:
        """Return the number of the node's process, where one was started."""
        if self.process is not None:
            return self.process.pid
        return self._noted()[0]

    def _noted(self) -> tuple[int | None, int | None]:
        """Return the numbers of the process and of the one that started it, as far as they are known."""
        try:
            pid, *starter = map(int, self.pid_file.read_text().split())
        except (OSError, ValueError):
            return None, None
        return pid, starter[0] if starter else None

    def _signal(self, number: signal.Signals) -> None:
        pid = self.pid()
        if pid is not None and self.is_running():
            os.kill(pid, number)

    def _ends_within(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while self.is_running():
            if time.monotonic() > until:
                return False
            time.sleep(0.05)
        return True


def _is_ours(pid: int, folder: Path) -> bool:
    """Whether a process is the node of a folder, and not another that got its number since."""
    try:
        return str(folder).encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _without_locked_memory() -> list[str]:
    """As root a node would lock its whole heap in memory; without that right it does not."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return []
    return ["setpriv", "--inh-caps=-ipc_lock", "--bounding-set=-ipc_lock"]
