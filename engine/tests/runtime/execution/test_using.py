"""JOIN … USING (columns) gives the rows of the ON that says the same, at the same bound."""

from __future__ import annotations

from collections.abc import Iterator

import piql
import pytest

SCHEMA = """
CREATE TABLE t (id INT PRIMARY KEY, u INT, g INT, CARDINALITY LIMIT 20 (g));
CREATE TABLE k (id INT, g INT, v INT, PRIMARY KEY (id, g));
CREATE TABLE m (id INT PRIMARY KEY, w INT);
"""
SPELLINGS = {
    "a star has the columns of USING once, first": (
        "SELECT * FROM t JOIN k USING (g, id) WHERE g = [g]",
        "SELECT t.g, t.id, t.u, k.v FROM t JOIN k ON k.g = t.g AND k.id = t.id WHERE t.g = [g]",
    ),
    "the star of one table has all its columns": (
        "SELECT k.* FROM t JOIN k USING (g, id) WHERE g = [g]",
        "SELECT k.id, k.g, k.v FROM t JOIN k ON k.g = t.g AND k.id = t.id WHERE t.g = [g]",
    ),
    "a name alone means the left side of a LEFT JOIN": (
        "SELECT id, t.g, v FROM t LEFT JOIN k USING (id, g) WHERE g = [g] ORDER BY id",
        "SELECT t.id, t.g, k.v FROM t LEFT JOIN k ON k.id = t.id AND k.g = t.g WHERE t.g = [g] ORDER BY t.id",
    ),
    "the right side keeps its own name": (
        "SELECT k.id AS there FROM t LEFT JOIN k USING (id, g) WHERE g = [g] ORDER BY id",
        "SELECT k.id AS there FROM t LEFT JOIN k ON k.id = t.id AND k.g = t.g WHERE t.g = [g] ORDER BY t.id",
    ),
    "USING behind USING": (
        "SELECT * FROM t JOIN k USING (id, g) LEFT JOIN m USING (id) WHERE g = [g] ORDER BY id",
        "SELECT t.id, t.g, t.u, k.v, m.w FROM t JOIN k ON k.id = t.id AND k.g = t.g LEFT JOIN m ON m.id = t.id"
        " WHERE t.g = [g] ORDER BY t.id",
    ),
    "a derived table": (
        "SELECT id, d.u FROM (SELECT id, u FROM t WHERE g = [g]) d JOIN m USING (id) ORDER BY id",
        "SELECT d.id, d.u FROM (SELECT id, u FROM t WHERE g = [g]) d JOIN m ON m.id = d.id ORDER BY d.id",
    ),
}


@pytest.fixture(scope="module", params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(piql.compile(SCHEMA))
        database.load("t", [{"id": n, "u": n % 5 if n % 5 < 4 else None, "g": n % 2} for n in range(20)])
        database.load("k", [{"id": n, "g": 1, "v": 7 * n} for n in range(0, 20, 3)])
        database.load("m", [{"id": n, "w": -n} for n in range(0, 20, 2)] + [{"id": 9, "w": 1}])
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


def errors(query: str, schema: str = SCHEMA) -> list[tuple[str, str]]:
    compilation = piql.compile(f"{schema}CREATE QUERY q AS {query};")
    return [(finding.code, finding.span.text) for finding in compilation.diagnostics if finding.severity == "error"]


def test_a_new_column_of_both_tables_makes_a_name_ambiguous_again() -> None:
    query = "SELECT id, v FROM t JOIN k USING (id, g) WHERE g = 1"
    assert errors(query) == []
    assert errors(query, SCHEMA.replace("u INT", "u INT, v INT")) == [("ambiguous-column", "v")]


@pytest.mark.parametrize(
    ("source", "code", "marked"),
    [
        ("t JOIN k USING (nothing)", "unknown-column", "nothing"),
        ("t JOIN k USING (v)", "unknown-column", "v"),
        ("t JOIN k USING (u)", "unknown-column", "u"),
        ("t JOIN m ON m.id = t.u JOIN k USING (id)", "ambiguous-column", "id"),
        ("t JOIN k USING id", "syntax-error", "id"),
        ("t JOIN k USING ()", "syntax-error", ")"),
        ("t JOIN k USING (id) ON k.id = t.id", "syntax-error", "ON"),
        ("t CROSS JOIN k USING (id)", "syntax-error", "USING"),
    ],
)
def test_a_wrong_using_is_marked_where_it_is_wrong(source: str, code: str, marked: str) -> None:
    assert errors(f"SELECT t.u FROM {source} WHERE t.g = 1") == [(code, marked)]


@pytest.mark.parametrize("join", ["NATURAL JOIN", "NATURAL LEFT OUTER JOIN", "NATURAL INNER JOIN"])
def test_the_fix_of_a_natural_join_writes_using(join: str) -> None:
    text = f"{SCHEMA}CREATE QUERY q AS SELECT id FROM t {join} k WHERE g = 1;"
    (finding,) = [finding for finding in piql.compile(text).diagnostics if finding.severity == "error"]
    assert (finding.code, finding.span.text) == ("not-in-piql", "NATURAL")
    (fix,) = finding.fixes
    for edit in sorted(fix.edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    assert f"FROM t {join.removeprefix('NATURAL ')} k USING (id, g) WHERE" in text
    assert not piql.compile(text).has_errors


def test_natural_without_a_common_column_has_no_fix() -> None:
    compilation = piql.compile(
        f"{SCHEMA}CREATE QUERY q AS SELECT u FROM t NATURAL JOIN (SELECT w FROM m) d WHERE g = 1;"
    )
    assert [finding.fixes for finding in compilation.diagnostics if finding.code == "not-in-piql"] == [()]
