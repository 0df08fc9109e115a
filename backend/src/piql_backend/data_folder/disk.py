"""A full disk: how it is recognized among other failures, what is said of it, and how much room is left."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

LEAST_FREE_BYTES = 16 * 1024 * 1024  # below this the health check calls the disk full
FULL = "The disk is full: nothing was written."
FREE_SOME = "Free some space on the disk that holds the data folder and the store, then try again."
_BYTES_A_MB = 1_000_000
_FULL = (errno.ENOSPC, errno.EDQUOT)


def is_full(error: OSError) -> bool:
    """Whether a write failed for want of room."""
    return error.errno in _FULL


def disk_full(cause: object) -> OSError:
    """An OSError for a full disk, for libraries that raise errors of their own."""
    return OSError(errno.ENOSPC, f"no space left on the disk ({cause})")


def free_bytes(folder: Path) -> int:
    """The free bytes of the disk that a folder is on."""
    return shutil.disk_usage(folder).free


def problem_of_disk(folder: Path) -> str | None:
    """What the health checks say of the disk that a folder is on; None while there is room."""
    free = free_bytes(folder)
    return (
        f"The disk of the data folder is full: {free / _BYTES_A_MB:.1f} MB are left."
        if free < LEAST_FREE_BYTES
        else None
    )
