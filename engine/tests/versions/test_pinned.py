"""A connection that stays with one version goes on with its queries, whatever is in force beside it."""

from __future__ import annotations

import piql
import pytest
from piql.versions.change import steps
from promises import broken_promises

from .shop import ADD, FIRST, GET, ITEMS, REMOVE, filled, limited, row

SECOND = (
    ITEMS.format(more=", colour VARCHAR(10) NULL")
    + "CREATE QUERY item AS SELECT colour, title FROM items WHERE id = [number];\n"
    + "CREATE QUERY reprice AS UPDATE items SET colour = [colour] WHERE id = [id];\n"
    + "CREATE QUERY byColour AS SELECT id FROM items WHERE colour = [colour] LIMIT 5;\n"
    + ADD
    + REMOVE
)
LISTED = "CREATE QUERY listed AS SELECT id FROM items WHERE kind = [kind];\n"


def test_two_versions_are_run_side_by_side(url: str) -> None:
    with filled(url, 10) as db, piql.connect(url, version=1) as old:
        db.deploy(piql.compile(SECOND))
        assert old.execute("item", {"id": 3}).rows == [{"id": 3, "kind": "k3", "price": 3}]
        assert db.execute("item", {"number": 3}).rows == [{"colour": None, "title": "a thing number 3"}]
        db.execute("reprice", {"id": 3, "colour": "red"})
        old.execute("reprice", {"id": 3, "price": 33})
        old.execute("add", {**row(3), "price": 34})
        old.execute("add", row(70))
        assert db.execute("byColour", {"colour": "red"}).rows == [{"id": 3}]
        assert old.run("SELECT price FROM items WHERE id = 3").rows == [{"price": 34}]
        with pytest.raises(piql.CompilationRefused):
            old.run("SELECT colour FROM items WHERE id = 3")
        assert broken_promises(db) == []


def test_a_version_is_left_when_it_lives_no_more(url: str) -> None:
    with filled(url, 10) as db, piql.connect(url, version=1) as old:
        db.deploy(piql.compile(SECOND))
        db.deploy(piql.compile(SECOND + "CREATE QUERY more AS SELECT id FROM items WHERE id = [id];"))
        with pytest.raises(piql.NotDeployed, match="version 1 does not exist any more, or not yet; there is 3 and 2"):
            old.execute("add", row(80))
        with pytest.raises(piql.NotDeployed, match="version 9"):
            piql.connect(url, version=9)


def test_a_query_that_counts_on_a_limit_is_not_run_after_it_was_raised(file_url: str) -> None:
    with piql.connect(file_url) as db:
        db.deploy(piql.compile(limited(2) + LISTED + GET))
        with piql.connect(file_url, version=1) as old:
            db.deploy(piql.compile(limited(5) + LISTED + GET))
            db.load("items", [{**row(at), "kind": "tea"} for at in range(4)])
            with pytest.raises(piql.NotDeployed, match="relies on a limit of items that version 2 has raised"):
                old.execute("listed", {"kind": "tea"})
            assert old.execute("item", {"id": 3}).rows == [{"id": 3, "kind": "tea", "price": 3}]


def test_a_connection_that_stays_may_deploy_the_next_version(url: str) -> None:
    filled(url, 3).close()
    with piql.connect(url, version=1) as old:
        assert old.deploy(piql.compile(FIRST + LISTED.replace("kind = [kind]", "kind = [kind] LIMIT 3"))).version == 2
        with pytest.raises(piql.NotDeployed):
            old.execute("listed", {"kind": "k1"})


WRITTEN = """
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE a (id INT PRIMARY KEY, k INT NOT NULL, v INT NULL{rule});
CREATE QUERY of_id AS SELECT k FROM a WHERE id = [id];
"""
WRITES = """
CREATE QUERY come AS INSERT INTO a (id, k) VALUES ([id], [k]) RETURNING id;
CREATE QUERY several AS INSERT INTO a (id, k) VALUES [rows] MAX 3;
CREATE QUERY move AS UPDATE a SET k = [k] WHERE id = [id];
CREATE QUERY leave AS DELETE FROM a WHERE id = [id];
"""
ADDED = {
    "a limit": (", CARDINALITY LIMIT 2 (k)", ""),
    "a UNIQUE key": (", UNIQUE (k)", ""),
    "a foreign key": (", FOREIGN KEY (k) REFERENCES p", ""),
    "rows that name it": ("", "CREATE TABLE c (id INT PRIMARY KEY, a INT NULL REFERENCES a);"),
    "a view": (
        "",
        "CREATE VIEW of_k AS SELECT k, COUNT(*) AS n FROM a GROUP BY k;"
        "CREATE QUERY n AS SELECT n, k FROM of_k ORDER BY n DESC LIMIT 3;",
    ),
    "an index": ("", "CREATE QUERY of_k AS SELECT id, v FROM a WHERE k = [k] ORDER BY v LIMIT 5;"),
}


@pytest.mark.parametrize("scheme", ["embedded", "stepwise"])
@pytest.mark.parametrize("what", ADDED)
def test_a_write_of_an_earlier_version_has_a_bound_with_what_was_added(
    scheme: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "GRACE_SECONDS", 0.02)
    rule, more = ADDED[what]
    with piql.connect(f"{scheme}:") as db:
        db.deploy(piql.compile(WRITTEN.format(rule="") + WRITES))
        db.load("p", [{"id": number} for number in range(9)])
        db.deploy(piql.compile(WRITTEN.format(rule=rule) + more), ["come", "several", "move", "leave"])
        old = piql.Database(db.store, version=1)
        bounds = piql.compile(WRITTEN.format(rule=rule) + more + WRITES).queries
        calls: tuple[tuple[str, dict[str, object]], ...] = (
            ("come", {"id": 1, "k": 1}),
            ("move", {"id": 1, "k": 2}),
            ("come", {"id": 1, "k": 3}),
            ("several", {"rows": [{"id": number, "k": 3 + number} for number in (1, 2, 3)]}),
            ("move", {"id": 2, "k": 8}),
            ("leave", {"id": 2}),
        )
        for name, parameters in calls:
            page, bound = old.execute(name, parameters), bounds[name].bound
            assert bound is not None
            assert 0 < page.operations <= bound.operations
        assert broken_promises(db) == []
