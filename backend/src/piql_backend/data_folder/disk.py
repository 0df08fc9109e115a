"""A disk that takes nothing, full or not to be written: how it is recognized, and what is said of it."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

LEAST_FREE_BYTES = 16 * 1024 * 1024  # below this the health check calls the disk full
FULL = "The disk is full: nothing was written."
FREE_SOME = "Free some space on the disk that holds the data folder and the store, then try again."
_BYTES_A_MB = 1_000_000
_FULL = (errno.ENOSPC, errno.EDQUOT)
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)
PUT_BACK = "Stop the workbench, put the folder back, and start it again."
LET_WRITE = "Let the user who runs the workbench write to the data folder and all that is in it, then try again."


def is_full(error: OSError) -> bool:
    """Whether a write failed for want of room."""
    return error.errno in _FULL


def is_refused(error: OSError) -> bool:
    """Whether a write failed because the user of the workbench may not, or the disk is there for reading only."""
    return error.errno in _REFUSED


def what_is_refused(error: OSError) -> str:
    """What is said where a write was refused: the folder, and that nothing was saved."""
    folder = "The data folder" if error.filename is None else str(Path(os.fsdecode(error.filename)).parent)
    return f"{folder} may not be written ({error.strerror}): nothing was saved."


def advice_on(error: BaseException) -> str | None:
    """What to do where a disk took nothing; None for any other failure."""
    if not isinstance(error, OSError):
        return None
    return FREE_SOME if is_full(error) else LET_WRITE if is_refused(error) else None


def disk_full(cause: object) -> OSError:
    """An OSError for a full disk, for libraries that raise errors of their own."""
    return OSError(errno.ENOSPC, f"no space left on the disk ({cause})")


def disk_refused() -> OSError:
    """An OSError for a disk that may not be written, for libraries that raise errors of their own."""
    return OSError(errno.EACCES, os.strerror(errno.EACCES))


def disk_error_in(cause: Exception) -> OSError | None:
    """The OSError that a library wraps into words of its own; None where it is no matter of the disk."""
    number = next((number for number in (*_FULL, *_REFUSED) if os.strerror(number) in str(cause)), None)
    return None if number is None else OSError(number, os.strerror(number))


def free_bytes(folder: Path) -> int:
    """The free bytes of the disk that a folder is on."""
    return shutil.disk_usage(folder).free


def problem_of_disk(folder: Path) -> tuple[str, str] | None:
    """What the health checks say of the disk that a folder is on, and what to do; None while it can be written."""
    if not folder.exists():
        return f"The data folder {folder} is gone: nothing is saved.", PUT_BACK
    locked = next((path for path in (folder, *_folders_in(folder)) if not os.access(path, os.W_OK | os.X_OK)), None)
    if locked is not None:
        return f"{locked} may not be written: nothing that needs it is saved.", LET_WRITE
    free = free_bytes(folder)
    if free < LEAST_FREE_BYTES:
        return f"The disk of the data folder is full: {free / _BYTES_A_MB:.1f} MB are left.", FREE_SOME
    return None


def _folders_in(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError:
        return []
