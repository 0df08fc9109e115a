"""A full disk, told apart from other failures, and how much room there is left."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

LEAST_FREE_BYTES = 16 * 1024 * 1024
FULL = "The disk is full: nothing was written."
FREE_SOME = "Free some space on the disk that holds the data folder and the store, then try again."
_FULL = (errno.ENOSPC, errno.EDQUOT)


def is_full(error: OSError) -> bool:
    """Whether a write failed for want of room."""
    return error.errno in _FULL


def disk_full(cause: object) -> OSError:
    """The error of a full disk for one of a library that has its own."""
    return OSError(errno.ENOSPC, f"no space left on the disk ({cause})")


def free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free
