"""The versions of what a page shows: of files by what the disk says of them, of the rest by what was counted."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from pathlib import Path

from piql_backend.applications.repository import Applications
from piql_backend.environments.environment import Environment
from piql_backend.environments.registry import EnvironmentName, Environments
from piql_backend.environments.settings_file import stamp_of
from piql_backend.pulse.schemas import VersionsRead
from piql_backend.threads.thread_file import COMMENTS

_DIGEST_BYTES = 8
_SECONDS_TO_REST = 2  # far more than the steps in which a disk tells time


def versions_of(
    name: EnvironmentName,
    environment: Environment | None,
    applications: Applications,
    environments: Environments,
    seconds: float,
) -> VersionsRead:
    """The versions of an environment, None for one that cannot be opened. ApiError 404 for an unknown application.

    What changes all the time is told `seconds` after the last time at the soonest.
    """
    files = applications.told_version(name.application, seconds)
    return VersionsRead(
        files=files,
        comments=_of_comments(applications.folder(name.application) / COMMENTS, files),
        environments=_of_environments(name.application, environments),
        live="" if environment is None else _of_live(environment),
        observed="" if environment is None else environment.database.version(seconds),
    )


def _of_live(environment: Environment) -> str:
    live = environment.deployments.history.live
    return "" if live is None else f"{live.read.id} {live.id}"


def _of_comments(file: Path, files: str) -> str:
    """The version of the threads, which stand at lines of the files; empty where nobody has said anything."""
    try:
        state = file.stat()  # to open and close it would let go of SQLite's locks
    except OSError:
        return ""
    # Two changes may have one time: a version is another one each second until the file has rested for some.
    now = time.time()
    moment = str(int(now)) if 0 <= now - state.st_mtime < _SECONDS_TO_REST else ""
    return _digest((files, moment, str(state.st_ino), str(state.st_size), str(state.st_mtime_ns)))


def _of_environments(application: str, environments: Environments) -> str:
    parts: list[str] = []
    for name in environments.names(application):
        parts += (name, stamp_of(environments.folder(EnvironmentName(application, name))))
    return _digest(parts)


def _digest(parts: Iterable[str]) -> str:
    return hashlib.blake2b("\n".join(parts).encode("utf-8", "surrogateescape"), digest_size=_DIGEST_BYTES).hexdigest()
