"""Orders, the writes of a shop, and a view of them: the world of the tests of single views."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import piql
import pytest
from piql.versions.change.build import BackfillRate
from piql.versions.change.progress import Task, read_progress

TABLE = """CREATE TABLE orders (
  id INT PRIMARY KEY, buyer VARCHAR(8) NOT NULL, day DATE, price DECIMAL(8, 2), weight DOUBLE, amount INT NOT NULL,
  note VARCHAR(8));
"""
WRITES = """
CREATE QUERY put AS INSERT INTO orders (id, buyer, amount) VALUES ([id], [buyer], [amount]);
CREATE QUERY putNew AS INSERT INTO orders (id, buyer, amount) VALUES ([id], [buyer], [amount]) IF NOT EXISTS;
CREATE QUERY give AS UPDATE orders SET buyer = [buyer] WHERE id = [id];
CREATE QUERY correct AS UPDATE orders SET amount = [amount] WHERE id = [id];
CREATE QUERY weigh AS UPDATE orders SET weight = [weight] WHERE id = [id];
CREATE QUERY remove AS DELETE FROM orders WHERE id = [id];
"""
VIEW = "CREATE VIEW totals AS SELECT buyer, COUNT(*) AS n, SUM(amount) AS total FROM orders GROUP BY buyer;\n"
BEST = "CREATE QUERY best AS SELECT buyer, total FROM totals ORDER BY total DESC LIMIT 3;\n"
SLOW = BackfillRate(step_rows=2, first_rows=0, busy_share=1.0)


def tasks_of(db: piql.Database) -> tuple[Task, ...]:
    """Return the tasks of the change in progress, as they stand."""
    progress = read_progress(db.store)
    return progress.tasks if progress is not None else ()


@pytest.fixture
def db(tmp_path: Path) -> Iterator[piql.Database]:
    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as db:
        db.deploy(piql.compile({"a": TABLE + WRITES}))
        db.load("orders", [{"id": number, "buyer": "ab"[number % 2], "amount": number} for number in range(10)])
        yield db
