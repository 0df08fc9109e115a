"""DEFAULT of a column: what INSERT, a load and a further deployment make of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import piql
import pytest
from piql.compiler import Compiler

NOON = datetime(2024, 2, 29, 12, tzinfo=UTC)
SOURCE = """
CREATE TABLE notes (
  id     UUID DEFAULT UUID() PRIMARY KEY,
  place  INT NOT NULL,
  kind   VARCHAR(8) DEFAULT 'new' NOT NULL,
  price  DECIMAL(6, 2) DEFAULT 1.5,
  is_on  BOOLEAN DEFAULT TRUE,
  least  INT DEFAULT -1,
  at     TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  day    DATE DEFAULT CURRENT_DATE,
  stamp  TIMEUUID DEFAULT NOW(),
  empty  INT DEFAULT NULL,
  CARDINALITY LIMIT 50 (place)
);
CREATE QUERY put AS INSERT INTO notes (place) VALUES ([place]);
CREATE QUERY putNull AS INSERT INTO notes (place, kind, price, at) VALUES ([place], DEFAULT, NULL, [at]);
CREATE QUERY ofPlace AS SELECT * FROM notes WHERE place = [place] ORDER BY at;
"""


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param, now=lambda: NOON) as database:
        database.deploy(piql.compile(SOURCE))
        yield database


DEFAULTS = {
    "place": 1,
    "kind": "new",
    "price": Decimal("1.50"),
    "is_on": True,
    "least": -1,
    "at": NOON,
    "day": date(2024, 2, 29),
    "empty": None,
}


def rows(db: piql.Database) -> list[dict[str, object]]:
    return db.execute("ofPlace", {"place": 1}).rows


def without_ids(row: dict[str, object]) -> dict[str, object]:
    assert isinstance(row["id"], UUID)
    assert isinstance(row["stamp"], UUID)
    return {name: value for name, value in row.items() if name not in ("id", "stamp")}


def test_columns_that_an_insert_does_not_name_get_their_default(db: piql.Database) -> None:
    db.execute("put", {"place": 1})
    db.execute("put", {"place": 1})
    first, second = rows(db)
    assert without_ids(first) == without_ids(second) == DEFAULTS
    assert (first["id"] != second["id"], first["stamp"] != second["stamp"]) == (True, True)


def test_a_null_that_is_given_stays_and_the_word_default_asks_for_the_default(db: piql.Database) -> None:
    db.execute("putNull", {"place": 1, "at": None})
    (row,) = rows(db)
    assert (row["kind"], row["price"], row["at"], row["least"]) == ("new", None, None, -1)


def test_a_load_completes_rows_by_the_defaults_of_columns_that_they_do_not_name(db: piql.Database) -> None:
    db.load("notes", [{"place": 1}, {"place": 1, "price": None, "at": NOON + timedelta(1)}])
    first, second = rows(db)
    assert without_ids(first) == DEFAULTS
    assert (second["price"], second["kind"], second["at"]) == (None, "new", NOON + timedelta(1))
    assert len({row["id"] for row in (first, second)}) == 2


def test_rows_that_were_there_hold_null_in_a_new_column_with_a_default(db: piql.Database) -> None:
    db.execute("put", {"place": 1})
    db.deploy(piql.compile(SOURCE.replace("  empty ", "  score INT DEFAULT 7,\n  empty ")))
    db.execute("put", {"place": 1})
    assert sorted(str(row["score"]) for row in rows(db)) == ["7", "None"]


def test_a_default_comes_changes_and_goes_without_a_look_at_the_rows(db: piql.Database) -> None:
    db.execute("put", {"place": 1})
    db.deploy(piql.compile(SOURCE.replace("least  INT DEFAULT -1", "least  INT DEFAULT 5")))
    db.execute("put", {"place": 1})
    db.deploy(piql.compile(SOURCE.replace("least  INT DEFAULT -1", "least  INT")))
    db.execute("put", {"place": 1})
    assert sorted(str(row["least"]) for row in rows(db)) == ["-1", "5", "None"]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("a INT DEFAULT 'x'", "'x' is not an INT"),
        ("a VARCHAR(2) DEFAULT 'abc'", "'abc' has 3 characters"),
        ("a INT DEFAULT 1.5", "1.5 is not an INT"),
        ("a INT DEFAULT id", "id is computed"),
        ("a INT DEFAULT (1 + 1)", "1 + 1 is computed"),
        ("a INT NOT NULL DEFAULT NULL", "a cannot be NULL"),
        ("a DATE DEFAULT CURRENT_TIMESTAMP", "a is a DATE, CURRENT_TIMESTAMP gives a TIMESTAMP"),
        ("a INT DEFAULT UUID()", "a is an INT, UUID() gives a UUID"),
        ("a INT DEFAULT", "expected a value or a column"),
    ],
)
def test_a_default_that_the_column_cannot_hold_is_refused(column: str, message: str) -> None:
    diagnostics = piql.compile(f"CREATE TABLE t (id INT PRIMARY KEY, {column});").diagnostics
    assert [message in diagnostic.message for diagnostic in diagnostics] == [True]


def test_the_word_default_stands_alone_in_values() -> None:
    table = "CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL);"
    for statement, message in (
        ("INSERT INTO t (id, a) VALUES (1, DEFAULT)", "t.a has no DEFAULT and cannot be NULL"),
        ("SELECT a FROM t WHERE id = DEFAULT()", "DEFAULT is no part of an expression"),
        ("INSERT INTO t (id) VALUES (1)", "t.a is NOT NULL and gets no value"),
    ):
        diagnostics = piql.compile(f"{table}CREATE QUERY q AS {statement};").diagnostics
        assert message in [diagnostic.message for diagnostic in diagnostics], diagnostics


def test_each_of_several_rows_gets_its_own_defaults(db: piql.Database) -> None:
    two = "CREATE QUERY putTwo AS INSERT INTO notes (place, price) VALUES ([place], DEFAULT), ([place], 2);\n"
    db.deploy(piql.compile(SOURCE + two))
    db.execute("putTwo", {"place": 1})
    first, second = sorted(rows(db), key=lambda row: str(row["price"]))
    assert without_ids(first) == DEFAULTS
    assert without_ids(second) == {**DEFAULTS, "price": Decimal(2)}
    assert first["id"] != second["id"]


def test_a_default_makes_no_write_dearer() -> None:
    plain = SOURCE.replace("kind   VARCHAR(8) DEFAULT 'new' NOT NULL", "kind   VARCHAR(8)")
    bounds = [piql.compile(text).queries["put"].bound for text in (SOURCE, plain)]
    assert bounds[0] is not None
    assert bounds[0] == bounds[1]


def test_an_edited_default_is_in_the_writes_at_once() -> None:
    compiler = Compiler()
    before = compiler.compile(SOURCE).queries["put"].plan
    edited = SOURCE.replace("DEFAULT 'new'", "DEFAULT 'old'")
    after = compiler.compile(edited).queries["put"].plan
    assert before != after
    assert after == Compiler().compile(edited).queries["put"].plan
