"""Of several limits on the same columns the lowest holds, in whatever way and order they are declared."""

from __future__ import annotations

import piql
import pytest

KEYS = "id INT PRIMARY KEY, house INT NOT NULL, floor INT NOT NULL, note VARCHAR(9)"
HOUSES = "CREATE TABLE houses (house INT PRIMARY KEY);"
SCHEMAS = {
    "a limit and a reference": f"{HOUSES} CREATE TABLE guests ({KEYS}, CARDINALITY LIMIT 5 (house),"
    " FOREIGN KEY (house) REFERENCES houses MAX 2);",
    "a reference and a limit": f"{HOUSES} CREATE TABLE guests ({KEYS}, FOREIGN KEY (house) REFERENCES houses MAX 5,"
    " CARDINALITY LIMIT 2 (house));",
}


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
@pytest.mark.parametrize("is_loaded", [True, False], ids=["loaded", "written"])
@pytest.mark.parametrize("scheme", ["embedded", "stepwise"])
def test_of_two_limits_on_the_same_columns_the_lower_one_holds(scheme: str, is_loaded: bool, schema: str) -> None:
    with piql.connect(f"{scheme}:?synchronous=NORMAL") as db:
        db.deploy(piql.compile(schema))
        db.run("INSERT INTO houses (house) VALUES (1)")
        rows = [{"id": number, "house": 1, "floor": 0} for number in (1, 2)]
        if is_loaded:
            db.load("guests", rows)
        else:
            for row in rows:
                db.run("INSERT INTO guests (id, house, floor) VALUES ([id], [house], [floor])", row)
        with pytest.raises(piql.CardinalityViolation, match="at most 2"):
            db.run("INSERT INTO guests (id, house, floor) VALUES (3, 1, 0)")
        with pytest.raises(piql.CardinalityViolation, match="at most 2"):
            db.load("guests", [{"id": 3, "house": 1, "floor": 0}])
        db.run("DELETE FROM guests WHERE id = 1")
        db.run("INSERT INTO guests (id, house, floor) VALUES (3, 1, 0)")
        assert db.headroom("guests", {"house": 1}) == 0


@pytest.mark.parametrize("scheme", ["embedded", "stepwise"])
def test_a_looser_limit_that_is_added_loosens_none(scheme: str) -> None:
    tables = f"{HOUSES} CREATE TABLE guests ({KEYS}, FOREIGN KEY (house) REFERENCES houses MAX 2"
    with piql.connect(f"{scheme}:?synchronous=NORMAL") as db:
        db.deploy(piql.compile(f"{tables});"))
        db.run("INSERT INTO houses (house) VALUES (1)")
        db.load("guests", [{"id": number, "house": 1, "floor": 0} for number in (1, 2)])
        db.deploy(piql.compile(f"{tables}, CARDINALITY LIMIT 5 (house));"))
        with pytest.raises(piql.CardinalityViolation, match="at most 2"):
            db.run("INSERT INTO guests (id, house, floor) VALUES (3, 1, 0)")
