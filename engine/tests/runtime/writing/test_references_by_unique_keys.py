"""Foreign keys may name a UNIQUE key; one that begins the primary key needs no index of its own, but a slot."""

from __future__ import annotations

import piql
import pytest

SOURCE = """
CREATE TABLE rooms (house INT, floor INT, UNIQUE (house), PRIMARY KEY (house, floor));
CREATE TABLE guests (id INT PRIMARY KEY, house INT REFERENCES rooms (house));
"""


@pytest.mark.parametrize("scheme", ["embedded", "stepwise"])
def test_a_unique_key_that_begins_the_primary_key_is_referred_to(scheme: str) -> None:
    with piql.connect(f"{scheme}:?synchronous=NORMAL") as db:
        db.deploy(piql.compile(SOURCE))
        db.run("INSERT INTO rooms (house, floor) VALUES (1, 4)")
        db.run("INSERT INTO guests (id, house) VALUES (7, 1)")
        with pytest.raises(piql.ForeignKeyViolation, match="house = 2 names no row"):
            db.run("INSERT INTO guests (id, house) VALUES (8, 2)")
        with pytest.raises(piql.ForeignKeyViolation, match="still referenced"):
            db.run("DELETE FROM rooms WHERE house = 1 AND floor = 4")
        with pytest.raises(piql.DuplicateKey):
            db.run("INSERT INTO rooms (house, floor) VALUES (1, 5)")
        db.run("DELETE FROM guests WHERE id = 7")
        db.run("DELETE FROM rooms WHERE house = 1 AND floor = 4")
        db.run("INSERT INTO rooms (house, floor) VALUES (1, 5)")
