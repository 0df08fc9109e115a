"""The saves of an application."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from piql_backend.web.schemas import Read


class FileChangeRead(Read):
    """`old_path` is what a renamed file was called before."""

    path: str
    kind: Literal["added", "changed", "removed", "renamed"]
    old_path: str | None


class SaveRead(Read):
    """One state of all files, numbered from 1; `deployments` were made from it, such as `development/3`."""

    number: int
    at: datetime
    message: str
    changes: list[FileChangeRead]
    deployments: list[str]


class SavedFileRead(Read):
    path: str
    text: str


class SaveDetailRead(SaveRead):
    """A save with the text of every file as it was then."""

    files: list[SavedFileRead]
