"""Threads that count by upserts on the same rows lose no increment, whichever key leads to the row."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import piql
import pytest
from promises import broken_promises

from .jobs import connect

THREADS, ROWS, INCREMENTS = 8, 3, 96
SOURCE = """
CREATE TABLE counters (id INT PRIMARY KEY, name VARCHAR(9) NOT NULL UNIQUE, value INT NOT NULL);
CREATE QUERY byId AS
INSERT INTO counters (id, name, value) VALUES ([id], [name], 1) ON CONFLICT (id) DO UPDATE SET value = value + 1;
CREATE QUERY byName AS
INSERT INTO counters (id, name, value) VALUES ([id], [name], 1)
ON CONFLICT (name) DO UPDATE SET value = value + EXCLUDED.value RETURNING value;
CREATE QUERY once AS INSERT INTO counters (id, name, value) VALUES ([id], [name], 0) ON CONFLICT DO NOTHING;
CREATE QUERY named AS SELECT value FROM counters WHERE name = [name];
"""


@pytest.fixture(params=("embedded", "stepwise"))
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    address = f"{request.param}:{tmp_path / 'd.db'}?synchronous=NORMAL&wait_ms=120000"
    with piql.connect(address) as db:
        db.deploy(piql.compile(SOURCE))
    return address


def test_no_increment_is_lost_and_each_sees_another_value(url: str) -> None:
    with connect(url) as db, ThreadPoolExecutor(THREADS) as pool:

        def count(number: int) -> tuple[str, int]:
            name = f"n{number % ROWS}"
            row = {"id": number, "name": name}  # the one that comes first gives the row its id
            return name, db.execute("byName", row).rows[0]["value"]

        seen = list(pool.map(count, range(INCREMENTS)))
        assert sorted(seen) == [(f"n{row}", value) for row in range(ROWS) for value in range(1, INCREMENTS // ROWS + 1)]
        assert [db.execute("named", {"name": f"n{row}"}).rows for row in range(ROWS)] == [[{"value": 32}]] * ROWS
        assert broken_promises(db) == []


def test_upserts_by_the_primary_key_count_every_one(url: str) -> None:
    with connect(url) as db, ThreadPoolExecutor(THREADS) as pool:
        rows = [{"id": number % ROWS, "name": f"n{number % ROWS}"} for number in range(INCREMENTS)]
        affected = Counter(page.rows_affected for page in pool.map(lambda row: db.execute("byId", row), rows))
        assert affected == {1: INCREMENTS}
        assert [db.execute("named", {"name": f"n{row}"}).rows for row in range(ROWS)] == [[{"value": 32}]] * ROWS


def test_of_many_that_want_one_name_or_id_exactly_one_gets_it(url: str) -> None:
    with connect(url) as db, ThreadPoolExecutor(THREADS) as pool:
        rows = [{"id": number, "name": "same"} for number in range(24)]
        assert sum(page.rows_affected or 0 for page in pool.map(lambda row: db.execute("once", row), rows)) == 1
        assert broken_promises(db) == []
