"""UPDATE and DELETE of the rows of a section: all or nothing with transactions, one after another without."""

from collections.abc import Iterator
from typing import Any

import piql
import pytest
from piql.runtime.writing.section import PreparedSection

TEXT = """
CREATE TABLE line (
  cart INT, item INT, amount INT NOT NULL, note VARCHAR(9) NULL,
  PRIMARY KEY (cart, item), CARDINALITY LIMIT 4 (cart), CARDINALITY LIMIT 2 (note));
CREATE QUERY clear AS DELETE FROM line WHERE cart = [1: cart];
CREATE QUERY some AS DELETE FROM line AS l WHERE l.cart = [1: cart] AND l.item IN [2: items] MAX 3 RETURNING item;
CREATE QUERY mark AS UPDATE line SET note = [1: note], amount = amount + 1 WHERE cart = [2: cart] AND amount > 1;
CREATE QUERY least AS DELETE FROM line WHERE amount < 9 ORDER BY amount, cart DESC LIMIT [1: n] MAX 3 RETURNING cart;
CREATE QUERY one AS UPDATE line SET amount = 0 WHERE cart = [1: cart] AND item = 2 AND amount = 2;
CREATE QUERY marked AS DELETE FROM line WHERE note = [1: note];
CREATE QUERY everything AS SELECT cart, item, amount, note FROM line WHERE cart IN (1, 2, 3) ORDER BY cart, item;
"""
COMPILATION = piql.compile(TEXT)


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(COMPILATION)
        rows = [{"cart": cart, "item": item, "amount": item} for cart in (1, 2) for item in (1, 2, 3, 4)]
        database.load("line", rows)
        yield database


def run(db: piql.Database, name: str, **parameters: object) -> piql.Page:
    page = db.execute(name, parameters)
    bound = COMPILATION.queries[name].bound
    assert bound is not None
    assert page.operations <= bound.operations
    assert page.round_trips <= bound.round_trips
    return page


def kept(db: piql.Database, cart: int) -> list[int]:
    return [row["item"] for row in db.execute("everything").rows if row["cart"] == cart]


def test_a_full_group_is_deleted_and_no_other(db: piql.Database) -> None:
    assert [run(db, "clear", cart=cart).rows_affected for cart in (1, 1, 3)] == [4, 0, 0]
    assert (kept(db, 1), kept(db, 2)) == ([], [1, 2, 3, 4])


def test_a_list_names_rows_each_once(db: piql.Database) -> None:
    assert run(db, "some", cart=1, items=[3, 1, 3]).rows == [{"item": 1}, {"item": 3}]
    assert kept(db, 1) == [2, 4]


def test_limit_takes_the_first_rows_in_their_order(db: piql.Database) -> None:
    assert run(db, "least", n=0).rows_affected == 0
    assert [row["cart"] for row in run(db, "least", n=3).rows] == [2, 1, 2]


def test_a_test_beside_the_key_says_whether_the_row_is_affected(db: piql.Database) -> None:
    assert [run(db, "one", cart=cart).rows_affected for cart in (1, 1, 3)] == [1, 0, 0]


def test_a_row_that_a_limit_refuses_is_named_and_nothing_or_what_is_before_it_stays(db: piql.Database) -> None:
    with pytest.raises(piql.CardinalityViolation, match="row 3 of 3: "):
        run(db, "mark", note="full", cart=1)
    marked = [row["item"] for row in db.execute("everything").rows if row["note"] == "full"]
    assert marked == ([] if db.store.row_writes is None else [2, 3])
    assert run(db, "marked", note="full").rows_affected == len(marked)


def test_a_row_that_another_writer_takes_out_of_the_section_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    read = PreparedSection.read
    with piql.connect("stepwise:") as db:
        db.deploy(COMPILATION)
        db.load("line", [{"cart": 1, "item": item, "amount": 2} for item in (1, 2, 3, 4)])

        def overtaken(self: PreparedSection, parameters: Any, meter: Any) -> Any:
            rows_read = read(self, parameters, meter)
            db.run("UPDATE line SET amount = 1 WHERE cart = 1 AND item = 2")
            db.run("DELETE FROM line WHERE cart = 1 AND item = 3")
            db.run("INSERT INTO line (cart, item, amount) VALUES (1, 5, 2)")
            return rows_read

        monkeypatch.setattr(PreparedSection, "read", overtaken)
        assert run(db, "mark", note=None, cart=1).rows_affected == 2
        monkeypatch.undo()
        amounts = {row["item"]: row["amount"] for row in db.execute("everything").rows}
        assert amounts == {1: 3, 2: 1, 4: 3, 5: 2}


def test_bounds_name_the_limit_and_if_is_for_one_row() -> None:
    bound = COMPILATION.queries["clear"].bound
    assert bound is not None
    assert "line.cart" in bound.formula
    assert any(term.symbol == "line.cart" and term.value == 4 for term in bound.terms)
    refused = piql.compile(TEXT + "CREATE QUERY q AS DELETE FROM line WHERE cart = 1 IF amount > 2;")
    (error,) = [finding for finding in refused.diagnostics if finding.severity == "error"]
    assert error.code == "bulk-write"
    assert error.fixes
