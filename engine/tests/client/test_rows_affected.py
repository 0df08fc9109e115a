"""A write says how many rows it inserted, changed or deleted, on a store with transactions and on one without."""

from collections.abc import Iterator

import piql
import pytest

TEXT = """
CREATE TABLE item (id INT PRIMARY KEY, town VARCHAR(9), stock INT NOT NULL);
CREATE INDEX item_by_town ON item (town);
CREATE QUERY put AS INSERT INTO item (id, town, stock) VALUES ([1: id], 'Oslo', 5);
CREATE QUERY take AS UPDATE item SET stock = stock - 1 WHERE id = [1: id];
CREATE QUERY drop AS DELETE FROM item WHERE id = [1: id];
CREATE QUERY one AS SELECT stock FROM item WHERE id = [1: id];
CREATE QUERY oslo AS SELECT id, stock FROM item WHERE town = 'Oslo' LIMIT 9;
"""


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(piql.compile(TEXT))
        database.execute("put", {"id": 1})
        yield database


def test_an_update_or_delete_of_no_row_does_not_look_like_one_that_did(db: piql.Database) -> None:
    affected = [
        db.execute(name, {"id": number}).rows_affected
        for name, number in (("take", 1), ("take", 2), ("drop", 2), ("drop", 1), ("drop", 1), ("take", 1))
    ]
    assert affected == [1, 0, 0, 1, 0, 0]


def test_an_insert_affects_its_row_also_when_it_replaces_one_or_changes_nothing(db: piql.Database) -> None:
    assert [db.execute("put", {"id": 1}).rows_affected, db.execute("put", {"id": 3}).rows_affected] == [1, 1]


def test_an_update_to_the_same_values_affects_its_row(db: piql.Database) -> None:
    assert db.run("UPDATE item SET stock = 5 WHERE id = 1").rows_affected == 1


def test_a_key_that_no_row_can_have_affects_none(db: piql.Database) -> None:
    assert db.run("DELETE FROM item WHERE id = [id]", {"id": None}).rows_affected == 0


def test_a_query_affects_no_rows_and_says_none(db: piql.Database) -> None:
    assert db.execute("oslo").rows_affected is None
    assert db.execute("one", {"id": 1}).rows_affected is None


def test_a_session_says_the_same(db: piql.Database) -> None:
    assert db.session().execute("take", {"id": 2}).rows_affected == 0
    assert db.session().run("UPDATE item SET stock = 1 WHERE id = 1").rows_affected == 1
