"""Views of one table and of several, with windows and stripes, on a cluster: they are what their tables give."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from piql.client.recounts import recount
from piql.versions.change import build as builds
from piql.versions.change import steps
from promises import broken_promises

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]
pytestmark = pytest.mark.cluster

TABLES = """
CREATE TABLE books (id INT PRIMARY KEY, kind VARCHAR(8) NOT NULL);
CREATE TABLE sales (
  id INT PRIMARY KEY, book INT NOT NULL REFERENCES books, copies INT NOT NULL, sold TIMESTAMP NOT NULL,
  gift INT NULL REFERENCES books
);
CREATE QUERY sell AS INSERT INTO sales (id, book, copies, sold, gift) VALUES ([id], [book], [copies], [sold], [gift]);
CREATE QUERY wrap AS UPDATE sales SET gift = [gift] WHERE id = [id];
CREATE QUERY exchange AS UPDATE sales SET book = [book] WHERE id = [id];
CREATE QUERY takeBack AS DELETE FROM sales WHERE id = [id];
CREATE QUERY name AS UPDATE books SET kind = [kind] WHERE id = [id];
"""
VIEWS = """
CREATE VIEW ofKind AS SELECT b.kind, COUNT(*) AS n, SUM(s.copies) AS copies
FROM sales s JOIN books b ON b.id = s.book GROUP BY b.kind;
CREATE VIEW ofHour AS SELECT book, WINDOW_START(sold) AS began, COUNT(*) AS n, SUM(copies) AS copies
FROM sales GROUP BY book, WINDOW_START(sold) WINDOW 1 HOUR BY 30 MINUTES;
CREATE VIEW ofBook AS SELECT book, COUNT(*) AS n, SUM(copies) AS copies FROM sales GROUP BY book STRIPES 4;
CREATE VIEW ofGift AS SELECT s.book, COALESCE(g.kind, '') AS kind, COUNT(*) AS n, COUNT(g.id) AS gifts
FROM sales s LEFT JOIN books g ON g.id = s.gift GROUP BY s.book, COALESCE(g.kind, '');
CREATE QUERY total AS SELECT SUM(n) AS n, SUM(copies) AS copies FROM ofBook WHERE book = [book];
CREATE QUERY best AS SELECT kind, copies FROM ofKind ORDER BY copies DESC LIMIT 3;
"""
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def sale(number: int) -> dict[str, Any]:
    sold = NOON + timedelta(minutes=7 * number)
    gift = number % 5 if number % 3 else None
    return {"id": number, "book": number % 4, "copies": 1 + number % 3, "sold": sold, "gift": gift}


def write_some(url: str, writer: int) -> None:
    """Make writes of all kinds beside other writers, of which some want the same rows."""
    with piql.connect(url) as db:
        for turn in range(12):
            number = 100 * (1 + writer) + turn
            db.execute("sell", sale(number))
            db.execute("exchange", {"id": turn % 6, "book": (turn + writer) % 4})
            db.execute("wrap", {"id": turn % 6, "gift": writer if turn % 2 else None})
            if turn % 3 == 0:
                db.execute("takeBack", {"id": number})
            with suppress(piql.ConstraintViolation):  # while a sale names the book
                db.execute("name", {"id": (turn + writer) % 5, "kind": f"kind{writer}"})


def test_views_are_what_their_tables_give_beside_writers(
    cluster_url: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over rows that are there, and then beside four writers of the same rows, groups and books."""
    url = cluster_url()
    with piql.connect(url) as db:
        db.deploy(piql.compile(TABLES))
        db.load("books", [{"id": number, "kind": "ab"[number % 2]} for number in range(5)])
        db.load("sales", [sale(number) for number in range(12)])
        with monkeypatch.context() as alone:
            alone.setattr(steps, "GRACE_SECONDS", 0.0)
            alone.setattr(builds, "GRACE_SECONDS", 0.0)
            db.deploy(piql.compile(TABLES + VIEWS))
        assert broken_promises(db) == []
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda writer: write_some(url, writer), range(4)))
        db.sweep(older_than=-1)
        assert broken_promises(db) == []
        sold = db.some_rows("sales", ["book", "copies"], 999)
        of_book = [copies for book, copies in sold if book == 1]
        assert db.execute("total", {"book": 1}).rows == [{"n": len(of_book), "copies": sum(of_book)}]
        for name in ("ofKind", "ofHour", "ofBook", "ofGift"):
            assert recount(db, db.deployment.tables[name]).is_right
