"""The base of all schemas, and what several resources share: files, ranges in them, diagnostics, SLOs, problems."""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

FILE_PATTERN = r"^([\w-][\w.-]*/)*[\w-][\w.-]*\.piql$"  # no part of the path is empty or begins with a point


class Read(BaseModel):
    """What the API sends: every field is always there. It can be validated from an object with the same attributes."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True, frozen=True, from_attributes=True)


class Write(BaseModel):
    """What the API receives: an unknown field is an error, so that a misspelt option never passes in silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def is_file_path(path: str) -> bool:
    """Whether a path may name a file of an application, and stays inside it."""
    return len(path) <= 200 and re.fullmatch(FILE_PATTERN, path) is not None and _is_inside(path)


def _is_inside(path: str) -> bool:
    return all(part and not part.startswith(".") and len(part.encode()) <= 200 for part in path.split("/"))


def _stays_inside(path: str) -> str:
    if not _is_inside(path):
        raise ValueError("a file's path must stay inside its application: no part may be empty or begin with a dot")
    return path


FilePath = Annotated[
    str,
    Field(pattern=FILE_PATTERN, max_length=200, examples=["queries/thoughtstream.piql"]),
    AfterValidator(_stays_inside),
]
MOST_CHARACTERS = 1_000_000  # of a file; half characters (lone surrogates) are refused by Pydantic
FileText = Annotated[str, Field(max_length=MOST_CHARACTERS)]

_UNSEEN = r"\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"
"""Control characters, ends of lines, and marks that turn the direction of the text around them."""


def _is_seen(text: str) -> str:
    if unseen := re.search(f"[{_UNSEEN}]", text):
        raise ValueError(f"it must be one line without invisible characters: leave out U+{ord(unseen[0]):04X}")
    if not text.strip():
        raise ValueError("it must not be empty")
    return text


ShownLine = Annotated[
    str,
    Field(min_length=1, json_schema_extra={"pattern": rf"^[^{_UNSEEN}]*[^\s{_UNSEEN}][^{_UNSEEN}]*$"}),
    AfterValidator(_is_seen),
]
"""What people call something, shown among other text: one line, of which each character is seen."""


def without_unseen(text: str) -> str:
    """Return a name that was given before they were refused, without its invisible characters."""
    return re.sub(f"[{_UNSEEN}]", "", text).strip() or "?"


FILE_TWICE = "file-given-twice"


class SourceFile(Write):
    """One file of PIQL text."""

    path: FilePath
    text: FileText


class FileRead(Read):
    """A file with its text; `revision` is a digest of the text, and a save names the one that it is based on."""

    path: str
    text: str
    revision: str


MOST_FILES = 1000  # of an application, wherever they come from


def _are_distinct(files: list[SourceFile]) -> list[SourceFile]:
    paths = Counter(file.path for file in files)
    if repeated := sorted(path for path, count in paths.items() if count > 1):
        raise PydanticCustomError(FILE_TWICE, "{path} is given twice", {"path": repeated[0]})
    return files


SourceFiles = Annotated[
    list[SourceFile],
    Field(max_length=MOST_FILES, description="Each path once; 422 with `file-given-twice` otherwise."),
    AfterValidator(_are_distinct),
]


class RangeRead(Read):
    """A range of a file: code-point offsets, and 1-based lines and UTF-16 columns (Monaco's)."""

    file: str
    start: int
    end: int
    start_line: int
    start_column: int
    end_line: int
    end_column: int


class EditRead(Read):
    """Replace the range by the text."""

    range: RangeRead
    text: str


class LabelRead(Read):
    """A second range that a diagnostic points at, with what is to be seen there."""

    range: RangeRead
    text: str


class FixRead(Read):
    """Edits that are applied together.

    `unblocks` names the other queries that they make bounded; `menu_title` is the title with their number.
    `consequence` says what changes for those who read and write, `cost` is the bound that the query then has.
    """

    title: str
    menu_title: str
    unblocks: list[str]
    consequence: str
    cost: str
    edits: list[EditRead]


class DiagnosticRead(Read):
    """One finding; `query` is the CREATE QUERY that it belongs to, `places` every range where its fixes are offered.

    `allowed` is the reason that a comment gives for it, else empty. `allow` puts such a comment above the query of a
    warning; the reason goes before the end of its line.
    """

    code: str
    severity: Literal["error", "warning", "info"]
    message: str
    help: list[str]
    range: RangeRead
    labels: list[LabelRead]
    fixes: list[FixRead]
    places: list[RangeRead]
    query: str | None
    allowed: str
    allow: EditRead | None


class SloWrite(Write):
    """An objective: the share `quantile` of the executions in each interval take at most `threshold_ms`."""

    quantile: float = Field(ge=0.5, le=0.9999, default=0.99, allow_inf_nan=False)
    threshold_ms: float = Field(gt=0, le=3_600_000, default=500.0, allow_inf_nan=False)
    interval_seconds: float = Field(ge=0.1, le=86_400, default=600.0, allow_inf_nan=False)


class ProblemRead(Read):
    """A problem, or with `is_over` one that the start has mended, and one thing to do about it."""

    what: Literal[
        "store",
        "deployments",
        "observations",
        "history",
        "disk",
        "environment",
        "saves",
        "profile-runs",
        "application",
        "sample",
    ]
    message: str
    help: str | None
    is_over: bool = False
