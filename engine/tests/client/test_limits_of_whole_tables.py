"""CARDINALITY LIMIT n without columns: at most n rows are in the table, whoever writes them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import piql
import pytest

TEXT = """
CREATE TABLE kind (id INT PRIMARY KEY, name VARCHAR(9), CARDINALITY LIMIT 4);
CREATE QUERY add AS INSERT INTO kind (id, name) VALUES ([1: id], 'new');
CREATE QUERY drop AS DELETE FROM kind WHERE id = [1: id];
CREATE QUERY kinds AS SELECT id, name FROM kind ORDER BY id;
CREATE QUERY rename AS UPDATE kind SET name = 'old';
"""
LIMIT = "CARDINALITY LIMIT 4"


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(piql.compile(TEXT))
        yield database


def ids(db: piql.Database) -> list[int]:
    return [row["id"] for row in db.execute("kinds").rows]


def test_a_row_too_many_is_refused_until_another_one_is_deleted(db: piql.Database) -> None:
    for number in range(4):
        db.execute("add", {"id": number})
    with pytest.raises(piql.CardinalityViolation, match="at most 4 rows may be in the table"):
        db.execute("add", {"id": 4})
    db.execute("add", {"id": 3})  # replaces the row, and takes no further place
    db.execute("drop", {"id": 0})
    db.execute("add", {"id": 4})
    assert ids(db) == [1, 2, 3, 4]
    assert db.headroom("kind", {}) == 0
    assert db.execute("rename").rows_affected == 4


def test_of_writers_at_once_as_many_succeed_as_the_table_has_room_for(db: piql.Database) -> None:
    def add(number: int) -> bool:
        try:
            db.execute("add", {"id": number})
        except piql.CardinalityViolation:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        added = [number for number, is_added in enumerate(pool.map(add, range(12))) if is_added]
    assert len(added) == 4
    assert ids(db) == added


def test_a_load_and_a_deployment_keep_the_limit(db: piql.Database) -> None:
    with pytest.raises(piql.CardinalityViolation, match="at most 4 rows"):
        db.load("kind", [{"id": number} for number in range(5)])
    db.deploy(piql.compile(TEXT.replace(LIMIT, "CARDINALITY LIMIT 9")))
    for number in range(6):
        db.execute("add", {"id": number})
    with pytest.raises(piql.PiqlError, match=r"at most 4 rows may be in the table.* it has 6 rows"):
        db.deploy(piql.compile(TEXT))
    assert len(ids(db)) == 6
