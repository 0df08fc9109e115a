"""Which units a store without transactions makes, with which reasons it refuses others, and what readers of it do."""

from __future__ import annotations

import json
from collections.abc import Iterator

import piql
import pytest
from piql.client.database import Database
from piql.runtime.writing.stepped.backoff import WaitPolicy
from piql.runtime.writing.stepped.unit_record import UnitRecord, unit_of, units_under_way
from piql.store.row_writes import SingleRowWrites
from piql.versions.change import steps

TABLES = """
CREATE TABLE t (id INT PRIMARY KEY, g INT NULL, u INT NULL, v INT NULL, CARDINALITY LIMIT 3 (g), UNIQUE (u));
CREATE TABLE named (id INT PRIMARY KEY, m INT NULL, UNIQUE (m));
CREATE TABLE child (id INT PRIMARY KEY, n INT NULL REFERENCES named);
CREATE TABLE line (n INT REFERENCES named, k INT, v INT NULL, PRIMARY KEY (n, k), CARDINALITY LIMIT 5 (n));
CREATE TABLE free (id INT PRIMARY KEY, n INT NULL REFERENCES named, v INT NULL);
CREATE TABLE by_mark (id INT PRIMARY KEY, m INT NULL, FOREIGN KEY (m) REFERENCES named (m));
CREATE TABLE of_group (g INT, id INT, PRIMARY KEY (g, id), CARDINALITY LIMIT 2 (g));
CREATE TABLE seen (id INT PRIMARY KEY, k INT NULL);
CREATE VIEW of_kind AS SELECT k, COUNT(*) AS n FROM seen WHERE k IS NOT NULL GROUP BY k;
"""
REFUSED = {
    "UPDATE t SET v = 1 WHERE g = [g]": "looks for rows of t that do not all name one row by a foreign key",
    "UPDATE free SET v = 1 WHERE n = [n] ORDER BY id LIMIT 5": "looks for rows of free that do not all name one row",
    "DELETE FROM t WHERE u = [u]": "finds its row by a UNIQUE key",
    "INSERT INTO t (id, v) VALUES ([a], (SELECT m FROM named WHERE id = [b]))": "reads values in VALUES",
    "INSERT INTO t (id, u) VALUES ([a], [b]) ON CONFLICT DO NOTHING": "finds its row by a UNIQUE key",
    "DELETE FROM named WHERE id = [id]": "may take a row of named away that other rows name",
    "INSERT INTO by_mark (id, m) VALUES ([a], [b])": "has a foreign key to a UNIQUE key",
    "INSERT INTO seen (id, k) VALUES ([a], [b])": "writes seen, which feeds the view of_kind",
    "LET n = (SELECT COUNT(*) FROM t WHERE g = [g]); DELETE FROM child WHERE id = [n]": "looks for rows of t",
    "UPDATE t SET g = 1 WHERE id = [a]; UPDATE t SET g = 2 WHERE id = [b]": "may take rows of t out of groups",
    "INSERT INTO t (id, g) VALUES ([a], 1), ([b], 1)": "may take rows of t out of groups under a limit",
    "DELETE FROM of_group WHERE g = 1 AND id = 1; INSERT INTO of_group (g, id) VALUES (1, [b])": "out of groups under",
}
TAKEN = {
    "one row that moves": "UPDATE t SET g = 1, u = 2 WHERE id = [a]",
    "several rows that stay in their groups": "UPDATE t SET v = 1 WHERE id = [a]; UPDATE t SET v = 2 WHERE id = [b]",
    "rows that go": "DELETE FROM t WHERE id = [a]; DELETE FROM t WHERE id = [b]",
    "rows that come": "INSERT INTO child (id, n) VALUES ([a], [b]), ([b], [b])",
    "rows that come where there are none": "INSERT INTO t (id, g) VALUES ([a], 1), ([b], 1) IF NOT EXISTS",
    "a group that goes": "DELETE FROM line WHERE n = [n]",
    "part of a group": "UPDATE line SET v = 1 WHERE n = [n] AND k > [k]",
    "two groups": "UPDATE line SET v = 1 WHERE n IN [n] MAX 2",
    "whether a group has rows": "LET v = CASE WHEN EXISTS (SELECT 1 FROM line WHERE n = [n]) THEN 1 ELSE 2 END; "
    "UPDATE child SET n = 1 WHERE id = [v]",
    "a group that is read": "LET v = (SELECT SUM(v) FROM line WHERE n = [n]); UPDATE child SET n = 1 WHERE id = [v]",
    "an upsert": "INSERT INTO child (id, n) VALUES ([a], 1) ON CONFLICT (id) DO UPDATE SET n = 2",
    "a read": "LET m = (SELECT m FROM named WHERE id = [a]); UPDATE child SET n = [m] WHERE id = [b]",
}


def compiled(statements: str) -> piql.Compilation:
    return piql.compile(f"{TABLES}CREATE UNIT buy AS BEGIN {statements}; END;")


@pytest.mark.parametrize("statements", REFUSED)
def test_a_unit_is_refused_with_its_reason_when_it_is_deployed(statements: str) -> None:
    compilation = compiled(statements)
    bound = compilation.queries["buy"].bound
    assert bound is not None, compilation.diagnostics
    with piql.connect("stepwise:") as db, pytest.raises(piql.CompilationRefused) as refusal:
        db.deploy(compilation)
    assert REFUSED[statements] in str(refusal.value)
    assert (
        str(refusal.value).startswith("not deployed: the unit buy has a statement (") or "groups" in REFUSED[statements]
    )
    with piql.connect("embedded:") as db:
        db.deploy(compilation)


@pytest.mark.parametrize("what", TAKEN)
def test_a_unit_of_rows_by_their_keys_is_taken_and_its_bound_has_what_decides_it(what: str) -> None:
    compilation = compiled(TAKEN[what])
    unit = compilation.queries["buy"]
    assert unit.bound is not None, compilation.diagnostics
    of_statements = sum(part.bound.operations for part in unit.statements if part.bound is not None)
    assert unit.bound.operations >= of_statements + 3 + len(unit.statements)
    with piql.connect("stepwise:") as db:
        db.deploy(compilation)


SOURCE = """
CREATE TABLE item (id INT PRIMARY KEY, stock INT NOT NULL, kind INT NULL);
CREATE UNIT move AS BEGIN
  UPDATE item SET stock = stock - [n], kind = 7 WHERE id = 1 AND stock >= [n];
  UPDATE item SET stock = stock + [n] WHERE id = 2;
  INSERT INTO item (id, stock) VALUES (3, [n]) IF NOT EXISTS;
END;
CREATE QUERY stock AS SELECT stock FROM item WHERE id = [id];
CREATE QUERY kinds AS SELECT id, stock FROM item WHERE kind = [kind] LIMIT 5;
"""


@pytest.fixture
def db() -> Iterator[Database]:
    with piql.connect("stepwise:") as db:
        db.deploy(piql.compile(SOURCE))
        db.load("item", [{"id": number, "stock": 5, "kind": 1} for number in (1, 2)])
        yield db


def stocks(db: Database) -> list[int]:
    pages = [db.execute("stock", {"id": number}) for number in (1, 2, 3)]
    assert all(page.operations == 1 and page.repair_operations <= 2 for page in pages)
    return [int(str(row["stock"])) for page in pages for row in page.rows]


NOT_PATIENT = WaitPolicy(patience=0.0, sleep=lambda seconds: None)


class Stopped(BaseException):
    """The process ends here."""


def stop(db: Database, monkeypatch: pytest.MonkeyPatch, stage: str) -> SingleRowWrites:
    """End a unit right before, or right behind, the step that decides it."""
    units, row_writes = db._identity.units, db.store.row_writes  # type: ignore[union-attr]
    assert row_writes is not None
    swap = units.swap

    def stopping(unit: UnitRecord, after: UnitRecord) -> tuple[bool, str | None]:
        if stage == "made":
            swap(unit, after)
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(units, "swap", stopping)
        with pytest.raises(Stopped):
            db.execute("move", {"n": 2})
    return row_writes


def test_readers_see_what_was_before_while_a_unit_is_open(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    row_writes = stop(db, monkeypatch, "open")
    assert stocks(db) == [5, 5]
    assert db.execute("kinds", {"kind": 7}).rows == []
    (unit,) = units_under_way(row_writes, db._identity.stamps.process)  # type: ignore[union-attr]
    assert unit.stage == "open"
    assert [held.key for held in unit.held] == [(1,), (2,), (3,)]


def test_readers_see_the_whole_unit_once_it_is_made(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    row_writes = stop(db, monkeypatch, "made")
    assert stocks(db) == [3, 7, 2]
    assert db.execute("kinds", {"kind": 7}).rows == [{"id": 1, "stock": 3}]
    report = db.sweep(older_than=-1)
    assert (report.completed, report.withdrawn) == (1, 0)
    assert units_under_way(row_writes, db._identity.stamps.process) == []  # type: ignore[union-attr]
    assert stocks(db) == [3, 7, 2]
    assert db.execute("kinds", {"kind": 1}).rows == [{"id": 2, "stock": 7}]


def test_an_open_unit_is_withdrawn_by_a_sweep_and_by_a_writer(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    stop(db, monkeypatch, "open")
    assert db.sweep(older_than=-1).withdrawn == 1
    stop(db, monkeypatch, "open")
    db._identity.wait_policy = NOT_PATIENT  # type: ignore[union-attr]
    db._identity.units._wait_policy = NOT_PATIENT  # type: ignore[union-attr]
    assert db.run("UPDATE item SET stock = 9 WHERE id = 2").rows_affected == 1
    assert stocks(db) == [5, 9]
    assert db.execute("move", {"n": 1}).rows_affected == 3
    assert stocks(db) == [4, 10, 1]


def test_a_refused_condition_names_its_statement_and_leaves_nothing(db: Database) -> None:
    with pytest.raises(piql.ConditionFailed, match=r"^statement 1 of 3: item: stock >= \[n\] does not hold$"):
        db.execute("move", {"n": 6})
    db.execute("move", {"n": 1})
    with pytest.raises(piql.DuplicateKey, match=r"^statement 3 of 3: "):
        db.execute("move", {"n": 1})
    assert stocks(db) == [4, 6, 1]


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_unit_whose_decision_had_no_answer_is_not_made_again(
    db: Database, monkeypatch: pytest.MonkeyPatch, is_kept: bool
) -> None:
    """Somebody ends the unit before its writer looks: it asks what became of it, and says so where nothing tells."""
    units, row_writes = db._identity.units, db.store.row_writes  # type: ignore[union-attr]
    assert row_writes is not None
    swap = units.swap

    def unanswered(unit: UnitRecord, after: UnitRecord) -> tuple[bool, str | None]:
        if after.stage != "made":
            return swap(unit, after)
        assert swap(unit, after)[0]
        assert Database(db.store).sweep(older_than=-1).completed == 1
        if not is_kept:
            assert row_writes.swap(unit.name.group, unit.name.place, after.at("over").as_text(), None)[0]
        return swap(unit, after)

    monkeypatch.setattr(units, "swap", unanswered)
    if is_kept:
        assert db.execute("move", {"n": 2}).rows_affected == 3
    else:
        with pytest.raises(piql.StoreUnavailable, match="is not known"):
            db.execute("move", {"n": 2})
    assert stocks(db) == [3, 7, 2]
    monkeypatch.setattr(units, "swap", swap)
    db.run("DELETE FROM item WHERE id = 3")
    assert db.execute("move", {"n": 1}).rows_affected == 3
    assert stocks(db) == [2, 8, 1]


def test_a_place_for_a_unit_is_used_again(db: Database) -> None:
    db.execute("move", {"n": 1})
    db.run("DELETE FROM item WHERE id = 3")
    db.execute("move", {"n": 1})
    row_writes = db.store.row_writes
    assert row_writes is not None
    (cell,) = row_writes.cells(f"units of {db._identity.stamps.process}", 9)  # type: ignore[union-attr]
    assert json.loads(cell.value) == {"unit": "2", "stage": "over", "made": True}
    record = db._prepared.stepped("item").records.find((1,))
    assert record is not None
    assert unit_of(record.write) is None


def test_readers_are_told_before_the_first_unit_of_a_table_with_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version with a unit comes into force once every reader looks at units: not in the step that announces it."""
    monkeypatch.setattr(steps, "GRACE_SECONDS", 0.3)
    table, rest = SOURCE.split("CREATE UNIT", 1)
    with piql.connect("stepwise:") as db:
        db.deploy(piql.compile(table))
        db.load("item", [{"id": 1, "stock": 5}])
        seen: list[bool] = []
        sleep = steps.time

        def time() -> float:
            seen.append("item" in db.deployment.by_units and "move" not in db.deployment.compilation.queries)
            return sleep()

        monkeypatch.setattr(steps, "time", time)
        db.deploy(piql.compile(f"{table}CREATE UNIT{rest}"))
        assert any(seen)
        assert db.deployment.by_units == {"item"}


def test_rows_of_one_unit_that_are_too_many_together_are_refused_at_once() -> None:
    """The places that they have taken themselves are not those of a write that may have been interrupted."""
    source = """
    CREATE TABLE t (id INT PRIMARY KEY, g INT NULL, u INT NULL, UNIQUE (u), CARDINALITY LIMIT 2 (g));
    CREATE UNIT three AS BEGIN
      INSERT INTO t (id, g, u) VALUES (1, [g1], [u1]) IF NOT EXISTS;
      INSERT INTO t (id, g, u) VALUES (3, [g2], [u2]) IF NOT EXISTS;
      INSERT INTO t (id, g, u) VALUES (2, [g3], [u3]) IF NOT EXISTS;
    END;
    """
    waits: list[float] = []
    with piql.connect("stepwise:") as db:
        db.deploy(piql.compile(source))
        policy = WaitPolicy(sleep=waits.append)
        db._identity.wait_policy = db._identity.units._wait_policy = policy  # type: ignore[union-attr]
        given = {"g1": 1, "g2": 1, "g3": None, "u1": 1, "u2": 2, "u3": 3}
        with pytest.raises(piql.DuplicateKey, match=r"^statement 3 of 3: "):
            db.execute("three", {**given, "u3": 2})
        with pytest.raises(piql.CardinalityViolation, match=r"^statement 3 of 3: "):
            db.execute("three", {**given, "g3": 1})
        assert waits == []
        assert db.execute("three", given).rows_affected == 3


def test_an_index_that_is_built_behind_a_decided_unit_has_its_rows(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop(db, monkeypatch, "made")
    db.deploy(piql.compile(SOURCE + "CREATE QUERY of_stock AS SELECT id FROM item WHERE stock = [n] LIMIT 5;"))
    found = {n: [row["id"] for row in db.execute("of_stock", {"n": n}).rows] for n in (2, 3, 5, 7)}
    assert found == {2: [3], 3: [1], 5: [], 7: [2]}
