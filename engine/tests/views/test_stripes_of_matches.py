"""A match is looked for in the stripes of its group: EXISTS, IN and their opposites over a view with STRIPES."""

from __future__ import annotations

from pathlib import Path

import piql
import pytest

TABLES = """CREATE TABLE likes (post INT, fan VARCHAR(8), PRIMARY KEY (post, fan));
CREATE TABLE posts (id INT PRIMARY KEY, room INT NOT NULL, CARDINALITY LIMIT 5 (room));
CREATE QUERY addLike AS INSERT INTO likes (post, fan) VALUES ([post], [fan]);
"""
VIEW = "CREATE VIEW v AS SELECT post, COUNT(*) AS n FROM likes GROUP BY post"
OF_ONE = "SELECT p.id FROM posts p WHERE p.id = [post]"
OF_ROOM = "SELECT p.id FROM posts p WHERE p.room = [room]"
MATCH = "(SELECT 1 FROM v l WHERE l.post = p.id"


@pytest.mark.parametrize(
    ("query", "most_requests"),
    [
        (f"{OF_ONE} AND EXISTS {MATCH})", 9),
        (f"{OF_ONE} AND NOT EXISTS {MATCH})", 9),
        (f"{OF_ROOM} AND EXISTS {MATCH})", 41),
        (f"{OF_ROOM} AND NOT EXISTS {MATCH})", 41),
        (f"{OF_ROOM} AND EXISTS {MATCH} AND l.n > 0)", 41),
        (f"{OF_ROOM} AND p.id IN (SELECT post FROM v)", 41),
    ],
)
def test_a_match_finds_what_it_finds_without_stripes(tmp_path: Path, query: str, most_requests: int) -> None:
    answers = []
    for stripes in ("", " STRIPES 8"):
        compilation = piql.compile(f"{TABLES}{VIEW}{stripes};CREATE QUERY q AS {query} ORDER BY p.id;")
        bound = compilation.queries["q"].bound
        assert bound is not None, compilation.diagnostics
        assert bound.operations <= most_requests
        with piql.connect(f"embedded:{tmp_path / f'{len(answers)}.db'}?synchronous=NORMAL") as db:
            db.deploy(compilation)
            db.load("posts", [{"id": number, "room": 1} for number in range(4)])
            for number in range(8):
                db.execute("addLike", {"post": number % 2, "fan": f"f{number}"})
            values = {"room": 1} if "[room]" in query else {"post": 1}
            page = db.execute("q", values)
            assert page.operations <= bound.operations
            answers.append(page.rows)
    assert answers[0] == answers[1]
