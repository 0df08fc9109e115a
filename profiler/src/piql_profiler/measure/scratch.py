"""Temporary folders of a process; those that a killed process left behind are removed by the next one."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def scratch_folder(prefix: str, beside: Path | None = None) -> Iterator[Path]:
    """A folder `<prefix><process id>_…` in `beside`, by default where temporary files go; removed at the end."""
    parent = beside or Path(tempfile.gettempdir())
    parent.mkdir(parents=True, exist_ok=True)
    _remove_left_over(prefix, parent)
    folder = Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}_", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_left_over(prefix: str, parent: Path) -> None:
    pattern = re.compile(rf"{re.escape(prefix)}(\d+)_\w+")
    for entry in parent.iterdir():
        match = pattern.fullmatch(entry.name)
        if match and not _is_running(int(match[1])):
            shutil.rmtree(entry, ignore_errors=True)


def _is_running(process: int) -> bool:
    with contextlib.suppress(PermissionError):  # another user's
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
    return True
