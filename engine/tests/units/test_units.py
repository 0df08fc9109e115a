"""What a unit does: all of its statements or none, in one transaction, whoever executes it and whatever was before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import piql
import pytest
from piql.runtime.execution.observation import Observation

SOURCE = """
CREATE TABLE item (id INT PRIMARY KEY, stock INT NOT NULL);
CREATE TABLE orders (id UUID PRIMARY KEY DEFAULT UUID(), customer VARCHAR(8) NOT NULL, placed TIMESTAMP NOT NULL);
CREATE TABLE seen (id UUID PRIMARY KEY DEFAULT UUID(), customer VARCHAR(8) NOT NULL, at TIMESTAMP NOT NULL);
CREATE TABLE cart (customer VARCHAR(8), item INT REFERENCES item, n INT NOT NULL,
  PRIMARY KEY (customer, item), CARDINALITY LIMIT 3 (customer));
CREATE VIEW ofCustomer AS SELECT customer, COUNT(*) AS orders FROM orders GROUP BY customer;
CREATE UNIT buy AS BEGIN
  INSERT INTO orders (customer, placed) VALUES ([customer], CURRENT_TIMESTAMP);
  INSERT INTO seen (customer, at) VALUES ([customer], CURRENT_TIMESTAMP);
  UPDATE item SET stock = stock - [n] WHERE id = [item] AND stock >= [n] RETURNING stock;
  DELETE FROM cart WHERE customer = [customer];
END;
CREATE UNIT swap AS BEGIN
  DELETE FROM cart WHERE customer = [customer];
  INSERT INTO cart (customer, item, n) VALUES ([customer], 1, 1), ([customer], 2, 1), ([customer], 3, 1);
  UPDATE cart SET n = n + 1 WHERE customer = [customer];
  DELETE FROM cart WHERE customer = [customer] AND item = 3 AND n = 2;
END;
CREATE QUERY stockOf AS SELECT stock FROM item WHERE id = [item];
CREATE QUERY inCart AS SELECT item, n FROM cart WHERE customer = [customer];
CREATE QUERY ordersOf AS SELECT orders FROM ofCustomer WHERE customer = [customer];
"""
ADA = {"customer": "ada"}


@pytest.fixture
def observed() -> list[Observation]:
    return []


@pytest.fixture
def db(observed: list[Observation]) -> Iterator[piql.Database]:
    with piql.connect("embedded:", observer=observed.append) as db:
        db.deploy(piql.compile(SOURCE))
        db.load("item", [{"id": number, "stock": 5} for number in (1, 2, 3)])
        db.load("cart", [{"customer": "ada", "item": number, "n": 1} for number in (1, 2)])
        yield db


def state(db: piql.Database) -> tuple[Any, ...]:
    reads = [("stockOf", {"item": 1}), ("inCart", ADA), ("ordersOf", ADA)]
    return tuple(db.execute(name, parameters).rows for name, parameters in reads)


def test_all_statements_are_made_and_the_page_counts_them_together(db: piql.Database) -> None:
    page = db.execute("buy", {**ADA, "item": 1, "n": 2})
    assert page.rows == [{"stock": 3}]
    assert page.rows_affected == 5
    assert state(db) == ([{"stock": 3}], [], [{"orders": 1}])


def test_a_test_beside_the_key_refuses_the_unit_and_names_the_statement(db: piql.Database) -> None:
    before = state(db)
    with pytest.raises(piql.ConditionFailed, match=r"^statement 3 of 4: item: stock >= \[n\] does not hold$"):
        db.execute("buy", {**ADA, "item": 1, "n": 6})
    with pytest.raises(piql.ConditionFailed, match=r"^statement 3 of 4: item: there is no such row$"):
        db.execute("buy", {**ADA, "item": 9, "n": 1})
    assert state(db) == before


def test_a_value_that_no_row_can_hold_is_refused_before_the_first_statement(db: piql.Database) -> None:
    before = state(db)
    with pytest.raises(piql.ConstraintViolation, match=r"^statement 1 of 4: orders.customer: "):
        db.execute("buy", {"customer": "far too long", "item": 1, "n": 1})
    with pytest.raises(piql.InvalidParameter):
        db.execute("buy", {**ADA, "item": 1})
    assert state(db) == before


def test_each_statement_sees_what_those_before_it_have_written(db: piql.Database) -> None:
    for _ in range(2):  # three rows of one customer are the most: the old ones are gone when the new ones come
        assert db.execute("swap", ADA).rows_affected == 9
        assert db.execute("inCart", ADA).rows == [{"item": 1, "n": 2}, {"item": 2, "n": 2}]


def test_one_time_and_many_ids_are_given_to_a_unit(db: piql.Database) -> None:
    db.execute("buy", {**ADA, "item": 1, "n": 1})
    ((order, placed),) = db.some_rows("orders", ("id", "placed"), 2)
    ((seen, at),) = db.some_rows("seen", ("id", "at"), 2)
    assert placed == at
    assert order != seen


def test_an_observation_has_each_statement_with_no_more_requests_than_its_bound(
    db: piql.Database, observed: list[Observation]
) -> None:
    page = db.execute("buy", {**ADA, "item": 1, "n": 2})
    observation = observed[-1]
    query = db.deployment.compilation.queries["buy"]
    assert observation.operations == page.operations == sum(part.operations for part in observation.operators)
    assert query.bound is not None
    assert query.bound.operations == sum(part.bound.operations for part in query.statements if part.bound is not None)
    for number, statement in enumerate(query.statements):
        assert statement.bound is not None
        made = sum(part.operations for part in observation.operators if part.path[:1] == (number,))
        assert 0 < made <= statement.bound.operations
    assert {part.path for part in observation.operators} >= {(), (0,), (1,), (2,), (3,)}


def test_a_unit_is_a_write_of_a_session(db: piql.Database) -> None:
    session = db.session()
    assert session.execute("buy", {**ADA, "item": 1, "n": 1}).rows == [{"stock": 4}]
    assert session.execute("stockOf", {"item": 1}).rows == [{"stock": 4}]
    with pytest.raises(piql.InvalidCursor, match="no pages"):
        db.execute("buy", {**ADA, "item": 1, "n": 1}, cursor="x")


async def test_a_unit_is_awaited() -> None:
    async with await piql.aconnect("embedded:") as db:
        await db.deploy(piql.compile(SOURCE))
        await db.load("item", [{"id": 1, "stock": 5}])
        page = await db.execute("buy", {**ADA, "item": 1, "n": 1})
        assert page.rows == [{"stock": 4}]


def test_a_unit_is_replaced_by_name_kept_by_later_deployments_and_brought_back(db: piql.Database) -> None:
    db.deploy(piql.compile("CREATE TABLE other (id INT PRIMARY KEY);"))
    assert db.execute("buy", {**ADA, "item": 1, "n": 1}).rows == [{"stock": 4}]
    bare = SOURCE[: SOURCE.index("CREATE VIEW")]
    db.deploy(piql.compile(bare + "CREATE UNIT buy AS BEGIN DELETE FROM cart WHERE customer = [customer]; END;"))
    assert db.execute("buy", ADA).rows == []
    db.rollback()
    assert db.execute("buy", {**ADA, "item": 1, "n": 1}).rows == [{"stock": 3}]
    db.deploy(piql.compile("CREATE TABLE other (id INT PRIMARY KEY);"), forget=["buy"])
    with pytest.raises(piql.NotDeployed, match="no query 'buy'"):
        db.execute("buy", ADA)


def test_a_unit_is_that_of_the_version_that_the_caller_has_seen(db: piql.Database) -> None:
    version = db.deployment.version
    assert db.execute("buy", {**ADA, "item": 1, "n": 1}, version=version).rows == [{"stock": 4}]
    db.deploy(piql.compile("CREATE TABLE other (id INT PRIMARY KEY);"))
    with pytest.raises(piql.DeployedMeanwhile):
        db.execute("buy", {**ADA, "item": 1, "n": 1}, version=version)


def test_a_bare_unit_is_not_run(db: piql.Database) -> None:
    with pytest.raises(piql.CompilationRefused, match="one statement is expected here"):
        db.run("CREATE UNIT u AS BEGIN DELETE FROM cart WHERE customer = 'ada'; END;")


def test_the_rows_of_a_list_go_to_two_tables_of_the_same_columns() -> None:
    source = (
        "CREATE TABLE a (id INT PRIMARY KEY, n INT); CREATE TABLE b (id INT PRIMARY KEY, n INT);"
        "CREATE UNIT both AS BEGIN INSERT INTO a (id, n) VALUES [rows] MAX 5;"
        "INSERT INTO b (id, n) VALUES [rows] MAX {}; END;"
    )
    assert [finding.code for finding in piql.compile(source.format(6)).diagnostics] == ["parameter-conflict"]
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(source.format(5)))
        assert db.execute("both", {"rows": [{"id": 1, "n": 2}, [3, None]]}).rows_affected == 4
        assert db.some_rows("b", ("id", "n"), 9) == db.some_rows("a", ("id", "n"), 9) == [(1, 2), (3, None)]


def test_a_unit_takes_from_the_stock_of_every_item_of_a_list() -> None:
    source = """
    CREATE TABLE items (item INT PRIMARY KEY, stock INT NOT NULL, CHECK (stock >= 0));
    CREATE TABLE lines (id INT, item INT REFERENCES items, n INT NOT NULL, PRIMARY KEY (id, item));
    CREATE UNIT buy AS BEGIN
      INSERT INTO lines (id, item, n) VALUES [lines] MAX 20;
      INSERT INTO items (item, stock) VALUES [taken] MAX 20
      ON CONFLICT (item) DO UPDATE SET stock = stock - EXCLUDED.stock;
    END;
    """

    def buy(db: piql.Database, amounts: dict[int, int]) -> None:
        lines = [{"id": 1, "item": item, "n": amount} for item, amount in amounts.items()]
        db.execute("buy", {"lines": lines, "taken": [[item, amount] for item, amount in amounts.items()]})

    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(source))
        db.load("items", [{"item": 1, "stock": 5}, {"item": 2, "stock": 5}])
        buy(db, {1: 2, 2: 5})
        with pytest.raises(piql.ConstraintViolation, match=r"^statement 2 of 2: row 2 of 2: "):
            buy(db, {1: 1, 2: 1})
        with pytest.raises(piql.ForeignKeyViolation, match=r"^statement 1 of 2: row 2 of 2: "):
            buy(db, {1: 1, 9: 1})
        assert db.some_rows("items", ("item", "stock"), 9) == [(1, 3), (2, 0)]
