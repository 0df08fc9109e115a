"""What an editor asks about a position in a text, and what the language service answers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from piql_backend.web.schemas import FilePath, RangeRead, Read, SourceFiles, Write


class FileAmong(Write):
    """One of several files that belong together."""

    files: SourceFiles
    file: FilePath


class PlaceWrite(FileAmong):
    """A position in a file; `line` and `column` are 1-based, columns in UTF-16 units."""

    line: int = Field(ge=1, le=1_000_000)
    column: int = Field(ge=1, le=1_000_000)


class RenameCreate(PlaceWrite):
    """Another name for what is named at a position."""

    new_name: str = Field(max_length=200)


class CompletionRead(Read):
    """What may be written at a position: `label` is shown, `insert_text` is written, `kind` is what the label names."""

    label: str
    kind: Literal["keyword", "table", "column", "alias", "function", "type", "parameter", "condition"]
    detail: str
    insert_text: str


class LabelPartRead(Read):
    """A part of a label, in UTF-16 units."""

    start: int
    end: int


class SignatureRead(Read):
    """What parentheses expect; `active` is the parameter at the place, which may be one too many."""

    label: str
    parameters: list[LabelPartRead]
    active: int
    documentation: str


class HoverRead(Read):
    """What is said of the text in the range."""

    range: RangeRead
    markdown: str


class ReferenceRead(Read):
    """A range where something is named; `is_definition` where it is declared."""

    range: RangeRead
    is_definition: bool


class NameRead(Read):
    """A name that may be changed."""

    range: RangeRead
    text: str


class OutlineItemRead(Read):
    """A declaration with those inside it; `range` is the whole declaration, `name_range` its name."""

    name: str
    kind: Literal["table", "column", "index", "query"]
    detail: str
    range: RangeRead
    name_range: RangeRead
    children: list[OutlineItemRead]


class FoldRead(Read):
    """Lines that can be folded into the first of them; 1-based, both included."""

    start_line: int
    end_line: int
    kind: Literal["region", "comment"]


TokenType = Literal[
    "keyword", "type", "function", "table", "column", "alias", "output", "parameter", "query", "index",
    "string", "number", "comment", "operator", "name",
]  # fmt: skip


class TokensRead(Read):
    """Highlighting, five numbers for each token, as the Language Server Protocol encodes it.

    They are the lines and the columns since the token before, the length, the index in `types`, and 1 for a definition.
    """

    types: list[TokenType]
    data: list[int]
