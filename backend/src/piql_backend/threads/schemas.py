"""Threads of comments, and what each is about."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from piql_backend.web.schemas import FilePath, Read, Write

ThreadKind = Literal["line", "bound", "node"]
ThreadState = Literal["open", "resolved"]
MOST_TEXT = 5_000  # characters of a comment
MOST_QUOTE = 300  # characters of a line that are quoted

CommentText = Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]
QueryName = Annotated[str, Field(min_length=1, max_length=200)]


class LineAnchor(Write):
    """A line of a saved file, from 1, with its text as the reader saw it; of a long line the first 300 characters."""

    kind: Literal["line"]
    path: FilePath
    line: int = Field(ge=1, le=1_000_000)
    quote: str = Field(max_length=MOST_QUOTE)


class BoundAnchor(Write):
    """The bound of a query."""

    kind: Literal["bound"]
    query: QueryName


class NodeAnchor(Write):
    """A node of the last stage of a query's plan: its id there, and its operator as the reader saw it."""

    kind: Literal["node"]
    query: QueryName
    node: str = Field(pattern=r"^(root|[0-9]+(\.[0-9]+)*)$", max_length=500)
    operator: str = Field(min_length=1, max_length=100)


class ThreadCreate(Write):
    """The first comment of a thread, and what it is about."""

    anchor: Annotated[LineAnchor | BoundAnchor | NodeAnchor, Field(discriminator="kind")]
    text: CommentText


class ThreadUpdate(Write):
    """Whether what was said is settled."""

    is_resolved: bool


class ThreadCommentCreate(Write):
    """An answer in a thread."""

    text: CommentText


class ThreadCommentUpdate(Write):
    """Another text for one's own comment, in the place of the `revision` that was read."""

    text: CommentText
    revision: int = Field(ge=1, le=2_000_000_000)


class ThreadCommentRead(Read):
    """What somebody said; `author` is null where nobody signed in. `revision` grows with each edit.

    `is_own`: whoever asks may edit it. The text of one that was removed is empty.
    """

    number: int
    author: str | None
    made_at: datetime
    text: str
    revision: int
    edited_at: datetime | None
    removed_by: str | None
    removed_at: datetime | None
    is_own: bool


class ThreadRead(Read):
    """A thread with its first comment and the number of all. `change` grows whenever anything about it changes.

    A thread about a line has a `path`, the `line` where it is now, and `quote`, the line when the thread began. One
    about a bound has a `query`, one about a node also the id of the `node` now and its `operator`. `is_outdated`: what
    it is about is in no saved file or plan at the moment, and `line` and `node` are where it was last.
    """

    number: int
    change: int
    kind: ThreadKind
    path: str | None
    line: int | None
    quote: str | None
    query: str | None
    node: str | None
    operator: str | None
    is_outdated: bool
    made_at: datetime
    changed_at: datetime
    resolved_by: str | None
    resolved_at: datetime | None
    comments: int
    first: ThreadCommentRead
