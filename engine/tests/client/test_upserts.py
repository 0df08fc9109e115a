"""INSERT … ON CONFLICT, and writes by a UNIQUE key, on a store with transactions and on one without."""

from collections.abc import Callable, Iterator
from typing import Any

import piql
import pytest
from piql.runtime.writing.paths import SteppedPath
from piql.store.stepwise.store import StepwiseStore

TEXT = """
CREATE TABLE town (name VARCHAR(9) PRIMARY KEY);
CREATE TABLE person (
  id INT PRIMARY KEY, email VARCHAR(9) NULL, town VARCHAR(9) NULL REFERENCES town, visits INT NOT NULL,
  note VARCHAR(9) NULL, UNIQUE (email), CARDINALITY LIMIT 2 (town));
CREATE INDEX person_by_note ON person (note);
CREATE QUERY visit AS
INSERT INTO person (id, email, visits) VALUES ([1: id], [2: email], 1)
ON CONFLICT (id) DO UPDATE SET visits = visits + EXCLUDED.visits, email = EXCLUDED.email;
CREATE QUERY visitByEmail AS
INSERT INTO person (id, email, town, visits) VALUES ([1: id], [2: email], [3: town], [4: visits])
ON CONFLICT (email) DO UPDATE SET visits = person.visits + [4: visits], note = 'again';
CREATE QUERY addOnce AS
INSERT INTO person (id, email, town, visits) VALUES ([1: id], [2: email], [3: town], 1) ON CONFLICT DO NOTHING;
CREATE QUERY addOnceById AS
INSERT INTO person (id, email, visits) VALUES ([1: id], [2: email], 1) ON CONFLICT (id) DO NOTHING;
CREATE QUERY addOnceByEmail AS
INSERT INTO person (id, email, visits) VALUES ([1: id], [2: email], 1) ON CONFLICT (email) DO NOTHING;
CREATE QUERY renote AS UPDATE person SET note = [2: note] WHERE email = [1: email];
CREATE QUERY renoteIf AS UPDATE person SET note = 'if' WHERE person.email = [1: email] IF person.visits > 5;
CREATE QUERY remail AS UPDATE person SET email = [2: new] WHERE email = [1: email];
CREATE QUERY removeByEmail AS DELETE FROM person WHERE email = [1: email];
CREATE QUERY everyone AS SELECT id, email, visits, note FROM person WHERE id IN (1, 2, 3, 4) ORDER BY id;
CREATE QUERY noted AS SELECT id FROM person WHERE note = [1: note] LIMIT 9;
"""
COMPILATION = piql.compile(TEXT)


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(COMPILATION)
        database.load("town", [{"name": "Oslo"}])
        database.load("person", [{"id": 1, "email": "a@x", "visits": 5}, {"id": 2, "email": None, "visits": 7}])
        yield database


def affected(db: piql.Database, query: str, **parameters: Any) -> int | None:
    """Execute a write, hold its requests against its bound, and return how many rows it affected."""
    page = db.execute(query, parameters)
    bound = COMPILATION.queries[query].bound
    assert bound is not None
    assert page.operations <= bound.operations
    assert page.attempts == page.operations  # nobody else writes: nothing is lost or taken back
    return page.rows_affected


def everyone(db: piql.Database) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in db.execute("everyone").rows]


def test_an_upsert_inserts_a_row_and_then_increments_it(db: piql.Database) -> None:
    assert [affected(db, "visit", id=3, email="c@x") for _ in range(3)] == [1, 1, 1]
    assert everyone(db)[2] == (3, "c@x", 3, None)


def test_an_upsert_computes_from_the_row_there_is_and_from_the_excluded_one(db: piql.Database) -> None:
    affected(db, "visit", id=1, email="n@x")
    assert everyone(db)[0] == (1, "n@x", 6, None)


def test_an_upsert_by_a_unique_key_changes_the_row_with_its_value_whatever_the_primary_key(db: piql.Database) -> None:
    assert affected(db, "visitByEmail", id=9, email="a@x", town=None, visits=10) == 1
    assert everyone(db) == [(1, "a@x", 15, "again"), (2, None, 7, None)]
    assert db.execute("noted", {"note": "again"}).rows == [{"id": 1}]


def test_an_upsert_by_a_unique_key_inserts_where_no_row_has_its_value(db: piql.Database) -> None:
    assert affected(db, "visitByEmail", id=3, email="c@x", town="Oslo", visits=1) == 1
    assert affected(db, "visitByEmail", id=4, email=None, town="Oslo", visits=1) == 1
    assert everyone(db)[2:] == [(3, "c@x", 1, None), (4, None, 1, None)]


def test_an_upsert_whose_other_key_exists_is_refused_and_names_that_key(db: piql.Database) -> None:
    with pytest.raises(piql.DuplicateKey, match="id = 2") as refusal:
        affected(db, "visitByEmail", id=2, email="new@x", town=None, visits=1)
    assert refusal.value.columns == ("id",)
    with pytest.raises(piql.DuplicateKey, match="email = 'a@x'") as refusal:
        affected(db, "visit", id=3, email="a@x")
    assert refusal.value.columns == ("email",)
    assert len(everyone(db)) == 2


def test_do_nothing_leaves_the_row_there_is_and_affects_none(db: piql.Database) -> None:
    before = everyone(db)
    assert affected(db, "addOnce", id=1, email="n@x", town=None) == 0
    assert affected(db, "addOnce", id=3, email="a@x", town=None) == 0
    assert affected(db, "addOnceById", id=1, email="n@x") == 0
    assert affected(db, "addOnceByEmail", id=1, email="a@x") == 0
    assert affected(db, "addOnceByEmail", id=3, email="a@x") == 0
    assert everyone(db) == before


def test_do_nothing_does_not_ask_for_what_a_row_references_that_it_does_not_write(db: piql.Database) -> None:
    assert affected(db, "addOnce", id=3, email="a@x", town="nowhere") == 0
    with pytest.raises(piql.ForeignKeyViolation):
        affected(db, "addOnce", id=3, email="c@x", town="nowhere")


def test_do_nothing_about_one_key_is_refused_by_another(db: piql.Database) -> None:
    with pytest.raises(piql.DuplicateKey, match="email"):
        affected(db, "addOnceById", id=3, email="a@x")
    with pytest.raises(piql.DuplicateKey, match="id = 1"):
        affected(db, "addOnceByEmail", id=1, email="n@x")


def test_do_nothing_inserts_a_new_row(db: piql.Database) -> None:
    assert affected(db, "addOnce", id=3, email="c@x", town="Oslo") == 1
    assert affected(db, "addOnceByEmail", id=4, email="d@x") == 1
    assert [row[:3] for row in everyone(db)[2:]] == [(3, "c@x", 1), (4, "d@x", 1)]


def test_an_upsert_keeps_the_limits_of_its_table(db: piql.Database) -> None:
    for number in (3, 4):
        affected(db, "visitByEmail", id=number, email=f"{number}@x", town="Oslo", visits=1)
    with pytest.raises(piql.CardinalityViolation):
        affected(db, "visitByEmail", id=5, email="5@x", town="Oslo", visits=1)
    affected(db, "visitByEmail", id=5, email="4@x", town="Oslo", visits=1)


def test_an_update_by_a_unique_key_changes_its_row_and_says_whether_there_was_one(db: piql.Database) -> None:
    assert [affected(db, "renote", email=email, note="n") for email in ("a@x", "no@x", None)] == [1, 0, 0]
    assert everyone(db) == [(1, "a@x", 5, "n"), (2, None, 7, None)]


def test_the_condition_of_a_write_by_a_unique_key_is_that_of_its_row(db: piql.Database) -> None:
    for email, why in (("a@x", "visits > 5"), ("no@x", "no such row"), (None, "no such row")):
        with pytest.raises(piql.ConditionFailed, match=why):
            affected(db, "renoteIf", email=email)
    affected(db, "visit", id=1, email="a@x")
    assert affected(db, "renoteIf", email="a@x") == 1


def test_the_unique_value_itself_can_change(db: piql.Database) -> None:
    assert [affected(db, "remail", email="a@x", new="z@x") for _ in range(2)] == [1, 0]
    assert everyone(db)[0][1] == "z@x"


def test_a_delete_by_a_unique_key_removes_one_row_once(db: piql.Database) -> None:
    assert [affected(db, "removeByEmail", email="a@x") for _ in range(2)] == [1, 0]
    assert everyone(db) == [(2, None, 7, None)]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The requests of the single-row writes of a store, by name; a request for several entries is as many."""
    names: list[str] = []
    for name in ("find", "cells", "change", "swap", "note", "change_entries"):
        monkeypatch.setattr(StepwiseStore, name, _noting(names, name, getattr(StepwiseStore, name)))
    return names


def _noting(names: list[str], name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    def noting(store: StepwiseStore, *arguments: Any, **named: Any) -> Any:
        names.extend([name] * (len(arguments[0]) if name == "change_entries" else 1))
        before = list(names)
        answer = call(store, *arguments, **named)
        names[:] = before  # what the store asks of itself is no request
        return answer

    return noting


def _with_ada() -> piql.Database:
    db = piql.connect("stepwise:")
    db.deploy(COMPILATION)
    db.execute("addOnce", {"id": 1, "email": "a@x", "town": None})
    return db


def test_what_another_key_stops_is_found_before_anything_is_written(calls: list[str]) -> None:
    with _with_ada() as db:
        for parameters in ({"id": 2, "email": "a@x", "town": None}, {"id": 1, "email": "b@x", "town": None}):
            calls.clear()
            assert affected(db, "addOnce", **parameters) == 0
            assert set(calls) <= {"find", "cells"}


def test_what_takes_back_a_write_that_came_too_late_is_counted(
    calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with _with_ada() as db:
        monkeypatch.setattr(SteppedPath, "has_duplicate", lambda *_: False)  # the other one came later
        calls.clear()
        page = db.execute("addOnce", {"id": 2, "email": "a@x", "town": None})
        assert (page.rows_affected, page.attempts) == (0, len(calls))
        assert page.operations < page.attempts
        assert "change" in calls
