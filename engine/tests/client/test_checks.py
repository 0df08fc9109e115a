"""CHECK: what INSERT, UPDATE, upserts, loads and a further deployment make of a test of one row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import piql
import pytest
from piql.versions.change.build import BackfillRate
from piql.versions.deploy import begin_deploy

SLOW = BackfillRate(step_rows=1, first_rows=0, busy_share=1.0)
SOURCE = """
CREATE TABLE items (
  id       INT PRIMARY KEY,
  quantity INT DEFAULT 1 CHECK (quantity > 0),
  state    VARCHAR(8),
  low      INT,
  high     INT,
  price    DECIMAL(6, 2) CHECK (price * 2 <= 100),
  CONSTRAINT known CHECK (state IN ('new', 'paid')),
  CHECK (low <= high)
);
CREATE QUERY put AS
INSERT INTO items (id, quantity, state, low, high) VALUES ([id], [quantity], [state], [low], [high]);
CREATE QUERY putTwo AS INSERT INTO items (id, quantity) VALUES ([first], 1), ([second], [quantity]);
CREATE QUERY putOnce AS INSERT INTO items (id, quantity) VALUES ([id], [quantity]) ON CONFLICT DO NOTHING;
CREATE QUERY setQuantity AS UPDATE items SET quantity = [quantity] WHERE id = [id];
CREATE QUERY take AS UPDATE items SET quantity = quantity - [count] WHERE id = [id];
CREATE QUERY lower AS UPDATE items SET low = [low] WHERE id = [id];
CREATE QUERY giveOrTake AS INSERT INTO items (id, quantity) VALUES ([id], [count])
ON CONFLICT (id) DO UPDATE SET quantity = quantity - EXCLUDED.quantity;
CREATE QUERY item AS SELECT * FROM items WHERE id = [id];
"""


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(piql.compile(SOURCE))
        yield database


def row(**values: object) -> dict[str, object]:
    return {"id": 1, "quantity": 5, "state": "new", "low": None, "high": None} | values


def refusal(db: piql.Database, query: str, values: Mapping[str, object]) -> str:
    with pytest.raises(piql.ConstraintViolation) as caught:
        db.execute(query, values)
    return str(caught.value)


def test_a_new_row_keeps_each_check_and_the_error_names_the_value_and_the_constraint(db: piql.Database) -> None:
    assert refusal(db, "put", row(quantity=0)) == "items: quantity = 0 breaks CHECK (quantity > 0)"
    known = "items: state = 'old' breaks CHECK (state IN ('new', 'paid')) (known)"
    assert refusal(db, "put", row(state="old")) == known
    assert refusal(db, "put", row(low=3, high=2)) == "items: low = 3, high = 2 breaks CHECK (low <= high)"
    assert db.execute("item", {"id": 1}).rows == []


def test_a_test_that_is_neither_true_nor_false_lets_the_row_pass(db: piql.Database) -> None:
    db.execute("put", row(quantity=None, state=None, low=3))
    assert db.execute("item", {"id": 1}).rows[0]["low"] == 3


def test_an_update_keeps_the_checks_of_the_whole_row(db: piql.Database) -> None:
    db.execute("put", row(low=1, high=2))
    assert refusal(db, "lower", {"id": 1, "low": 3}) == "items: low = 3, high = 2 breaks CHECK (low <= high)"
    assert refusal(db, "take", {"id": 1, "count": 5}) == "items: quantity = 0 breaks CHECK (quantity > 0)"
    db.execute("take", {"id": 1, "count": 4})
    assert db.execute("item", {"id": 1}).rows[0]["quantity"] == 1


def test_values_that_are_given_are_tested_before_any_request(db: piql.Database) -> None:
    """As NOT NULL is: also where there is no such row."""
    assert refusal(db, "setQuantity", {"id": 9, "quantity": -1}) == "items: quantity = -1 breaks CHECK (quantity > 0)"
    assert db.execute("take", {"id": 9, "count": 5}).rows_affected == 0


def test_an_upsert_keeps_the_checks_in_the_new_row_and_in_the_one_that_it_changes(db: piql.Database) -> None:
    assert "quantity = 0 breaks" in refusal(db, "giveOrTake", {"id": 1, "count": 0})
    db.execute("giveOrTake", {"id": 1, "count": 3})
    assert "quantity = -2 breaks" in refusal(db, "giveOrTake", {"id": 1, "count": 5})
    assert "quantity = 0 breaks" in refusal(db, "putOnce", {"id": 1, "quantity": 0})
    assert db.execute("item", {"id": 1}).rows[0]["quantity"] == 3


def test_of_several_rows_none_is_written_if_one_breaks_a_check(db: piql.Database) -> None:
    message = refusal(db, "putTwo", {"first": 1, "second": 2, "quantity": 0})
    assert message == "row 2 of 2: items: quantity = 0 breaks CHECK (quantity > 0)"
    assert db.execute("item", {"id": 1}).rows == []


def test_a_load_keeps_the_checks(db: piql.Database) -> None:
    with pytest.raises(piql.ConstraintViolation) as caught:
        db.load("items", [{"id": 1}, {"id": 2, "price": "50.01"}])
    assert str(caught.value) == "items: price = 50.01 breaks CHECK (price * 2 <= 100)"
    assert db.load("items", [{"id": 1, "price": "50.00"}]) == 1


def test_a_test_that_cannot_be_computed_refuses_the_row(db: piql.Database) -> None:
    db.deploy(piql.compile(SOURCE.replace("low <= high)", "low * low * low <= high)")))
    message = refusal(db, "put", row(low=2_000_000_000, high=1))
    assert message.startswith("items: low = 2000000000, high = 1 is out of what CHECK (low * low * low <= high) can ")


def test_a_deployment_tests_the_rows_that_are_there(db: piql.Database) -> None:
    db.execute("put", row(id=1, quantity=1))
    db.execute("put", row(id=2, quantity=4))
    stricter = piql.compile(SOURCE.replace("(quantity > 0)", "(quantity > 1)"))
    with pytest.raises(piql.CompilationRefused) as refused:
        db.deploy(stricter)
    assert str(refused.value) == (
        "not deployed: items: every row must keep CHECK (quantity > 1), but 1 row breaks this: id = 1 (quantity = 1)"
    )
    assert refusal(db, "put", row(quantity=0)) == "items: quantity = 0 breaks CHECK (quantity > 0)"
    db.execute("setQuantity", {"id": 1, "quantity": 2})
    db.deploy(stricter)
    assert "breaks CHECK (quantity > 1)" in refusal(db, "setQuantity", {"id": 1, "quantity": 1})
    db.deploy(piql.compile(SOURCE.replace(" CHECK (quantity > 0)", "")))
    db.execute("setQuantity", {"id": 1, "quantity": -1})


def test_writers_keep_a_check_that_is_on_its_way_but_for_what_a_row_had_before() -> None:
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(SOURCE))
        for at in range(3):
            db.execute("put", row(id=at, quantity=1))
        build = begin_deploy(db.store, piql.compile(SOURCE.replace("(quantity > 0)", "(quantity > 1)")), pace=SLOW)
        while build.progress.phase == "filling":
            build.step()
        assert "breaks CHECK (quantity > 1)" in refusal(db, "put", row(id=200, quantity=1))
        with pytest.raises(piql.ConstraintViolation, match="breaks CHECK"):
            db.load("items", [{"id": 201, "quantity": 1}])
        db.execute("lower", {"id": 1, "low": -7})
        with pytest.raises(piql.CompilationRefused, match="but 3 rows break this"):
            build.run()
        db.execute("put", row(id=200, quantity=1))


@pytest.mark.parametrize(
    ("test", "message"),
    [
        ("quantity < [most]", "[most] is given by an execution, and a CHECK has none"),
        ("quantity < (SELECT 1)", "a CHECK tests one row alone, without a query inside"),
        ("born < CURRENT_DATE", "CURRENT_DATE is another value each time, so a row would be right only for now"),
        ("COUNT(*) < 3", "COUNT cannot be used in CHECK"),
        ("quantity", "a condition must be true or false, but this is an INT"),
        ("other > 0", "other"),
        ("name LIKE '%@%'", "a CHECK tests no patterns, as name LIKE '%@%' does"),
        ("quantity > 0 AND name LIKE '%' || name", "a CHECK tests no patterns, as name LIKE '%' || name does"),
    ],
)
def test_a_check_of_more_than_one_row_is_refused(test: str, message: str) -> None:
    table = f"CREATE TABLE t (id INT PRIMARY KEY, quantity INT, born DATE, name VARCHAR(9), CHECK ({test}));"
    errors = [finding.message for finding in piql.compile(table).diagnostics]
    assert len(errors) == 1
    assert message in errors[0]


@pytest.mark.parametrize("element", ["n INT CHECK n > 0", "n INT, CONSTRAINT some CHECK n > 0"])
def test_a_check_without_parentheses_is_told_so(element: str) -> None:
    first, *_ = piql.compile(f"CREATE TABLE t (id INT PRIMARY KEY, {element});").diagnostics
    assert first.message == "expected `(` after CHECK, but found `n`"


def test_an_entity_has_checks_too() -> None:
    entity = "ENTITY t { int id, int n, CHECK (n > 0), CONSTRAINT few CHECK (n < 9), PRIMARY(id) }"
    checks = piql.compile(entity).tables["t"].checks
    assert [(check.declaration, check.name) for check in checks] == [("CHECK (n > 0)", None), ("CHECK (n < 9)", "few")]
