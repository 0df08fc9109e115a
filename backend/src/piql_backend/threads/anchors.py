"""Brings threads to where what they are about is in the saved texts: read when threads are, so late nobody sees it.

The file keeps the text in which the lines of its threads stand. A text that differs from it is compared with it line by
line, whoever changed it: a save, a live session, or another program. A file that has got another path is known by its
text, and so is a query that has got another name. What is gone leaves its threads outdated, and brings them back when
it comes back.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Mapping, Sequence

from piql_backend.threads.lines import lines_of, lines_that_come_once, moved_lines
from piql_backend.threads.nodes import PlannedNode, node_now
from piql_backend.threads.queries import PlannedQuery, renamed_queries
from piql_backend.threads.repository import next_change
from piql_backend.threads.schemas import MOST_QUOTE

Texts = Mapping[str, str]
Plans = Mapping[str, PlannedQuery]  # by the query's name


def settle(file: sqlite3.Connection, texts: Texts, plans_of: Callable[[], Plans | None]) -> None:
    """Move all threads to where what they are about is now. Without plans, those about queries stay as they were."""
    digest = _digest_of(texts)
    settled = file.execute("SELECT digest FROM settled").fetchone()
    if settled is not None and settled["digest"] == digest:
        return
    for path in _paths(file):
        new_path = path if path in texts else _new_path(file, path, texts)
        if new_path is not None and new_path != path:
            rename(file, path, new_path)
        _settle_lines(file, new_path or path, texts.get(new_path or path))
    if file.execute("SELECT 1 FROM threads WHERE query IS NOT NULL LIMIT 1").fetchone():
        plans = plans_of()
        if plans is not None:
            bodies = {name: planned.body for name, planned in plans.items()}
            _rename_queries(file, bodies)
            _settle_queries(file, plans)
            keep_queries(file, bodies)
    file.execute("DELETE FROM settled")
    file.execute("INSERT INTO settled VALUES (?)", [digest])


def keep_text(file: sqlite3.Connection, path: str, text: str) -> None:
    """Keep the text in which a line of a new thread stands; all others stand in it already."""
    file.execute("INSERT OR REPLACE INTO texts VALUES (?, ?)", [path, text])


def keep_queries(file: sqlite3.Connection, bodies: Mapping[str, str]) -> None:
    """Keep the body of each query, so that one that is renamed is known, and of each that is gone and has threads."""
    file.execute("DELETE FROM queries WHERE name NOT IN (SELECT query FROM threads WHERE query IS NOT NULL)")
    file.executemany("INSERT OR REPLACE INTO queries VALUES (?, ?)", [*bodies.items()])


def rename(file: sqlite3.Connection, path: str, new_path: str) -> None:
    """Let the threads of a file go with it; those of a file that had the new path before have lost their lines."""
    file.execute("UPDATE threads SET is_lost = 1 WHERE path = ?", [new_path])
    file.execute("DELETE FROM texts WHERE path = ?", [new_path])
    file.execute("UPDATE texts SET path = ? WHERE path = ?", [new_path, path])
    for (number,) in file.execute("SELECT number FROM threads WHERE path = ?", [path]).fetchall():
        sql = "UPDATE threads SET path = ?, change = ? WHERE number = ?"
        file.execute(sql, [new_path, next_change(file), number])
    file.execute("DELETE FROM settled")


def _digest_of(texts: Texts) -> str:
    digest = hashlib.sha256()
    for path, text in sorted(texts.items()):
        digest.update(f"{path}\0{len(text)}\0{text}\0".encode())
    return digest.hexdigest()


def _paths(file: sqlite3.Connection) -> Sequence[str]:
    return [path for (path,) in file.execute("SELECT DISTINCT path FROM threads WHERE path IS NOT NULL").fetchall()]


def _new_path(file: sqlite3.Connection, path: str, texts: Texts) -> str | None:
    """The path of the one file that has exactly the text of a file that is gone, and no threads of its own."""
    kept = file.execute("SELECT text FROM texts WHERE path = ?", [path]).fetchone()
    if kept is None or not kept[0].strip():
        return None
    taken = {*_paths(file)}
    alike = [candidate for candidate, text in texts.items() if text == kept[0] and candidate not in taken]
    return alike[0] if len(alike) == 1 else None


def _settle_lines(file: sqlite3.Connection, path: str, text: str | None) -> None:
    """Move the threads of one file; None is the text of one that is gone, whose threads keep where they were."""
    threads = file.execute("SELECT * FROM threads WHERE path = ?", [path]).fetchall()
    if text is None:
        for thread in threads:
            if not thread["is_outdated"]:
                _change(file, thread, {"is_outdated": 1})
        return
    kept = file.execute("SELECT text FROM texts WHERE path = ?", [path]).fetchone()
    after = lines_of(text)
    known = {thread["line"] for thread in threads if not thread["is_lost"]}
    moved = moved_lines(lines_of(kept[0]), after, known) if kept is not None else {}
    once = lines_that_come_once([line[:MOST_QUOTE] for line in after])
    for thread in threads:
        line = None if thread["is_lost"] else moved.get(thread["line"])
        if line is None:
            line = once.get(thread["seen"].strip()) or once.get(thread["quote"].strip())
        if line is None:
            _change(file, thread, {"is_lost": 1, "is_outdated": 1})
        else:
            seen = after[line - 1][:MOST_QUOTE]
            _change(file, thread, {"line": line, "seen": seen, "is_lost": 0, "is_outdated": 0})
    keep_text(file, path, text)


def _rename_queries(file: sqlite3.Connection, bodies: Mapping[str, str]) -> None:
    """Let the threads of a query that was renamed go with it."""
    before = dict(file.execute("SELECT name, body FROM queries").fetchall())
    for name, new_name in renamed_queries(before, bodies).items():
        for thread in file.execute("SELECT * FROM threads WHERE query = ?", [name]).fetchall():
            _change(file, thread, {"query": new_name})


def _settle_queries(file: sqlite3.Connection, plans: Plans) -> None:
    for thread in file.execute("SELECT * FROM threads WHERE query IS NOT NULL").fetchall():
        planned = plans.get(thread["query"])
        if thread["kind"] == "bound":
            _change(file, thread, {"is_outdated": int(planned is None)})
            continue
        before = PlannedNode(thread["node"], thread["operator"], thread["node_table"])
        now = None if planned is None else node_now(planned.nodes, before)
        _change(file, thread, {"is_outdated": 1} if now is None else {"node": now.id, "is_outdated": 0})


def _change(file: sqlite3.Connection, thread: sqlite3.Row, values: Mapping[str, int | str]) -> None:
    """Write what is other than it was; readers are told of it as of any change."""
    changed = {name: value for name, value in values.items() if thread[name] != value}
    if not changed:
        return
    marks = ", ".join(f"{name} = ?" for name in (*changed, "change"))
    file.execute(
        f"UPDATE threads SET {marks} WHERE number = ?", [*changed.values(), next_change(file), thread["number"]]
    )
