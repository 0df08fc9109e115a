"""Columns that GROUP BY determines, and names of outputs in HAVING: the rows of the longer spelling."""

from __future__ import annotations

from collections.abc import Iterator

import piql
import pytest

SCHEMA = """
CREATE TABLE u (id INT PRIMARY KEY, name VARCHAR(9), mail VARCHAR(9) NOT NULL UNIQUE);
CREATE TABLE t (id INT PRIMARY KEY, u INT NULL REFERENCES u, g INT, CARDINALITY LIMIT 20 (g));
"""
SPELLINGS = {
    "the primary key of a joined table": (
        "SELECT u.id, u.name, u.mail, COUNT(*) AS n FROM t JOIN u ON u.id = t.u WHERE t.g = [g] GROUP BY u.id",
        "SELECT u.id, u.name, u.mail, COUNT(*) AS n FROM t JOIN u ON u.id = t.u WHERE t.g = [g]"
        " GROUP BY u.id, u.name, u.mail",
    ),
    "a UNIQUE column that is never NULL": (
        "SELECT u.name, MAX(t.id) AS n FROM t JOIN u ON u.id = t.u WHERE t.g = [g] GROUP BY u.mail",
        "SELECT u.name, MAX(t.id) AS n FROM t JOIN u ON u.id = t.u WHERE t.g = [g] GROUP BY u.mail, u.name",
    ),
    "a column equal to the key": (
        "SELECT t.u, u.name, COUNT(*) AS n FROM t JOIN u ON u.id = t.u WHERE t.g = [g] GROUP BY t.u",
        "SELECT t.u, u.name, COUNT(*) AS n FROM t JOIN u ON u.id = t.u WHERE t.g = [g] GROUP BY t.u, u.name",
    ),
    "a LEFT JOIN onto the key, with and without a match": (
        "SELECT t.u, u.name, COUNT(*) AS n FROM t LEFT JOIN u ON u.id = t.u WHERE t.g = [g] GROUP BY t.u",
        "SELECT t.u, u.name, COUNT(*) AS n FROM t LEFT JOIN u ON u.id = t.u WHERE t.g = [g] GROUP BY t.u, u.name",
    ),
    "outputs in HAVING and ORDER BY": (
        "SELECT t.u + 1 AS m, COUNT(*) AS n FROM t WHERE g = [g] GROUP BY m HAVING n > 1 AND m > 1 ORDER BY n, m",
        "SELECT t.u + 1 AS m, COUNT(*) AS n FROM t WHERE g = [g] GROUP BY t.u + 1"
        " HAVING COUNT(*) > 1 AND t.u + 1 > 1 ORDER BY COUNT(*), t.u + 1",
    ),
}


@pytest.fixture(scope="module", params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(piql.compile(SCHEMA))
        names = ["a", "b", None]
        database.load("u", [{"id": n, "name": names[n % 3], "mail": f"m{n}"} for n in range(4)])
        database.load("t", [{"id": n, "u": n % 5 if n % 5 < 4 else None, "g": n % 2} for n in range(20)])
        yield database


@pytest.mark.parametrize("group", [1, 9])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_rows_are_those_of_the_longer_spelling(db: piql.Database, spelling: str, group: int) -> None:
    short, long = (db.run(text, {"g": group}) for text in SPELLINGS[spelling])
    assert [[*row.items()] for row in short.rows] == [[*row.items()] for row in long.rows]
    assert bool(short.rows) == (group == 1)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_bound_is_that_of_the_longer_spelling(spelling: str) -> None:
    text = "".join(f"CREATE QUERY q{number} AS {query};\n" for number, query in enumerate(SPELLINGS[spelling]))
    queries = piql.compile(SCHEMA + text).queries
    assert queries["q0"].bound is not None
    assert queries["q0"].bound == queries["q1"].bound


@pytest.mark.parametrize(
    ("key", "marked"), [("n", "n"), ("2", "2"), ("t.u, n", "n"), ("1, m", "m"), ("COUNT(*)", "COUNT(*)")]
)
def test_groups_by_an_aggregate_are_refused_however_it_is_named(key: str, marked: str) -> None:
    text = f"SELECT t.u, COUNT(*) AS n, 1 + MAX(t.id) AS m FROM t WHERE t.g = 1 GROUP BY {key}"
    findings = piql.compile(f"{SCHEMA}CREATE QUERY q AS {text};").diagnostics
    assert [(finding.code, finding.span.text) for finding in findings] == [("aggregate-misuse", marked)]
