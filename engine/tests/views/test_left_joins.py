"""Views with LEFT JOIN: rows that name nothing, or a row that is not there, and what comes and goes behind them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import piql
import pytest
from piql.client.recounts import recount, repair
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.transactional import TableWriter
from promises import broken_promises

REFERENCE = "item INT NULL REFERENCES items"
LOOSE = "item INT NULL"
LIMIT = ", CARDINALITY LIMIT 5 (item)"


def tables(item: str, limit: str = "") -> str:
    return f"""
CREATE TABLE makers (id INT PRIMARY KEY, land VARCHAR(8) NOT NULL);
CREATE TABLE items (id INT PRIMARY KEY, kind VARCHAR(8) NOT NULL, maker INT NULL REFERENCES makers MAX 5);
CREATE TABLE lines (id INT PRIMARY KEY, {item}, amount INT NOT NULL{limit});
"""


def view(word: str) -> str:
    return f"""
CREATE VIEW sold AS
SELECT COALESCE(i.kind, '-') AS kind, COUNT(*) AS n, COUNT(i.id) AS there, SUM(l.amount) AS amount
FROM lines l {word} items i ON i.id = l.item
GROUP BY COALESCE(i.kind, '-');
"""


LANDS = """
CREATE VIEW lands AS
SELECT COALESCE(m.land, '-') AS land, COUNT(*) AS n
FROM lines l LEFT JOIN items i ON i.id = l.item LEFT JOIN makers m ON m.id = i.maker
GROUP BY COALESCE(m.land, '-');
"""
WRITES = """
CREATE QUERY put AS INSERT INTO items (id, kind, maker) VALUES ([i], [kind], [maker]);
CREATE QUERY new AS INSERT INTO items (id, kind, maker) VALUES ([i], [kind], [maker]) IF NOT EXISTS;
CREATE QUERY forget AS DELETE FROM items WHERE id = [i];
CREATE QUERY kind AS UPDATE items SET kind = [kind] WHERE id = [i];
CREATE QUERY maker AS UPDATE items SET maker = [maker] WHERE id = [i];
CREATE QUERY move AS UPDATE lines SET item = [i] WHERE id = [l];
CREATE QUERY remove AS DELETE FROM lines WHERE id = [l];
"""
LINES = [{"id": number, "item": item, "amount": 10**number} for number, item in enumerate((1, 1, None, 2))]


def filled(text: str, *, url: str = "embedded:", with_items: bool = True) -> piql.Database:
    db = piql.connect(url)
    db.deploy(piql.compile(text))
    db.load("makers", [{"id": 1, "land": "NO"}, {"id": 2, "land": "SE"}])
    if with_items:
        db.load("items", [{"id": 1, "kind": "art", "maker": 1}, {"id": 2, "kind": "law", "maker": None}])
    db.load("lines", LINES)
    return db


def rows(db: piql.Database, name: str) -> dict[Any, tuple[Any, ...]]:
    columns = {"sold": ("kind", "n", "there", "amount"), "lands": ("land", "n")}[name]
    return {row[0]: row[1:] for row in db.some_rows(name, columns, 99)}


def execute(db: piql.Database, name: str, parameters: Mapping[str, Any]) -> int:
    """Execute a write within its bound, and return its requests."""
    page = db.execute(name, parameters)
    bound = db.deployment.compilation.queries[name].bound
    assert bound is not None
    assert page.operations <= bound.operations
    assert page.round_trips <= bound.round_trips
    assert broken_promises(db) == []
    return page.operations


def test_a_row_that_names_nothing_is_left_out_by_join_and_kept_by_left_join() -> None:
    with filled(tables(REFERENCE) + view("JOIN")) as inner, filled(tables(REFERENCE) + view("LEFT JOIN")) as left:
        named = {"art": (2, 2, 11), "law": (1, 1, 1000)}
        assert rows(inner, "sold") == named
        assert rows(left, "sold") == {**named, "-": (1, 0, 100)}


@pytest.mark.parametrize("kind", ["embedded", "stepwise"])
def test_a_line_moves_between_a_row_and_none(kind: str, tmp_path: Path) -> None:
    text = tables(REFERENCE).replace(" MAX 5", "") + view("LEFT JOIN") + LANDS + WRITES
    with filled(text, url=f"{kind}:{tmp_path / 'a.db'}") as db:
        assert rows(db, "lands") == {"NO": (2,), "-": (2,)}
        execute(db, "move", {"l": 0, "i": None})
        assert rows(db, "sold") == {"art": (1, 1, 10), "law": (1, 1, 1000), "-": (2, 0, 101)}
        execute(db, "move", {"l": 2, "i": 1})
        execute(db, "remove", {"l": 0})
        assert rows(db, "sold") == {"art": (2, 2, 110), "law": (1, 1, 1000)}
        assert rows(db, "lands") == {"NO": (2,), "-": (1,)}
        with pytest.raises(piql.ConstraintViolation, match="name this row"):
            db.execute("maker", {"i": 2, "maker": 2})
        assert broken_promises(db) == []


def test_a_row_that_comes_or_goes_moves_the_rows_that_have_its_key() -> None:
    with filled(tables(LOOSE, LIMIT) + view("LEFT JOIN") + LANDS + WRITES, with_items=False) as db:
        assert rows(db, "sold") == {"-": (4, 0, 1111)}
        execute(db, "new", {"i": 1, "kind": "art", "maker": 1})
        assert rows(db, "sold") == {"-": (2, 0, 1100), "art": (2, 2, 11)}
        assert rows(db, "lands") == {"-": (2,), "NO": (2,)}
        execute(db, "put", {"i": 1, "kind": "law", "maker": 2})
        assert rows(db, "lands") == {"-": (2,), "SE": (2,)}
        execute(db, "maker", {"i": 1, "maker": None})
        execute(db, "kind", {"i": 1, "kind": "war"})
        assert rows(db, "sold") == {"-": (2, 0, 1100), "war": (2, 2, 11)}
        execute(db, "forget", {"i": 1})
        assert rows(db, "sold") == {"-": (4, 0, 1111)}
        assert rows(db, "lands") == {"-": (4,)}


def test_the_bound_of_a_write_counts_the_rows_that_find_it() -> None:
    queries = piql.compile(tables(LOOSE, LIMIT) + view("LEFT JOIN") + WRITES).queries
    inner = piql.compile(tables(REFERENCE, LIMIT) + view("LEFT JOIN") + WRITES).queries
    for name in ("new", "forget"):
        assert "at most 5 rows of lines" in str(queries[name].bound)
        assert "at most 5 rows of lines" not in str(inner[name].bound)  # nothing names a row that comes or goes


def test_a_row_that_comes_changes_two_groups_for_each_row_that_has_its_key() -> None:
    limit = LIMIT.replace("5", "2")
    with filled(tables(LOOSE, limit) + view("LEFT JOIN") + LANDS + WRITES, with_items=False) as db:
        bound = db.deployment.compilation.queries["new"].bound
        assert bound is not None
        assert sum(term.value for term in bound.terms if "sold" in term.reason and "lines" not in term.reason) == 8
        execute(db, "new", {"i": 1, "kind": "art", "maker": 1})


def test_without_a_limit_or_a_foreign_key_the_view_is_refused_with_the_limit() -> None:
    errors = [finding for finding in piql.compile(tables(LOOSE) + view("LEFT JOIN")).diagnostics if finding.fixes]
    assert [error.code for error in errors] == ["view-form"]
    assert errors[0].fixes[0].title == "Add CARDINALITY LIMIT 100 (item) to lines"


@pytest.mark.parametrize("test", ["i.id = l.item AND i.kind = 'art'", "i.id = l.item AND i.id = l.id"])
def test_a_further_test_of_a_left_join_is_not_sent_to_where_where_it_means_something_else(test: str) -> None:
    text = tables(REFERENCE) + view("LEFT JOIN").replace("i.id = l.item", test)
    (error,) = piql.compile(text).diagnostics
    assert "a test in WHERE leaves out the rows that LEFT JOIN keeps" in error.help[0]


def test_two_ways_to_one_table_are_told_apart() -> None:
    """A load changes rows that are found by a limit and rows that are found by their key, which are equal numbers."""
    text = """
    CREATE TABLE r (id INT PRIMARY KEY, v INT NOT NULL);
    CREATE TABLE p (id INT PRIMARY KEY, r INT NOT NULL REFERENCES r MAX 4);
    CREATE VIEW w AS SELECT a.id, COUNT(*) AS n, SUM(b.v) AS v, COUNT(c.v) AS vs
    FROM p a JOIN r b ON b.id = a.r LEFT JOIN r c ON c.id = a.id GROUP BY a.id;
    """
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(text))
        db.load("r", [{"id": 0, "v": -5}, {"id": 2, "v": 7}])
        db.load("p", [{"id": 0, "r": 2}, {"id": 1, "r": 0}, {"id": 2, "r": 2}])
        db.load("r", [{"id": 1, "v": 0}, {"id": 0, "v": 5}])
        assert broken_promises(db) == []
        assert sorted(db.some_rows("w", ("id", "v", "vs"), 9)) == [(0, 7, 1), (1, 5, 1), (2, 7, 1)]


def test_a_foreign_key_of_a_row_that_may_lack_promises_nothing() -> None:
    text = """
    CREATE TABLE users (id INT PRIMARY KEY, team INT NOT NULL);
    CREATE TABLE photos (id INT PRIMARY KEY REFERENCES users, size INT NOT NULL);
    CREATE VIEW teams AS SELECT u.team, COUNT(*) AS n, COUNT(p.size) AS photos
    FROM users u LEFT JOIN photos p ON p.id = u.id GROUP BY u.team;
    CREATE QUERY join_team AS INSERT INTO users (id, team) VALUES ([u], [team]);
    CREATE QUERY leave AS DELETE FROM users WHERE id = [u];
    CREATE QUERY show AS INSERT INTO photos (id, size) VALUES ([u], 1);
    CREATE QUERY hide AS DELETE FROM photos WHERE id = [u];
    """
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(text))
        for name, parameters, group in (
            ("join_team", {"u": 1, "team": 7}, (7, 1, 0)),
            ("show", {"u": 1}, (7, 1, 1)),
            ("join_team", {"u": 1, "team": 8}, (8, 1, 1)),
            ("hide", {"u": 1}, (8, 1, 0)),
            ("leave", {"u": 1}, None),
        ):
            execute(db, name, parameters)
            assert db.some_rows("teams", ("team", "n", "photos"), 9) == ([group] if group else [])


def test_it_is_counted_again_and_repaired() -> None:
    with filled(tables(REFERENCE) + view("LEFT JOIN")) as db:
        kept = db.deployment.tables["sold"]
        assert recount(db, kept, step_rows=2).is_right
        writer = TableWriter(kept, db.deployment, db.store)
        with db.store.transaction() as transaction:
            writer.apply(transaction, Meter(), writer.read(transaction, Meter(), ("-",)), None)
        assert [difference.group for difference in recount(db, kept).differences] == [{"kind": "-"}]
        assert repair(db, kept, step_rows=2).is_right
        assert rows(db, "sold")["-"] == (1, 0, 100)


def test_without_transactions_a_foreign_key_has_to_promise_the_row(tmp_path: Path) -> None:
    with (
        piql.connect(f"stepwise:{tmp_path / 'a.db'}") as db,
        pytest.raises(
            piql.CompilationRefused, match=r"the view sold keeps rows that find none of items.*embedded store"
        ),
    ):
        db.deploy(piql.compile(tables(LOOSE, LIMIT) + view("LEFT JOIN")))


def test_what_is_deployed_says_that_it_is_a_left_join(tmp_path: Path) -> None:
    url = f"embedded:{tmp_path / 'a.db'}"
    with filled(tables(REFERENCE) + view("LEFT JOIN") + WRITES, url=url):
        pass
    with piql.connect(url) as db:
        db.deploy(piql.compile(tables(REFERENCE) + view("LEFT JOIN") + WRITES))
        assert rows(db, "sold")["-"] == (1, 0, 100)
        execute(db, "move", {"l": 0, "i": None})
        assert rows(db, "sold")["-"] == (2, 0, 101)
