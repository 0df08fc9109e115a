"""Pages: all of them together are the whole result, each row once, each page within the bound."""

from __future__ import annotations

from collections.abc import Iterator

import piql
import pytest

SCHEMA = """CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20) NULL);
CREATE TABLE follows (
  owner VARCHAR(20) REFERENCES users, target VARCHAR(20) REFERENCES users,
  PRIMARY KEY (owner, target), CARDINALITY LIMIT 5 (owner)
);
CREATE TABLE posts (author VARCHAR(20) REFERENCES users, day INT, mood VARCHAR(10) NULL, PRIMARY KEY (author, day));
"""
NAMES = ["ann", "bob", "cid", "dan"]
USERS = [{"name": name, "town": town} for name, town in zip(NAMES, ["x", None, "x", "y"], strict=True)]
FOLLOWS = [{"owner": "ann", "target": target} for target in NAMES[1:]] + [{"owner": "bob", "target": "ann"}]
POSTS = [
    {"author": name, "day": day, "mood": (None, "glad", "sad")[(number + day) % 3]}
    for number, name in enumerate(NAMES)
    for day in range(6)
]
QUERIES = {
    "a join without an order": "SELECT f.target, p.day FROM follows f JOIN posts p ON p.author = f.target "
    "WHERE f.owner = 'ann'",
    "a join of a scan without an order": "SELECT p.day, u.town FROM posts p JOIN users u ON u.name = p.author",
    "a self join without an order": "SELECT p.day, q.day AS other FROM posts p JOIN posts q ON q.author = p.author "
    "WHERE p.author = 'ann' AND p.day = 3",
    "two joins without an order": "SELECT f.owner, g.target, p.day FROM follows f JOIN follows g ON g.owner = f.target "
    "JOIN posts p ON p.author = g.target WHERE f.owner = 'ann'",
    "a left join without an order": "SELECT f.target, g.target AS next FROM follows f "
    "LEFT JOIN follows g ON g.owner = f.target WHERE f.owner = 'ann'",
    "equal rows of one branch": "SELECT town AS word FROM users UNION ALL SELECT mood AS word FROM posts",
    "equal rows in an order": "SELECT town AS word FROM users UNION ALL SELECT mood AS word FROM posts ORDER BY word",
    "the same rows in both branches": "SELECT name FROM users UNION ALL SELECT name FROM users ORDER BY name DESC",
    "a union of two owners": "SELECT author, day FROM posts WHERE author = 'ann' "
    "UNION SELECT author, day FROM posts WHERE author = 'bob' ORDER BY day DESC",
    "a union of overlapping ranges": "SELECT day, author, mood FROM posts WHERE author = 'ann' AND day > 1 "
    "UNION SELECT day, author, mood FROM posts WHERE author = 'ann' AND day < 4 ORDER BY day",
    "a union of branches that differ in other columns": "SELECT day, mood, author FROM posts WHERE author = 'ann' "
    "UNION SELECT day, mood, author FROM posts WHERE mood = 'glad' ORDER BY mood DESC",
    "a union with a join": "SELECT f.target AS who, p.day FROM follows f JOIN posts p ON p.author = f.target "
    "WHERE f.owner = 'ann' UNION ALL SELECT author AS who, day FROM posts WHERE author = 'ann' ORDER BY day DESC",
    "rows with the sums of their matches": "SELECT u.name, "
    "(SELECT COUNT(*) FROM follows f WHERE f.owner = u.name) AS n,"
    " (SELECT MAX(f.target) FROM follows f WHERE f.owner = u.name) AS last FROM users u ORDER BY u.name DESC",
    "an order by the sums of matches": "SELECT u.name, (SELECT COUNT(1) FROM follows f WHERE f.owner = u.name) AS n "
    "FROM users u WHERE u.name IN ('ann', 'bob', 'cid', 'dan') ORDER BY n DESC",
}


@pytest.fixture(scope="module")
def db() -> Iterator[piql.Database]:
    texts = [
        f"CREATE QUERY q{number}_{size} AS {query} PAGINATE {size};"
        for number, query in enumerate(QUERIES.values())
        for size in (1, 2, 3, 7, 200)
    ]
    compilation = piql.compile(SCHEMA + "\n".join(texts))
    assert not compilation.has_errors, [diagnostic.message for diagnostic in compilation.diagnostics]
    with piql.connect("embedded:") as database:
        database.deploy(compilation)
        for table, rows in (("users", USERS), ("follows", FOLLOWS), ("posts", POSTS)):
            database.load(table, rows)
        yield database


def pages(db: piql.Database, name: str, size: int, strategy: str, bound: int) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    cursor = None
    while True:
        page = db.execute(name, cursor=cursor, strategy=strategy)  # type: ignore[arg-type]
        assert page.operations <= bound
        assert (page.cursor is None) == (len(page.rows) < size)
        rows += [tuple(row.values()) for row in page.rows]
        cursor = page.cursor
        if cursor is None:
            return rows


@pytest.mark.parametrize("strategy", ["parallel", "simple", "lazy"])
@pytest.mark.parametrize("title", QUERIES)
def test_pages_of_any_size_give_the_rows_of_one_page(db: piql.Database, title: str, strategy: str) -> None:
    number = list(QUERIES).index(title)
    bounds = {
        size: piql.compile(f"{SCHEMA}CREATE QUERY q AS {QUERIES[title]} PAGINATE {size};").queries["q"].bound
        for size in (1, 2, 3, 7, 200)
    }
    whole = [tuple(row.values()) for row in db.execute(f"q{number}_200").rows]
    assert len(whole) > 1
    for size in (1, 2, 3, 7):
        bound = bounds[size]
        assert bound is not None
        rows = pages(db, f"q{number}_{size}", size, strategy, bound.operations)
        if "ORDER BY" in QUERIES[title]:
            assert rows == whole
        else:
            assert sorted(map(repr, rows)) == sorted(map(repr, whole))


def test_a_union_of_all_gives_equal_rows_as_often_as_they_are_there(db: piql.Database) -> None:
    number = list(QUERIES).index("equal rows in an order")
    words = [row["word"] for row in db.execute(f"q{number}_200").rows]
    expected = [row["town"] for row in USERS] + [row["mood"] for row in POSTS]
    assert words == sorted(expected, key=lambda word: (word is not None, word or ""))


def test_the_matches_of_each_row_are_summed_up(db: piql.Database) -> None:
    number = list(QUERIES).index("rows with the sums of their matches")
    rows = [tuple(row.values()) for row in db.execute(f"q{number}_200").rows]
    assert rows == [("dan", 0, None), ("cid", 0, None), ("bob", 1, "ann"), ("ann", 3, "dan")]


def test_rows_are_ordered_by_the_sums_of_their_matches(db: piql.Database) -> None:
    number = list(QUERIES).index("an order by the sums of matches")
    rows = [tuple(row.values()) for row in db.execute(f"q{number}_200").rows]
    assert rows == [("ann", 3), ("bob", 1), ("dan", 0), ("cid", 0)]


def test_a_page_of_a_union_reads_no_more_than_the_page_from_each_branch() -> None:
    bound = (
        piql.compile(f"{SCHEMA}CREATE QUERY q AS {QUERIES['a union of two owners']} PAGINATE 10;").queries["q"].bound
    )
    assert bound is not None
    assert (bound.operations, bound.round_trips, bound.rows) == (2, 1, 10)
