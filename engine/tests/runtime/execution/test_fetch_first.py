"""FETCH FIRST n ROWS ONLY is LIMIT n, in every spelling of the standard."""

from __future__ import annotations

import piql
import pytest
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.printer import print_file
from piql.text.source import Source

SCHEMA = "CREATE TABLE t (id INT PRIMARY KEY, g INT, CARDINALITY LIMIT 20 (g));\n"
READ = "CREATE QUERY q AS SELECT id FROM t WHERE g = 1"
SPELLINGS = {
    "FETCH FIRST 3 ROWS ONLY": "LIMIT 3",
    "fetch next 3 row only": "LIMIT 3",
    "FETCH FIRST ROW ONLY": "LIMIT 1",
    "ORDER BY id DESC FETCH NEXT ROWS ONLY": "ORDER BY id DESC LIMIT 1",
    "FETCH FIRST [n] MAX 5 ROWS ONLY": "LIMIT [n] MAX 5",
    "FETCH FIRST ? MAX 5 ROWS ONLY": "LIMIT ? MAX 5",
}


@pytest.mark.parametrize(("fetch", "limit"), SPELLINGS.items())
def test_it_is_bound_and_printed_like_limit(fetch: str, limit: str) -> None:
    query, same = (piql.compile(f"{SCHEMA}{READ} {stop};").queries["q"] for stop in (fetch, limit))
    assert query.bound is not None
    assert query.bound == same.bound
    printed = [print_file(parse(Source(f"{READ} {stop};"))) for stop in (fetch, limit)]
    assert printed[0] == printed[1]


@pytest.mark.parametrize("store", ["embedded:", "stepwise:"])
def test_only_so_many_rows_are_returned(store: str) -> None:
    with piql.connect(store) as db:
        db.deploy(piql.compile(SCHEMA))
        db.load("t", [{"id": number, "g": 1} for number in range(9)])
        rows = db.run("SELECT id FROM t WHERE g = 1 ORDER BY id FETCH FIRST 3 ROWS ONLY").rows
        assert [row["id"] for row in rows] == [0, 1, 2]
        one = db.run("SELECT id FROM t WHERE g = 1 ORDER BY id DESC FETCH NEXT ROW ONLY").rows
        assert [row["id"] for row in one] == [8]


def test_it_stands_in_subqueries_and_behind_a_union() -> None:
    union = "CREATE QUERY q AS SELECT id FROM t WHERE g = 1 UNION SELECT id FROM t WHERE g = 2 FETCH FIRST 5 ROWS ONLY;"
    nested = "CREATE QUERY q AS SELECT d.id FROM (SELECT id FROM t WHERE g = 1 FETCH FIRST 5 ROWS ONLY) d;"
    for text in (union, nested):
        limit = text.replace("FETCH FIRST 5 ROWS ONLY", "LIMIT 5")
        bounds = [piql.compile(SCHEMA + query).queries["q"].bound for query in (text, limit)]
        assert bounds[0] is not None
        assert bounds[0] == bounds[1]


def test_fetch_and_for_stay_names_of_tables() -> None:
    for alias in ("fetch", "for"):
        text = f"{SCHEMA}CREATE QUERY q AS SELECT {alias}.id FROM t {alias} WHERE {alias}.g = 1;"
        assert not piql.compile(text).has_errors


@pytest.mark.parametrize(
    ("stop", "code", "marked"),
    [
        ("FETCH FIRST 3 ROWS WITH TIES", "not-in-piql", "WITH"),
        ("FETCH FIRST 3 ROWS", "syntax-error", ";"),
        ("FETCH FIRST 3 ONLY", "syntax-error", "ONLY"),
        ("FETCH FIRST [n] ROWS ONLY", "missing-max", "[n]"),
        ("LIMIT 2 FETCH FIRST 3 ROWS ONLY", "syntax-error", "FETCH"),
        ("OFFSET 5 ROWS FETCH NEXT 3 ROWS ONLY", "offset", "OFFSET 5 ROWS"),
        ("FOR UPDATE", "not-in-piql", "FOR"),
    ],
)
def test_a_wrong_one_is_marked_where_it_is_wrong(stop: str, code: str, marked: str) -> None:
    errors = [finding for finding in piql.compile(f"{SCHEMA}{READ} {stop};").diagnostics if finding.severity == "error"]
    assert [(finding.code, finding.span.text) for finding in errors][:1] == [(code, marked)]
