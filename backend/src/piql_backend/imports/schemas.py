"""Imports of files into tables: uploaded in parts, then checked or loaded."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from piql_backend.web.schemas import Read, Write

MOST_FILE_BYTES = 512 * 1024 * 1024

State = Literal["uploading", "ready", "checking", "loading", "checked", "stopped", "refused", "loaded", "failed"]


class ImportCreate(Write):
    """A file that is about to be uploaded; the format is that of the ending of its name."""

    table: str = Field(min_length=1, max_length=200)
    file_name: str = Field(min_length=1, max_length=200)
    size: int = Field(ge=0, le=MOST_FILE_BYTES)
    delimiter: str | None = Field(default=None, min_length=1, max_length=1)


class ImportRun(Write):
    """A dry run or a load. `mapping` gives columns of the file a column of the table, null leaves one out.

    Other columns go by their names. With `resume`, rows that an earlier load of this file name put in are passed over.
    """

    mapping: dict[str, str | None] = Field(default_factory=dict, max_length=1000)
    bytes_form: Literal["base64", "hex"] = "base64"
    dry_run: bool = True
    resume: bool = False


class FileProblemRead(Read):
    """What is wrong in a line of the file, or with the file where there is no line."""

    line: int | None
    column: str | None
    value: str | None
    message: str


class ImportRead(Read):
    """An import and how far it is. `rows_done` are rows checked or loaded, `line` is the last of them.

    `columns` are those of the file, `suggested` the column of the table that each goes into by its name, `sample` its
    first rows. After a dry run: `new`, `changed` and `unchanged` rows. `rows_in` are rows that are in, up to `line_in`;
    some of the lines `partly_from` to `partly_to` may be loaded, too.
    """

    id: str
    table: str
    file_name: str
    state: State
    size: int
    uploaded: int
    columns: list[str]
    suggested: list[str | None]
    sample: list[list[JsonValue]]
    rows_total: int | None
    rows_done: int
    line: int
    new: int
    changed: int
    unchanged: int
    rows_in: int
    line_in: int
    skipped: int
    partly_from: int | None
    partly_to: int | None
    problems: list[FileProblemRead]
    is_more: bool
    message: str | None
