"""A subquery in VALUES of an INSERT is read first: by its key, in the same transaction where there is one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import piql
import pytest

APP = """
CREATE TABLE item (id INT PRIMARY KEY, price INT, title VARCHAR(20) NOT NULL);
CREATE TABLE line (
  cart INT, item INT, price INT NOT NULL, position INT, title VARCHAR(5), PRIMARY KEY (cart, item),
  CARDINALITY LIMIT 10 (cart)
);
CREATE QUERY newItem AS INSERT INTO item (id, price, title) VALUES ([id], [price], [title]);
CREATE QUERY add AS
INSERT INTO line (cart, item, price, position, title)
VALUES (
  [cart], [item], 2 * (SELECT price FROM item WHERE id = [item]), (SELECT COUNT(*) FROM line WHERE cart = [cart]),
  (SELECT title FROM item WHERE id = [item])
);
CREATE QUERY addTwo AS
INSERT INTO line (cart, item, price) VALUES ([cart], 1, 5), ([cart], 2, (SELECT price FROM item WHERE id = 2));
CREATE QUERY lines AS SELECT item, price, position, title FROM line WHERE cart = [cart];
"""
UNIT = """
CREATE UNIT sell AS BEGIN
  INSERT INTO item (id, price, title) VALUES ([id], [price], 'new');
  INSERT INTO line (cart, item, price) VALUES ([cart], [id], (SELECT price FROM item WHERE id = [id]));
END;
"""


@pytest.fixture(params=["embedded", "stepwise"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[piql.Database]:
    with piql.connect(f"{request.param}:{tmp_path / 'items.db'}") as db:
        db.deploy(piql.compile(APP))
        db.execute("newItem", {"id": 1, "price": 7, "title": "pen"})
        db.execute("newItem", {"id": 2, "price": 9, "title": "a long title"})
        yield db


def lines(db: piql.Database, cart: int) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in db.execute("lines", {"cart": cart}).rows]


def test_values_are_read_by_their_keys_and_computed_with(db: piql.Database) -> None:
    assert db.execute("add", {"cart": 1, "item": 1}).rows_affected == 1
    assert lines(db, 1) == [(1, 14, 0, "pen")]


def test_what_is_read_counts_in_the_bound(db: piql.Database) -> None:
    bound = piql.compile(APP).queries["add"].bound
    without = piql.compile(APP.replace("(SELECT COUNT(*) FROM line WHERE cart = [cart])", "0")).queries["add"].bound
    assert bound is not None
    assert without is not None
    assert bound.operations == without.operations + 1
    assert bound.formula == "3 + 1 + 1 + 3 + 1"
    page = db.execute("add", {"cart": 1, "item": 1})
    assert page.operations <= bound.operations
    assert page.round_trips <= bound.round_trips


def test_a_row_that_is_not_there_gives_null_which_the_column_may_refuse(db: piql.Database) -> None:
    with pytest.raises(piql.ConstraintViolation, match=r"line\.price is NOT NULL"):
        db.execute("add", {"cart": 1, "item": 3})
    assert lines(db, 1) == []


def test_a_value_that_does_not_fit_its_column_is_refused(db: piql.Database) -> None:
    with pytest.raises(piql.ConstraintViolation, match=r"line\.title: 'a long title' has 12 characters"):
        db.execute("add", {"cart": 1, "item": 2})


def test_one_of_several_rows_may_read_a_value(db: piql.Database) -> None:
    assert db.execute("addTwo", {"cart": 1}).rows_affected == 2
    assert lines(db, 1) == [(1, 5, None, None), (2, 9, None, None)]


def test_a_bare_statement_reads_values_as_well(db: piql.Database) -> None:
    db.run("INSERT INTO line (cart, item, price) VALUES (4, 1, (SELECT price FROM item WHERE id = 1))")
    assert lines(db, 4) == [(1, 7, None, None)]


def test_a_statement_of_a_unit_reads_what_those_before_it_wrote(tmp_path: Path) -> None:
    with piql.connect(f"embedded:{tmp_path / 'items.db'}") as db:
        db.deploy(piql.compile(APP + UNIT))
        db.execute("sell", {"id": 5, "price": 3, "cart": 1})
        assert lines(db, 1) == [(5, 3, None, None)]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("(SELECT price FROM item)", "scalar-subquery"),
        ("(SELECT COUNT(*) FROM item)", "unbounded-aggregate"),
        ("(SELECT price FROM item WHERE id = line.item)", "subquery-place"),
        ("CASE WHEN EXISTS (SELECT price FROM item WHERE id = 1) THEN 1 ELSE 0 END", "subquery-place"),
        ("price + (SELECT price FROM item WHERE id = 1)", "column-as-value"),
        ("(SELECT title FROM item WHERE id = 1)", "type-mismatch"),
    ],
)
def test_what_is_no_bounded_value_is_refused(value: str, code: str) -> None:
    text = f"CREATE QUERY bad AS INSERT INTO line (cart, item, price) VALUES ([cart], [item], {value});"
    errors = [finding for finding in piql.compile(APP + text).diagnostics if finding.severity == "error"]
    assert [(finding.code, finding.query) for finding in errors] == [(code, "bad")]
