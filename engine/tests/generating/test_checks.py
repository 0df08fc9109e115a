"""Generated rows keep the CHECKs of their tables, also those that few values keep."""

from __future__ import annotations

import piql
from piql.files.generated import load_generated
from piql.generating.wish import Wish

SCHEMA = """
CREATE TABLE items (
  id       INT PRIMARY KEY CHECK (id > 20),
  quantity INT NOT NULL CHECK (quantity BETWEEN 500 AND 501),
  state    VARCHAR(10) NOT NULL CHECK (state IN ('new', 'paid')),
  low      INT,
  high     INT,
  born     DATE CHECK (born > DATE '2025-01-01'),
  price    DECIMAL(6, 2) NOT NULL CHECK (price > 0 AND price <= 1),
  code     VARCHAR(3) UNIQUE CHECK (LENGTH(code) >= 2),
  CHECK (low <= high)
);
CREATE TABLE never (id INT PRIMARY KEY, n INT NOT NULL CHECK (n > 3 AND n < 3));
"""


def test_every_row_keeps_the_checks_of_its_table() -> None:
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(SCHEMA))
        made = {table.report.table: table.report for table in load_generated(db, Wish(200))}
        assert made["items"].rows == 200
        columns = ("quantity", "state", "price")
        assert {row[:2] for row in db.some_rows("items", columns, 200)} == {
            (quantity, state) for quantity in (500, 501) for state in ("new", "paid")
        }


def test_a_check_that_no_row_keeps_leaves_its_table_empty() -> None:
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(SCHEMA))
        made = {table.report.table: table.report for table in load_generated(db, Wish(5))}
        assert (made["never"].rows, made["never"].asked) == (0, 5)
