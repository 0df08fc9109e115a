"""Units of one version beside another one, on a store without transactions: whatever rules that has, rows keep them."""

from __future__ import annotations

from collections.abc import Iterator

import piql
import pytest
from piql.client.database import Database
from piql.versions.change import build as building
from piql.versions.change import steps
from promises import broken_promises

TABLES = """
CREATE TABLE a (id INT PRIMARY KEY, k INT NOT NULL, v INT NULL, w INT NULL{more});
CREATE TABLE p (id INT PRIMARY KEY, m INT NULL UNIQUE);
CREATE TABLE q (id INT PRIMARY KEY);
CREATE TABLE r (id INT PRIMARY KEY);
CREATE QUERY of_id AS SELECT k FROM a WHERE id = [id];
"""
FIRST = TABLES.format(more="")
CHANGE = """
CREATE UNIT u AS BEGIN
  UPDATE a SET k = [k], v = [k], w = [k] WHERE id = 1;
  INSERT INTO p (id) VALUES ([new]) IF NOT EXISTS;
END;
"""
LEAVE = """
CREATE UNIT u AS BEGIN
  DELETE FROM a WHERE id = [k];
  INSERT INTO p (id) VALUES ([new]) IF NOT EXISTS;
END;
"""
VIEW = """
CREATE VIEW of_k AS SELECT k, COUNT(*) AS n FROM a GROUP BY k;
CREATE QUERY n AS SELECT n FROM of_k WHERE k = [k];
"""
CHILD = "CREATE TABLE child (id INT PRIMARY KEY, a INT NULL REFERENCES a);"
STANDS_AGAINST = {
    "a view": (CHANGE, FIRST + VIEW, "writes a, which feeds the view of_k"),
    "rows that name it": (LEAVE, FIRST + CHILD, "may take a row of a away that other rows name"),
    "a key to a UNIQUE key": (
        CHANGE,
        TABLES.format(more=", FOREIGN KEY (v) REFERENCES p (m)"),
        "has a foreign key to a UNIQUE key",
    ),
}
COSTS = {
    "a limit": ", CARDINALITY LIMIT 2 (k)",
    "a UNIQUE key": ", UNIQUE (k)",
    "foreign keys": ", FOREIGN KEY (k) REFERENCES p, FOREIGN KEY (v) REFERENCES q, FOREIGN KEY (w) REFERENCES r",
}


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """One process looks at once after what it changes itself, so nothing here has to wait for others."""
    monkeypatch.setattr(steps, "GRACE_SECONDS", 0.02)
    monkeypatch.setattr(building, "GRACE_SECONDS", 0.02)


@pytest.fixture
def db() -> Iterator[Database]:
    with piql.connect("stepwise:") as db:
        yield db


def filled(db: Database, text: str) -> None:
    db.deploy(piql.compile(text))
    for parent in ("p", "q", "r"):
        db.load(parent, [{"id": 1}, {"id": 7}])
    db.load("a", [{"id": 1, "k": 1}])


@pytest.mark.parametrize("what", STANDS_AGAINST)
def test_an_earlier_version_makes_no_unit_that_the_one_in_force_would_not_have(db: Database, what: str) -> None:
    unit, text, reason = STANDS_AGAINST[what]
    filled(db, FIRST + unit)
    db.deploy(piql.compile(text), ["u"])
    if "child" in db.deployment.tables:
        db.load("child", [{"id": 1, "a": 1}])
    refused = rf"^u of version 1 has a statement \(1 of 2\) that {reason} in version 2, "
    with pytest.raises(piql.NotDeployed, match=refused):
        Database(db.store, version=1).execute("u", {"k": 1, "new": 5})
    assert db.execute("of_id", {"id": 1}).rows == [{"k": 1}]
    assert broken_promises(db) == []


@pytest.mark.parametrize("what", COSTS)
def test_a_unit_of_an_earlier_version_keeps_what_was_added_within_its_bound(db: Database, what: str) -> None:
    filled(db, FIRST + CHANGE)
    db.deploy(piql.compile(TABLES.format(more=COSTS[what])), ["u"])
    old = Database(db.store, version=1)
    if what == "foreign keys":
        with pytest.raises(piql.ForeignKeyViolation, match=r"^statement 1 of 2: "):
            old.execute("u", {"k": 5, "new": 5})
        assert db.execute("of_id", {"id": 1}).rows == [{"k": 1}]
    for k in (7, 1, 7):
        assert old.execute("u", {"k": k, "new": 100 + k}).rows_affected == 2
        db.run("DELETE FROM p WHERE id = [id]", {"id": 100 + k})
    assert db.execute("of_id", {"id": 1}).rows == [{"k": 7}]
    assert broken_promises(db) == []


def test_a_unit_waits_for_a_deployment_after_the_one_that_takes_a_view_of_its_table_away(db: Database) -> None:
    filled(db, FIRST + VIEW)
    with pytest.raises(piql.CompilationRefused, match=r"feeds the view of_k, .*: deploy without the view first"):
        db.deploy(piql.compile(FIRST + CHANGE), ["of_k", "n"])
    db.deploy(piql.compile(FIRST), ["of_k", "n"])
    db.deploy(piql.compile(FIRST + CHANGE))
    assert db.execute("u", {"k": 5, "new": 5}).rows_affected == 2


def test_a_unit_that_a_rollback_brings_back_says_which_view_is_in_its_way(db: Database) -> None:
    filled(db, FIRST + CHANGE)
    db.deploy(piql.compile(FIRST + VIEW), ["u"])
    db.rollback()
    with pytest.raises(piql.StoreUnavailable, match=r"^a feeds of_k of the version before, "):
        db.execute("u", {"k": 5, "new": 5})
    db.rollback()
    assert db.execute("n", {"k": 1}).rows == [{"n": 1}]
    db.rollback()
    db.deploy(piql.compile(FIRST + CHANGE + "CREATE QUERY more AS SELECT v FROM a WHERE id = [id];"))
    assert db.execute("u", {"k": 5, "new": 5}).rows_affected == 2


@pytest.mark.parametrize("what", ["a view", "rows that name it"])
def test_no_version_is_tried_beside_units_that_its_rules_stand_against(db: Database, what: str) -> None:
    unit, text, reason = STANDS_AGAINST[what]
    filled(db, FIRST + unit)
    with pytest.raises(piql.CompilationRefused, match=rf"^not tried beside version 1: its unit u .*{reason}"):
        db.try_out(piql.compile(text), 0.5, ["u"])
    assert db.execute("u", {"k": 5, "new": 5}).rows_affected == (2 if what == "a view" else 1)
