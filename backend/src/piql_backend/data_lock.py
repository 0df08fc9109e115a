"""Lets one backend at a time use a data folder, and nobody but its user look into it."""

from __future__ import annotations

import contextlib
import fcntl
from pathlib import Path


class DataInUse(Exception):
    """Another backend uses the folder."""


class DataLock:
    """Held from the start to the end of the process; the system lets go of it whatever the end."""

    def __init__(self, data: Path) -> None:
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
