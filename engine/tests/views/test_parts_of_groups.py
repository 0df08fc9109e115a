"""A query that takes the stripes of a view for its groups is warned of, and its fix gives what the groups have."""

from __future__ import annotations

from pathlib import Path

import piql
import pytest

TABLES = """CREATE TABLE likes (post INT, fan VARCHAR(8), stars INT, PRIMARY KEY (post, fan));
CREATE TABLE posts (id INT PRIMARY KEY, room INT NOT NULL, title VARCHAR(16), CARDINALITY LIMIT 50 (room));
"""
VIEW = """CREATE VIEW likesOfPost AS
SELECT post, COUNT(*) AS n, COUNT(stars) AS rated, SUM(stars) AS stars FROM likes GROUP BY post STRIPES 8;
"""
ROOM = "FROM posts p LEFT JOIN likesOfPost l ON l.post = p.id WHERE p.room = [room]"


def findings_of(query: str) -> list[piql.Diagnostic]:
    text = f"{TABLES}{VIEW}CREATE QUERY q AS {query};"
    return [finding for finding in piql.compile(text).diagnostics if finding.code == "parts-of-groups"]


@pytest.mark.parametrize(
    ("query", "at", "way_out"),
    [
        ("SELECT n FROM likesOfPost WHERE post = [post]", "n", "SUM"),
        ("SELECT * FROM likesOfPost WHERE post = [post]", "*", "SUM"),
        (f"SELECT p.title, l.n {ROOM}", "l.n", "SUM"),
        ("SELECT post FROM likesOfPost WHERE post = [post]", "likesOfPost", "DISTINCT"),
        ("SELECT COUNT(*) AS c FROM likesOfPost WHERE post IN [posts] MAX 5", "COUNT(*)", "SUM"),
        ("SELECT MAX(n) AS c FROM likesOfPost WHERE post = [post]", "MAX(n)", "SUM"),
        ("SELECT SUM(DISTINCT n) AS c FROM likesOfPost WHERE post = [post]", "SUM(DISTINCT n)", "SUM"),
        (f"SELECT SUM(p.id) AS c {ROOM}", "SUM(p.id)", "SUM"),
        ("SELECT SUM(n) AS n FROM likesOfPost WHERE post = [post] AND stars > 3", "stars", "SUM"),
        ("SELECT DISTINCT n FROM likesOfPost WHERE post = [post]", "n", "SUM"),
        (
            "WITH x (a) AS (SELECT post FROM likesOfPost WHERE post IN [posts] MAX 5) SELECT a FROM x",
            "likesOfPost",
            "DISTINCT",
        ),
        (
            "SELECT COUNT(*) AS c FROM (SELECT post FROM likesOfPost WHERE post IN [posts] MAX 5) x",
            "likesOfPost",
            "DISTINCT",
        ),
        *(
            (f"SELECT {aggregate} AS c FROM likesOfPost WHERE post IN [posts] MAX 5", aggregate, "SUM")
            for aggregate in (
                "SUM(n + 1)",
                "SUM(n + post)",
                "SUM(n * n)",
                "SUM(post / n)",
                "SUM(n + stars)",
                "SUM(COALESCE(stars, 1))",
                "SUM(CASE WHEN n > 2 THEN n END)",
                "SUM(CASE WHEN post > 2 THEN n ELSE 1 END)",
                "SUM(n) FILTER (WHERE n > 2)",
                "SUM(ROUND(n / 3))",
                "COUNT(DISTINCT n)",
                "AVG(DISTINCT n)",
            )
        ),
        (f"SELECT p.title {ROOM} AND l.stars IS NULL", "l.stars", "SUM"),
        (f"SELECT p.title {ROOM} AND NOT l.n IS NULL", "likesOfPost l", "DISTINCT"),
        (f"SELECT p.title {ROOM.replace('WHERE', 'AND l.n IS NULL WHERE')}", "likesOfPost l", "DISTINCT"),
        (
            "SELECT post, SUM(n) AS n FROM likesOfPost WHERE post IN [posts] MAX 5 GROUP BY post HAVING COUNT(*) > 1",
            "COUNT(*)",
            "SUM",
        ),
        (
            "SELECT post, COUNT(*) AS c FROM likesOfPost WHERE post IN [posts] MAX 5 GROUP BY post HAVING COUNT(*) > 0",
            "COUNT(*)",
            "SUM",
        ),
        *(
            (f"SELECT {outer} FROM (SELECT {inner} FROM likesOfPost WHERE post = [post]{rest}) x", at, way_out)
            for inner, outer, rest, at, way_out in (
                ("n", "MAX(x.n) AS c", "", "n", "SUM"),
                ("n", "x.n", "", "n", "SUM"),
                ("n", "COUNT(*) AS c", "", "n", "SUM"),
                ("n", "SUM(x.n + 1) AS c", "", "n", "SUM"),
                ("n + 1 AS n", "SUM(x.n) AS c", "", "n", "SUM"),
                ("n", "SUM(x.n) AS c", " AND n > 2", "n", "SUM"),
                ("n", "SUM(x.n) AS c", " LIMIT 3", "n", "SUM"),
                ("stars", "SUM(COALESCE(x.stars, 1)) AS c", "", "stars", "SUM"),
            )
        ),
        (
            "SELECT SUM(a.n + b.n) AS c FROM likesOfPost a JOIN likesOfPost b ON b.post = a.post WHERE a.post = [post]",
            "SUM(a.n + b.n)",
            "SUM",
        ),
        (
            "SELECT post FROM likesOfPost WHERE post = [post] UNION ALL SELECT id FROM posts WHERE id = [post]",
            "likesOfPost",
            "DISTINCT",
        ),
    ],
)
def test_parts_are_told_where_they_are_read(query: str, at: str, way_out: str) -> None:
    (finding,) = findings_of(query)
    assert (finding.severity, finding.span.text) == ("warning", at)
    assert "up to 8 rows" in finding.message
    assert way_out in finding.help[0]


OF_ONE = "(SELECT post, n, stars, rated FROM likesOfPost WHERE post IN [posts] MAX 5)"
SAME = [
    f"SELECT p.title {ROOM} AND l.n IS NULL",
    f"SELECT p.title, l.n {ROOM} AND p.id > 0 AND l.n IS NULL",
    f"SELECT DISTINCT p.title {ROOM} AND NOT l.n IS NULL",
    f"SELECT SUM(x.n) AS n FROM {OF_ONE} x",
    f"SELECT x.post, SUM(x.n * 2 - x.rated) AS n FROM {OF_ONE} x GROUP BY x.post ORDER BY x.post",
    "SELECT p.title, SUM(x.m) AS n FROM posts p JOIN (SELECT post, n + rated AS m FROM likesOfPost "
    "WHERE post IN [posts] MAX 5) x ON x.post = p.id GROUP BY p.id ORDER BY p.id",
    "SELECT post, SUM(n) AS n FROM likesOfPost WHERE post IN [posts] MAX 5 GROUP BY post "
    "HAVING COUNT(*) > 0 AND 1 <= COUNT(n) ORDER BY post",
    f"SELECT p.title, SUM(l.n) AS n {ROOM} GROUP BY p.id HAVING COUNT(l.stars) = 0 ORDER BY p.id",
]
"""Queries that give of stripes what they give of groups."""


@pytest.mark.parametrize(
    "query",
    [
        *SAME,
        "SELECT SUM(n) AS n FROM likesOfPost WHERE post = [post]",
        "SELECT post, SUM(n) AS n FROM likesOfPost WHERE post IN [posts] MAX 5 GROUP BY post HAVING SUM(n) > 3",
        "SELECT SUM(stars) / SUM(rated) AS mean FROM likesOfPost WHERE post = [post]",
        *(
            f"SELECT {aggregate} AS c FROM likesOfPost WHERE post IN [posts] MAX 5"
            for aggregate in (
                "SUM(-n)",
                "SUM(n - rated)",
                "SUM(2 * n + rated * post)",
                "SUM(n / 2)",
                "SUM(COALESCE(stars, 0) + n)",
                "SUM(CASE WHEN post > 2 THEN n ELSE 0 END)",
                "SUM(n) FILTER (WHERE post > 2)",
                "SUM(CAST(n AS DOUBLE))",
                "SUM(DISTINCT post)",
                "COUNT(DISTINCT post)",
            )
        ),
        "SELECT SUM(a.n * b.n) AS c FROM likesOfPost a JOIN likesOfPost b ON b.post = a.post WHERE a.post = [post]",
        "SELECT post FROM likesOfPost WHERE post = [post] UNION SELECT id FROM posts WHERE id = [post]",
        "SELECT stripe, n FROM likesOfPost WHERE post = [post]",
        "SELECT n FROM likesOfPost WHERE post = [post] AND stripe = [stripe]",
        "SELECT DISTINCT post FROM likesOfPost WHERE post = [post]",
        f"SELECT p.title, SUM(l.n) AS n {ROOM} GROUP BY p.id",
        f"SELECT MAX(p.title) AS title {ROOM}",
        "SELECT title FROM posts WHERE id IN (SELECT post FROM likesOfPost WHERE post = [post])",
        "SELECT title FROM posts WHERE id IN (SELECT x.post FROM (SELECT post FROM likesOfPost WHERE post = [post]) x)",
        "SELECT DISTINCT x.post FROM (SELECT post FROM likesOfPost WHERE post = [post]) x",
        "SELECT p.title, (SELECT SUM(n) FROM likesOfPost l WHERE l.post = p.id) AS n FROM posts p WHERE p.id = [post]",
    ],
)
def test_what_adds_up_or_means_the_parts_is_not_warned_of(query: str) -> None:
    assert findings_of(query) == []


@pytest.mark.parametrize(
    "query",
    [
        "SELECT post FROM likesOfPost WHERE post IN [posts] MAX 5 AND n > 3",
        f"SELECT p.title, l.n {ROOM.replace('WHERE', 'AND l.n > 2 WHERE')}",
        "SELECT a.n, b.n AS m FROM likesOfPost a JOIN likesOfPost b ON b.post = a.post WHERE a.post = [post]",
    ],
)
def test_no_fix_is_offered_that_leaves_the_parts_somewhere(query: str) -> None:
    (finding,) = findings_of(query)
    assert finding.fixes == ()


def test_no_fix_asks_for_one_stripe() -> None:
    query = "SELECT post, n FROM likesOfPost ORDER BY post LIMIT 3"
    compilation = piql.compile(f"{TABLES}{VIEW}CREATE QUERY q AS {query};")
    edits = [edit.text for finding in compilation.diagnostics for fix in finding.fixes for edit in fix.edits]
    assert any("post = [post]" in text for text in edits)
    assert not any("[stripe]" in text for text in edits)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT n FROM likesOfPost WHERE post = [post]",
        "SELECT L.N FROM likesOfPost AS L WHERE L.POST = [post]",
        "SELECT stars AS sum, post, n FROM likesOfPost WHERE post IN [posts] MAX 5",
        "SELECT * FROM likesOfPost WHERE post IN [posts] MAX 5 ORDER BY post DESC LIMIT 2",
        "SELECT post FROM likesOfPost WHERE post = [post]",
        f"SELECT p.title, l.n {ROOM} ORDER BY p.id",
        f"SELECT p.*, l.n {ROOM} ORDER BY p.id",
        f"SELECT l.*, p.id AS own {ROOM} ORDER BY p.id",
        f"SELECT p.title, COALESCE(l.n, 0) + 1 AS n, UPPER(p.title) AS loud {ROOM} ORDER BY p.id",
        f"SELECT p.title, l.n {ROOM} ORDER BY l.n DESC, p.id",
        "SELECT post, n AS likes FROM likesOfPost WHERE post IN [posts] MAX 5 ORDER BY stars, likes, post",
    ],
)
def test_the_fix_gives_what_the_groups_have(tmp_path: Path, query: str) -> None:
    (finding,) = findings_of(query)
    (fix,) = finding.fixes
    text = f"{TABLES}{VIEW}CREATE QUERY q AS {query};"
    for edit in sorted(fix.edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    compare_with_groups(tmp_path, query, text)


@pytest.mark.parametrize("query", SAME)
def test_what_is_not_warned_of_gives_what_the_groups_give(tmp_path: Path, query: str) -> None:
    compare_with_groups(tmp_path, query, f"{TABLES}{VIEW}CREATE QUERY q AS {query};")


def compare_with_groups(tmp_path: Path, query: str, text: str) -> None:
    """Fail where a text with stripes gives other rows than its query gives of groups without any, or none."""
    plain = f"{TABLES}{VIEW}CREATE QUERY q AS {query};".replace(" STRIPES 8", "")
    rows = []
    for name, schema in (("stripes", text), ("plain", plain)):
        add = "CREATE QUERY add AS INSERT INTO likes (post, fan, stars) VALUES ([post], [fan], [stars]);"
        with piql.connect(f"embedded:{tmp_path / name}.db?synchronous=NORMAL") as db:
            db.deploy(piql.compile(schema + add))
            # Two posts have one title: they stay apart.
            db.load("posts", [{"id": number, "room": 1, "title": f"t{number // 2}"} for number in range(4)])
            for number in range(30):
                stars = number % 4 or None if number % 3 else None
                db.execute("add", {"post": number % 3, "fan": f"f{number}", "stars": stars})
            values = {"post": 1, "posts": [0, 1, 2, 9], "room": 1}
            names = {parameter.name for parameter in db.deployment.compilation.queries["q"].parameters}
            rows.append(db.execute("q", {name: values[name] for name in names}).rows)
    assert rows[0] == rows[1]
    assert rows[0]
