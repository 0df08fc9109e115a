"""Lists, adds and changes threads and comments, in an open file of an application."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from piql_backend.threads.schemas import ThreadCommentRead, ThreadKind, ThreadRead, ThreadState
from piql_backend.web.errors import ApiError, NotFound

MOST_THREADS = 20_000  # of an application
MOST_COMMENTS = 100_000  # of an application

_THREADS = """
    SELECT threads.*, (SELECT count(*) FROM comments WHERE thread = threads.number) AS comments FROM threads
"""
_COMMENTS = "SELECT * FROM comments WHERE thread = ? AND number > ? ORDER BY number LIMIT ?"
_IN_STATE: Mapping[ThreadState | None, str] = {
    None: "TRUE",
    "open": "resolved_at IS NULL",
    "resolved": "resolved_at IS NOT NULL",
}


@dataclass(frozen=True, slots=True)
class Reader:
    """Whoever asks; `name` is None where nobody signs in."""

    name: str | None


@dataclass(frozen=True, slots=True)
class ThreadFilter:
    """Which threads are wanted; None wants all."""

    state: ThreadState | None = None
    path: str | None = None
    query: str | None = None


@dataclass(frozen=True, slots=True)
class NewThread:
    """What a new thread is about, at a place that was found just now."""

    kind: ThreadKind
    path: str | None = None
    line: int | None = None
    quote: str | None = None
    query: str | None = None
    node: str | None = None
    operator: str | None = None
    node_table: str | None = None


def threads_behind(
    file: sqlite3.Connection, after: int, count: int, wanted: ThreadFilter, reader: Reader
) -> Sequence[ThreadRead]:
    """The next threads in the order of their last change."""
    sql = f"""{_THREADS} WHERE change > ?1 AND {_IN_STATE[wanted.state]} AND (?2 IS NULL OR path = ?2)
              AND (?3 IS NULL OR query = ?3) ORDER BY change LIMIT ?4"""
    rows = file.execute(sql, [after, wanted.path, wanted.query, count]).fetchall()
    return [_thread(file, row, reader) for row in rows]


def has_thread(file: sqlite3.Connection, number: int) -> bool:
    return file.execute("SELECT 1 FROM threads WHERE number = ?", [number]).fetchone() is not None


def thread_of(file: sqlite3.Connection, number: int, reader: Reader) -> ThreadRead:
    """One thread; ApiError 404 where there is none of that number."""
    row = file.execute(f"{_THREADS} WHERE number = ?", [number]).fetchone()
    if row is None:
        raise unknown_thread(number)
    return _thread(file, row, reader)


def unknown_thread(number: int) -> NotFound:
    return NotFound("unknown-thread", f"There is no thread {number}.", "The list of threads has their numbers.")


def comments_behind(
    file: sqlite3.Connection, thread: int, after: int, count: int, reader: Reader
) -> Sequence[ThreadCommentRead]:
    """The next comments of a thread in their order."""
    return [_comment(row, reader) for row in file.execute(_COMMENTS, [thread, after, count])]


def comment_of(file: sqlite3.Connection, thread: int, number: int, reader: Reader) -> ThreadCommentRead:
    """One comment; ApiError 404 where the thread has none of that number."""
    comments = comments_behind(file, thread, number - 1, 1, reader)
    if not comments or comments[0].number != number:
        raise NotFound("unknown-comment", f"Thread {thread} has no comment {number}.", "Read the thread again.")
    return comments[0]


def add_thread(file: sqlite3.Connection, thread: NewThread) -> int:
    """Add a thread without a comment; return its number. ApiError 422 where there are too many."""
    newest, count = file.execute("SELECT coalesce(max(number), 0), count(*) FROM threads").fetchone()
    if count >= MOST_THREADS:
        message = f"An application has at most {MOST_THREADS:,} threads of comments."
        raise ApiError(422, "too-many-to-keep", message, "Answer in a thread that is there.")
    number: int = newest + 1
    now = _now()
    row = {
        "number": number,
        "change": next_change(file),
        "kind": thread.kind,
        "path": thread.path,
        "line": thread.line,
        "quote": thread.quote,
        "seen": thread.quote,
        "is_lost": 0,
        "query": thread.query,
        "node": thread.node,
        "operator": thread.operator,
        "node_table": thread.node_table,
        "is_outdated": 0,
        "made_at": now,
        "changed_at": now,
    }
    marks = ", ".join(f":{name}" for name in row)
    file.execute(f"INSERT INTO threads ({', '.join(row)}) VALUES ({marks})", row)
    return number


def add_comment(file: sqlite3.Connection, thread: int, author: str | None, text: str) -> int:
    """Add a comment with the next number, which is returned; ApiError 422 where there are too many."""
    if file.execute("SELECT count(*) FROM comments").fetchone()[0] >= MOST_COMMENTS:
        message = f"An application has at most {MOST_COMMENTS:,} comments."
        raise ApiError(422, "too-many-to-keep", message, "Talk about it elsewhere, and write here what came of it.")
    newest = "SELECT coalesce(max(number), 0) + 1 FROM comments WHERE thread = ?"
    number: int = file.execute(newest, [thread]).fetchone()[0]
    sql = "INSERT INTO comments (thread, number, author, made_at, text, revision) VALUES (?, ?, ?, ?, ?, 1)"
    file.execute(sql, [thread, number, author, _now(), text])
    touch(file, thread)
    return number


def edit_comment(file: sqlite3.Connection, thread: int, number: int, text: str) -> None:
    """Give a comment another text."""
    sql = "UPDATE comments SET text = ?, edited_at = ?, revision = revision + 1 WHERE thread = ? AND number = ?"
    file.execute(sql, [text, _now(), thread, number])
    touch(file, thread)


def remove_comment(file: sqlite3.Connection, thread: int, number: int, person: str | None) -> None:
    """Forget the text of a comment, and keep that there was one; a thread that says nothing any more is resolved."""
    sql = """
        UPDATE comments SET text = '', removed_by = ?, removed_at = ?, revision = revision + 1
        WHERE thread = ? AND number = ?
    """
    file.execute(sql, [person, _now(), thread, number])
    left = "SELECT count(*) FROM comments WHERE thread = ? AND removed_at IS NULL"
    if file.execute(left, [thread]).fetchone()[0] == 0:
        sql = "UPDATE threads SET resolved_by = ?, resolved_at = ? WHERE number = ? AND resolved_at IS NULL"
        file.execute(sql, [person, _now(), thread])
    touch(file, thread)


def resolve_thread(file: sqlite3.Connection, thread: int, person: str | None, *, is_resolved: bool) -> None:
    """Settle a thread, or take it up again."""
    by, at = (person, _now()) if is_resolved else (None, None)
    file.execute("UPDATE threads SET resolved_by = ?, resolved_at = ? WHERE number = ?", [by, at, thread])
    touch(file, thread)


def touch(file: sqlite3.Connection, thread: int) -> None:
    """Let a thread be the one that has changed last, now."""
    sql = "UPDATE threads SET change = ?, changed_at = ? WHERE number = ?"
    file.execute(sql, [next_change(file), _now(), thread])


def next_change(file: sqlite3.Connection) -> int:
    """A number above those of all changes: the time, so that a file that was put back goes on above what it lost."""
    newest: int = file.execute("SELECT coalesce(max(change), 0) FROM threads").fetchone()[0]
    return max(newest + 1, _now())


def _now() -> int:
    return time.time_ns() // 1_000_000


def _thread(file: sqlite3.Connection, row: sqlite3.Row, reader: Reader) -> ThreadRead:
    values = dict(row) | {
        "is_outdated": bool(row["is_outdated"]),
        "first": comment_of(file, row["number"], 1, reader),
        **{name: _moment(row[name]) for name in ("made_at", "changed_at", "resolved_at")},
    }
    return ThreadRead.model_validate(values)


def _comment(row: sqlite3.Row, reader: Reader) -> ThreadCommentRead:
    moments: dict[str, Any] = {name: _moment(row[name]) for name in ("made_at", "edited_at", "removed_at")}
    is_own = row["author"] == reader.name and row["removed_at"] is None
    return ThreadCommentRead.model_validate(dict(row) | moments | {"is_own": is_own})


def _moment(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, UTC)
