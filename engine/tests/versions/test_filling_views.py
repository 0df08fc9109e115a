"""A view is added to a table with rows while several clients write, on every store: each row counts once."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import piql
import pytest
from piql.client.recounts import recount
from promises import broken_promises

from .conftest import CLUSTER, url_of

TABLE = """
CREATE TABLE orders (id INT PRIMARY KEY, buyer VARCHAR(8) NOT NULL, price INT);
CREATE QUERY put AS INSERT INTO orders (id, buyer, price) VALUES ([id], [buyer], [price]);
CREATE QUERY move AS UPDATE orders SET buyer = [buyer] WHERE id = [id];
CREATE QUERY remove AS DELETE FROM orders WHERE id = [id];
"""
VIEW = """
CREATE VIEW totals AS SELECT buyer, COUNT(*) AS n, COUNT(price) AS m, SUM(price) AS total
FROM orders GROUP BY buyer;
CREATE QUERY best AS SELECT buyer, n FROM totals ORDER BY n DESC LIMIT 3;
"""
ROWS = 60


@pytest.fixture(params=["embedded", "stepwise", CLUSTER])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return url_of(request, tmp_path)


def write_until(is_over: threading.Event, url: str, seed: int) -> None:
    """Insert, move and delete rows of chance, those that the walk passes among them."""
    chance = random.Random(seed)
    with piql.connect(url) as db:
        while not is_over.is_set():
            row, buyer = chance.randrange(ROWS + 20), chance.choice("abcde")
            db.execute("put", {"id": row, "buyer": buyer, "price": chance.choice((None, row))})
            db.execute("move", {"id": chance.randrange(ROWS), "buyer": buyer})
            db.execute("remove", {"id": chance.randrange(ROWS)})


def test_a_view_is_filled_beside_writers(url: str) -> None:
    with piql.connect(url) as db:
        db.deploy(piql.compile(TABLE))
        db.load("orders", [{"id": row, "buyer": "abcde"[row % 5], "price": row} for row in range(ROWS)])
        is_over = threading.Event()
        writers = [threading.Thread(target=write_until, args=(is_over, url, seed)) for seed in (1, 2)]
        for writer in writers:
            writer.start()
        try:
            version = db.deploy(piql.compile(TABLE + VIEW)).version
        finally:
            is_over.set()
            for writer in writers:
                writer.join()
        assert version == 2
        assert broken_promises(db) == []
        assert recount(db, db.deployment.tables["totals"]).is_right
