"""Lets one backend at a time use a data folder, and makes the folder private to its user (mode 700)."""

from __future__ import annotations

import contextlib
import fcntl
from pathlib import Path


class DataInUse(Exception):
    """Another backend uses the folder."""


class DataLock:
    """Held from the start to the end of the process; the system releases it however the process ends."""

    def __init__(self, data: Path) -> None:
        """Take the lock, and make the folder where there is none; DataInUse where another process has it."""
        data.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(PermissionError):  # a folder of somebody else's, such as a mounted one
            data.chmod(0o700)
        self._file = (data / ".lock").open("w")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise DataInUse(f"the data folder {data} is used by another workbench") from None

    def release(self) -> None:
        self._file.close()
