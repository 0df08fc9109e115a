"""Writes files in one step: a reader, or a crash, sees the whole old text or the whole new one."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


def write_atomically(file: Path, text: str) -> None:
    """Replace a file in one step, and make its folders; a new file is for its user alone (mode 600)."""
    new = f"{file.parent}/.{secrets.token_hex(8)}.tmp"
    try:
        descriptor = os.open(new, _NEW, 0o600)
    except FileNotFoundError:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(new, _NEW, 0o600)
    try:
        with open(descriptor, "wb", buffering=0) as writing:
            rest = memoryview(text.encode())
            while rest:
                rest = rest[writing.write(rest) :]
            with contextlib.suppress(FileNotFoundError):
                os.fchmod(descriptor, stat.S_IMODE(os.stat(file).st_mode))
            os.fsync(descriptor)
        os.replace(new, file)
    except BaseException:
        Path(new).unlink(missing_ok=True)
        raise
