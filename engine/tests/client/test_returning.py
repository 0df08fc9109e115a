"""RETURNING gives back the row of a write: after INSERT and UPDATE, before DELETE; on both kinds of stores."""

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal

import piql
import pytest

TEXT = """
CREATE TABLE item (id INT PRIMARY KEY, code VARCHAR(9) NULL, price DECIMAL(9, 2), at TIMESTAMP, UNIQUE (code));
CREATE QUERY put AS
INSERT INTO item (id, code, price) VALUES ([1: id], [2: code], [3: price])
ON CONFLICT (code) DO UPDATE SET price = price + EXCLUDED.price RETURNING id, item.price AS total, at;
CREATE QUERY add AS INSERT INTO item (id, code) VALUES ([1: id], [2: code]) ON CONFLICT DO NOTHING RETURNING id;
CREATE QUERY stamp AS
UPDATE item SET at = [2: at], price = price * 2 WHERE id = [1: id] RETURNING *;
CREATE QUERY drop AS DELETE FROM item WHERE code = [1: code] IF price > 1 RETURNING item.*;
"""
COMPILATION = piql.compile(TEXT)
MOMENT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(COMPILATION)
        yield database


def test_an_insert_and_an_upsert_give_the_row_as_it_is_afterwards(db: piql.Database) -> None:
    put = {"id": 1, "code": "a", "price": Decimal(2)}
    assert db.execute("put", put).rows == [{"id": 1, "total": Decimal(2), "at": None}]
    assert db.execute("put", put | {"id": 9}).rows == [{"id": 1, "total": Decimal(4), "at": None}]


def test_an_update_gives_the_row_after_it_and_a_delete_the_row_before(db: piql.Database) -> None:
    db.execute("put", {"id": 1, "code": "a", "price": Decimal(2)})
    row = {"id": 1, "code": "a", "price": Decimal(4), "at": MOMENT}
    assert db.execute("stamp", {"id": 1, "at": MOMENT}).rows == [row]
    assert db.execute("drop", {"code": "a"}).rows == [row]


def test_a_write_of_no_row_gives_none(db: piql.Database) -> None:
    db.execute("add", {"id": 1, "code": "a"})
    pages = [db.execute("add", {"id": 2, "code": "a"}), db.execute("stamp", {"id": 2, "at": None})]
    assert [(page.rows, page.rows_affected) for page in pages] == [([], 0), ([], 0)]


def test_returning_costs_no_request(db: piql.Database) -> None:
    silent = db.run("UPDATE item SET price = 1 WHERE id = 1")
    assert db.run("UPDATE item SET price = 2 WHERE id = 1 RETURNING *").operations == silent.operations
    bound = COMPILATION.queries["stamp"].bound
    assert bound is not None
    assert (bound.operations, bound.rows) == (2, 1)


@pytest.mark.parametrize(
    ("returning", "code", "message"),
    [
        ("price + 1", "not-in-piql", "an expression in RETURNING"),
        ("COUNT(*)", "not-in-piql", "an expression in RETURNING"),
        ("nothing", "unknown-column", "item has no column nothing"),
        ("id, price AS id", "duplicate-output", "two columns of the result are called id"),
        ("other.*", "unknown-relation", "other"),
    ],
)
def test_what_returning_cannot_give_is_said(returning: str, code: str, message: str) -> None:
    text = f"CREATE QUERY q AS DELETE FROM item WHERE id = 1 RETURNING {returning};"
    (finding,) = piql.compile(TEXT + text).diagnostics
    assert finding.code == code
    assert message in finding.message
