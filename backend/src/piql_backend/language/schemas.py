"""What an editor asks about a position in a text, and what the language service answers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from piql_backend.web.schemas import DiagnosticRead, EditRead, FilePath, RangeRead, Read, SourceFiles, Write


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
    """Highlighting, five numbers for each token, as the Language Server Protocol encodes it; and what can be folded.

    They are the lines and the columns since the token before, the length, the index in `types`, and 1 for a definition.
    """

    types: list[TokenType]
    data: list[int]
    folds: list[FoldRead]


NameWrite = Annotated[str, Field(max_length=200)]
NamesWrite = Annotated[list[NameWrite], Field(max_length=64)]
LimitWrite = Annotated[int, Field(ge=1, le=1_000_000_000)]


class NewColumnWrite(Write):
    """A column that does not exist yet; `is_required`: NOT NULL."""

    name: NameWrite
    type: NameWrite
    is_required: bool = False


class AddTableWrite(Write):
    """A table below the last one."""

    kind: Literal["add-table"]
    name: NameWrite
    columns: list[NewColumnWrite] = Field(max_length=64)
    primary_key: NamesWrite


class AddColumnWrite(Write):
    """A column behind the last one of a table."""

    kind: Literal["add-column"]
    table: NameWrite
    column: NewColumnWrite


class RenameColumnWrite(Write):
    """Another name for a column, in all files."""

    kind: Literal["rename-column"]
    table: NameWrite
    column: NameWrite
    new_name: NameWrite


class DropColumnWrite(Write):
    """A column leaves its table, with the constraints that are on it alone."""

    kind: Literal["drop-column"]
    table: NameWrite
    column: NameWrite


class AddReferenceWrite(Write):
    """The values of columns name rows of another table; at most `limit` rows share them, if it is given."""

    kind: Literal["add-reference"]
    table: NameWrite
    columns: NamesWrite
    referenced_table: NameWrite
    limit: LimitWrite | None = None


class SetLimitWrite(Write):
    """At most `limit` rows share one value of the columns, or hold one word in them; null takes the limit away."""

    kind: Literal["set-limit"]
    table: NameWrite
    columns: NamesWrite
    limit: LimitWrite | None
    is_token: bool = False


class AddIndexWrite(Write):
    """An index on columns of a table; those in `descending` are in descending order."""

    kind: Literal["add-index"]
    name: NameWrite
    table: NameWrite
    columns: NamesWrite
    descending: NamesWrite = Field(default_factory=list)


class SetStripesWrite(Write):
    """Each group of a view has so many stripes, 1 for none; with `new_name` it is another view, filled beside it."""

    kind: Literal["set-stripes"]
    view: NameWrite
    stripes: int = Field(ge=1, le=256)
    new_name: NameWrite | None = None


class SchemaEditCreate(Write):
    """A change of the schema that the texts declare."""

    files: SourceFiles
    change: Annotated[
        AddTableWrite
        | AddColumnWrite
        | RenameColumnWrite
        | DropColumnWrite
        | AddReferenceWrite
        | SetLimitWrite
        | AddIndexWrite
        | SetStripesWrite,
        Field(discriminator="kind"),
    ]


class SchemaEditRead(Read):
    """The edits that make a change, and what the compiler says of the texts after them that it did not say before.

    Ranges of `edits` are those of the texts before, ranges of `new_errors` those of the texts after. `now_bounded` and
    `now_refused` name queries.
    """

    edits: list[EditRead]
    new_errors: list[DiagnosticRead]
    now_bounded: list[str]
    now_refused: list[str]
