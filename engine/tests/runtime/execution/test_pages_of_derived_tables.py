"""Pages of a derived table: the key that it shows, with columns that are fixed, tells its rows apart."""

from __future__ import annotations

import piql
import pytest

SCHEMA = """
CREATE TABLE posts (owner VARCHAR(9), posted INT, text VARCHAR(9), PRIMARY KEY (owner, posted));
CREATE TABLE votes (post INT, voter INT, up BOOLEAN, PRIMARY KEY (post, voter), CARDINALITY LIMIT 9 (post));
"""
POSTS = [{"owner": "ada", "posted": posted, "text": text} for posted, text in enumerate(("b", "a", "b", None, "a"))]
VOTES = [{"post": post, "voter": voter, "up": voter % 2 == 0} for post in (1, 2, 3) for voter in range(post)]


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        (
            "SELECT d.text, d.posted FROM (SELECT text, posted FROM posts WHERE owner = 'ada' ORDER BY posted DESC "
            "LIMIT 4) d ORDER BY d.text PAGINATE 2",
            [(None, 3), ("a", 1), ("a", 4), ("b", 2)],
        ),
        (
            "SELECT d.post, d.n FROM (SELECT post, COUNT(*) AS n FROM votes WHERE post IN (1, 2, 3) AND up = TRUE "
            "GROUP BY post) d ORDER BY d.n DESC PAGINATE 1",
            [(3, 2), (2, 1), (1, 1)],
        ),
    ],
)
def test_pages_go_through_all_rows_once(query: str, rows: list[tuple[object, ...]]) -> None:
    compilation = piql.compile(f"{SCHEMA}CREATE QUERY q AS {query};")
    assert [diagnostic.message for diagnostic in compilation.diagnostics if diagnostic.severity == "error"] == []
    rows_of_pages: list[tuple[object, ...]] = []
    with piql.connect("embedded:") as db:
        db.deploy(compilation)
        db.load("posts", POSTS)
        db.load("votes", VOTES)
        page = db.execute("q")
        rows_of_pages.extend(tuple(row.values()) for row in page.rows)
        while page.cursor is not None:
            page = db.execute("q", cursor=page.cursor)
            rows_of_pages.extend(tuple(row.values()) for row in page.rows)
    assert rows_of_pages == rows


def test_rows_without_what_tells_them_apart_have_no_pages() -> None:
    inner = "SELECT text, posted FROM posts WHERE owner = 'ada' ORDER BY posted LIMIT 4"
    query = f"CREATE QUERY q AS SELECT d.text FROM ({inner}) d ORDER BY d.text PAGINATE 2;"
    assert piql.compile(SCHEMA + query).queries["q"].is_bounded
    diagnostics = piql.compile(SCHEMA + query.replace("text, posted FROM", "text FROM")).diagnostics
    assert "indistinct-page" in [diagnostic.code for diagnostic in diagnostics]
