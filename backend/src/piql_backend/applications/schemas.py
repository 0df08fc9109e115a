"""Applications and their files."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from piql_backend.web.schemas import FilePath, FileRead, FileText, Read, ShownLine, SourceFiles, Write

Title = Annotated[ShownLine, Field(max_length=100)]


class ApplicationSummaryRead(Read):
    """An application without its files, the last of which changed at `changed_at`.

    One in the archive has no open environment.
    """

    id: str
    title: str
    is_archived: bool
    environments: list[str]
    changed_at: datetime


class ApplicationRead(Read):
    """A page of its files; `next` is the cursor of the page behind them, null on the last.

    The pulse of its environments has another `version` once a file or the title was written since.
    """

    id: str
    title: str
    version: str
    files: list[FileRead]
    next: str | None


class ApplicationCreate(Write):
    """Makes an application of a template, of files, or with an empty schema; without an id it is made of the title."""

    title: Title
    id: str | None = Field(default=None, pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=60)
    template: str | None = Field(default=None, max_length=60)
    files: SourceFiles = Field(default_factory=list)


class ApplicationUpdate(Write):
    """Changes the title, or archives the application; what is null stays as it is."""

    title: Title | None = None
    is_archived: bool | None = None


class ApplicationDuplicate(Write):
    """Makes an application with the same files and an empty store."""

    title: Title


class FileCreate(Write):
    """A new file."""

    path: FilePath
    text: FileText = ""


class FileUpdate(Write):
    """`base_revision` is the revision of the text that was edited."""

    text: FileText
    base_revision: str = Field(max_length=100)


class FileRename(Write):
    """`base_revision` is the revision of the text that was read."""

    path: FilePath
    new_path: FilePath
    base_revision: str = Field(max_length=100)
