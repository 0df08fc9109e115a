"""Writes files in one step: a reader, or a crash, sees the whole old text or the whole new one."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from tempfile import NamedTemporaryFile


def write_atomically(file: Path, text: str) -> None:
    """Replace a file in one step, and make its folders; a new file is for its user alone (mode 600)."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("wb", dir=file.parent, prefix=".", suffix=".tmp", delete=False) as new:
        try:
            new.write(text.encode())
            new.flush()
            os.fchmod(new.fileno(), stat.S_IMODE(file.stat().st_mode) if file.exists() else 0o600)
            os.fsync(new.fileno())
            os.replace(new.name, file)
        except BaseException:
            Path(new.name).unlink(missing_ok=True)
            raise
