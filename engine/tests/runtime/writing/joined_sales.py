"""A small world of lines that name books, which name authors, with views that join them; and what is checked of it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import piql
from piql.client.database import Database
from piql.store.embedded.store import EmbeddedStore
from piql.store.stepwise.store import StepwiseStore
from promises import broken_promises

from .filling_views import intents_left
from .interleaved import Script, merges
from .world import opened, outcome

TABLES = """
CREATE TABLE authors (id INT PRIMARY KEY, land VARCHAR(8) NOT NULL, fax VARCHAR(8) NULL);
CREATE TABLE books (
  id INT PRIMARY KEY, kind VARCHAR(8) NOT NULL, author INT NULL REFERENCES authors, note VARCHAR(8) NULL
);
CREATE TABLE lines (id INT PRIMARY KEY, book INT NULL REFERENCES books, qty INT NOT NULL, note VARCHAR(8) NULL);
CREATE TABLE marks (book INT REFERENCES books, who INT, stars INT NOT NULL, PRIMARY KEY (book, who));
"""
VIEWS = """
CREATE VIEW sold AS SELECT b.kind, COUNT(*) AS n, SUM(l.qty) AS qty
FROM lines l JOIN books b ON b.id = l.book GROUP BY b.kind;
CREATE VIEW lands AS SELECT a.land, COUNT(*) AS n
FROM lines l JOIN books b ON b.id = l.book JOIN authors a ON a.id = b.author GROUP BY a.land;
CREATE VIEW liked AS SELECT b.kind, COUNT(*) AS n, SUM(m.stars) AS stars
FROM marks m JOIN books b ON b.id = m.book GROUP BY b.kind;
"""
LEFT_VIEWS = """
CREATE VIEW sold AS SELECT COALESCE(b.kind, '-') AS kind, COUNT(*) AS n, SUM(l.qty) AS qty
FROM lines l LEFT JOIN books b ON b.id = l.book GROUP BY COALESCE(b.kind, '-');
CREATE VIEW lands AS SELECT COALESCE(a.land, '-') AS land, COUNT(*) AS n
FROM lines l LEFT JOIN books b ON b.id = l.book LEFT JOIN authors a ON a.id = b.author
GROUP BY COALESCE(a.land, '-');
CREATE VIEW liked AS SELECT b.kind, COUNT(*) AS n, SUM(m.stars) AS stars
FROM marks m LEFT JOIN books b ON b.id = m.book WHERE b.kind IS NOT NULL GROUP BY b.kind;
"""
ROWS: dict[str, list[dict[str, Any]]] = {
    "authors": [{"id": number, "land": land, "fax": None} for number, land in enumerate(("NO", "SE", "DK"), 1)],
    "books": [
        {"id": 1, "kind": "art", "author": 1, "note": None},
        {"id": 2, "kind": "law", "author": 2, "note": None},
        {"id": 3, "kind": "law", "author": None, "note": None},
        {"id": 4, "kind": "war", "author": 3, "note": None},
        {"id": 5, "kind": "law", "author": 1, "note": None},
    ],
    "lines": [
        {"id": 1, "book": 1, "qty": 5, "note": None},
        {"id": 2, "book": 2, "qty": 7, "note": None},
        {"id": 3, "book": None, "qty": 1, "note": None},
    ],
    "marks": [{"book": 5, "who": 1, "stars": 3}],
}
_numbers = count()
_FOLDERS: list[TemporaryDirectory[str]] = []  # they go with the process


@cache
def _filled(views: str) -> Path:
    _FOLDERS.append(TemporaryDirectory(prefix="piql-joined-", ignore_cleanup_errors=True))
    path = Path(_FOLDERS[-1].name) / "begin.db"
    with Database(StepwiseStore(path, "NORMAL")) as db:
        db.deploy(piql.compile(TABLES + views))
        for table, rows in ROWS.items():
            db.load(table, rows)
    return path


def begin_sales(views: str = VIEWS) -> EmbeddedStore:
    """Open the world as it begins, a copy of its own."""
    path = _filled(views)
    copy = path.with_name(f"{next(_numbers)}.db")
    shutil.copy(path, copy)
    return StepwiseStore(copy, "NORMAL")


Contents = dict[str, list[tuple[Any, ...]]]


def contents(db: Database) -> Contents:
    """Return the rows of all tables."""
    return {name: sorted(db.some_rows(name, list(rows[0]), 99), key=repr) for name, rows in ROWS.items()}


def check_sales(db: Database) -> None:
    """Hold views, entries and references against the records; nothing may be left in progress."""
    assert intents_left(db) == []
    assert broken_promises(db) == []


@cache
def serially(*statements: str, views: str = VIEWS) -> tuple[tuple[str, ...], str]:
    """Return what comes of statements one after the other, and the rows then."""
    db = opened(begin_sales(views))
    results = tuple(outcome(db, statement) for statement in statements)
    rows = repr(contents(db))
    check_sales(db)
    db.close()
    return results, rows


def may_come_of(scripts: Sequence[Script], views: str = VIEWS) -> list[tuple[list[tuple[str, ...]], str]]:
    """Return what may come of the statements of two writers, in any order of the statements."""
    ends = []
    for order in merges(*scripts):
        results, rows = serially(*(text for _, text in order), views=views)
        outcomes = [
            tuple(result for (number, _), result in zip(order, results, strict=True) if number == writer)
            for writer in range(len(scripts))
        ]
        ends.append((outcomes, rows))
    return ends
