"""A place in a text, and what may stand there."""

from __future__ import annotations

from pydantic import Field

from piql_backend.schema import FilePath, Read, SourceFiles, Write


class CompletionCreate(Write):
    """`line` and `column` are 1-based, columns in UTF-16 units."""

    files: SourceFiles
    file: FilePath
    line: int = Field(ge=1, le=1_000_000)
    column: int = Field(ge=1, le=1_000_000)


class CompletionRead(Read):
    """`kind` is what the label names: `keyword`, `table`, `column`, `type`, `parameter` …"""

    label: str
    kind: str
    detail: str
    insert_text: str
