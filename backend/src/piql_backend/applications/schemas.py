"""Applications and their files."""

from __future__ import annotations

from pydantic import Field

from piql_backend.schema import FilePath, FileText, Read, Write


class ApplicationSummaryRead(Read):
    id: str
    title: str


class FileRead(Read):
    """`revision` changes with the text; a save names the one it is based on."""

    path: str
    text: str
    revision: str


class ApplicationRead(Read):
    """A page of its files; `next` is the cursor of the page behind them, null on the last."""

    id: str
    title: str
    files: list[FileRead]
    next: str | None


class FileCreate(Write):
    path: FilePath
    text: FileText = ""


class FileUpdate(Write):
    """`base_revision` is the revision of the text that was edited."""

    text: FileText
    base_revision: str = Field(max_length=100)
