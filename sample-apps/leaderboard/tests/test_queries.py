"""The queries of the leaderboard keep the bounds that its README promises, and its views are what DuckDB counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import piql
import pytest
from leaderboard.data import NEWEST, TAGS, generate, person, story

READS = {
    "commentsOfStory": ("I", 1, "1"),
    "hottest": ("I", 26, "1 + 25"),
    "leaders": ("I", 8, "8"),
    "leadersOfTag": ("I", 1, "1"),
    "newest": ("I", 51, "1 + 2·25"),
    "person": ("I", 4, "4"),
    "scoreOfTheHour": ("I", 1, "1"),
    "story": ("I", 3, "3"),
}
WRITES = {"addPerson": 2, "addStory": 11, "comment": 14, "removeComment": 12, "takeBackVote": 44, "vote": 64}
COLUMNS: Mapping[str, Mapping[str, str]] = {
    "stories": {"id": "UUID", "tag": "TEXT", "author": "TEXT", "posted": "TIMESTAMP"},
    "votes": {"story": "UUID", "voter": "TEXT", "cast_at": "TIMESTAMP", "points": "INT"},
    "comments": {"story": "UUID", "written": "TIMESTAMP", "author": "TEXT"},
}
VIEWS = {
    "storiesBy": "SELECT author, COUNT(*) AS stories FROM stories GROUP BY author",
    "commentsBy": "SELECT author, COUNT(*) AS comments FROM comments GROUP BY author",
    "commentsOn": "SELECT story, COUNT(*) AS comments FROM comments GROUP BY story",
    "votesOn": "SELECT story, COUNT(*) AS votes, SUM(points) AS points FROM votes GROUP BY story",
    "pointsOf": "SELECT author, COUNT(*) AS votes, SUM(points) AS points FROM votes JOIN stories ON id = story "
    "GROUP BY author",
    "pointsInTag": "SELECT tag, author, COUNT(*) AS votes, SUM(points) AS points FROM votes JOIN stories ON id = story "
    "GROUP BY tag, author",
    "votesOfTheHour": "SELECT story, began, COUNT(*) AS votes, SUM(points) AS points FROM "
    "(SELECT *, time_bucket(INTERVAL 30 MINUTES, cast_at) - half * INTERVAL 30 MINUTES AS began FROM votes, range(2) "
    "AS halves(half)) GROUP BY story, began",
}
ROWS = generate(people=15, stories=20, votes=120, comments=50)
AT = NEWEST + timedelta(minutes=10)


@pytest.fixture
def kind() -> str:
    return "embedded"


@pytest.fixture
def db(kind: str, compilation: piql.Compilation, tmp_path: Path) -> Iterator[piql.Database]:
    with piql.connect(f"{kind}:{tmp_path / 'a.db'}") as db:
        db.deploy(compilation)
        for table, rows in ROWS.items():
            db.load(table, rows)
        yield db


def plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row with its times without a zone, as DuckDB's TIMESTAMP has them."""
    return tuple(value.replace(tzinfo=None) if isinstance(value, datetime) else value for value in row)


def counted(db: piql.Database, select: str) -> list[tuple[Any, ...]]:
    """Return what DuckDB selects from the rows that the tables have now."""
    with duckdb.connect() as duck:
        for table, columns in COLUMNS.items():
            duck.execute(f"CREATE TABLE {table} ({', '.join(f'{name} {of}' for name, of in columns.items())})")
            rows = list(map(plain, db.some_rows(table, tuple(columns), 1_000)))
            duck.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", rows)
        return duck.execute(select).fetchall()


def hold(db: piql.Database) -> None:
    """Fail where a view is not what DuckDB counts."""
    for name, select in VIEWS.items():
        columns = [column.name for column in db.deployment.compilation.tables[name].columns]
        held = sorted(map(plain, db.some_rows(name, columns, 2_000)))
        assert held == sorted(counted(db, f"SELECT {', '.join(columns)} FROM ({select})")), name


def write(db: piql.Database, query: str, **parameters: object) -> None:
    page = db.execute(query, parameters)
    assert page.operations <= WRITES[query]


def test_every_query_compiles_and_stands_here(compilation: piql.Compilation) -> None:
    assert [diagnostic.message for diagnostic in compilation.diagnostics] == []
    assert set(compilation.queries) == READS.keys() | WRITES.keys()


def test_reads_and_writes_keep_their_bounds(compilation: piql.Compilation) -> None:
    for name, query in compilation.queries.items():
        assert query.bound is not None
        if name in READS:
            assert (query.scaling_class, query.bound.operations, query.bound.formula) == READS[name]
        else:
            assert query.bound.operations == WRITES[name]


def test_equal_numbers_give_equal_rows() -> None:
    assert generate(people=15, stories=20, votes=120, comments=50) == ROWS
    assert {name: len(rows) for name, rows in ROWS.items()} == {
        "people": 15,
        "stories": 20,
        "votes": 120,
        "comments": 50,
    }


@pytest.mark.parametrize("kind", ["embedded", "stepwise"])
def test_views_are_what_duckdb_counts_while_people_vote_and_comment(db: piql.Database) -> None:
    hold(db)
    write(db, "addStory", story=story(99), tag=TAGS[1], author=person(9), at=NEWEST, title="New")
    for number in range(6):
        write(db, "vote", story=story(99), voter=person(number), at=AT, points=1)
    write(db, "vote", story=story(99), voter=person(2), at=AT + timedelta(minutes=50), points=-1)  # changes their vote
    write(db, "takeBackVote", story=story(99), voter=person(3))
    write(db, "comment", story=story(99), at=AT, author=person(4), text="Well.")
    write(db, "comment", story=story(0), at=AT, author=person(4), text="Well.")
    write(db, "removeComment", story=story(0), at=AT, author=person(4))
    hold(db)
    (row,) = db.execute("story", {"story": story(99)}).rows
    assert (row["votes"], row["points"], row["comments"]) == (5, 3, 1)
    began = NEWEST  # of the two hours that hold ten past twelve
    assert db.execute("scoreOfTheHour", {"story": story(99), "began": began}).rows == [{"points": 4}]
    assert db.execute("scoreOfTheHour", {"story": story(99), "began": began + timedelta(hours=1)}).rows == [
        {"points": -1}
    ]
    assert [row["story"] for row in db.execute("hottest", {"began": began}).rows][:1] == [story(99)]


def test_the_lists_of_the_largest_are_those_that_duckdb_orders(db: piql.Database) -> None:
    page = db.execute("leaders")
    assert page.operations == 8
    best = counted(db, f"SELECT points FROM ({VIEWS['pointsOf']}) ORDER BY points DESC LIMIT 50")
    assert [(row["points"],) for row in page.rows] == best
    for tag in TAGS[:3]:
        rows = [(row["author"], row["points"]) for row in db.execute("leadersOfTag", {"tag": tag}).rows]
        best = counted(db, f"SELECT author, points FROM ({VIEWS['pointsInTag']}) WHERE tag = '{tag}'")
        assert sorted(rows) == sorted(best)
        assert [points for _, points in rows] == sorted((points for _, points in best), reverse=True)


def test_counters_of_people_and_of_stories_without_votes_are_zero(db: piql.Database) -> None:
    write(db, "addPerson", name="zoe", at=NEWEST)
    (row,) = db.execute("person", {"name": "zoe"}).rows
    assert (row["stories"], row["comments"], row["votes"], row["points"]) == (0, 0, 0, 0)
    write(db, "addStory", story=story(50), tag="law", author="zoe", at=NEWEST, title="New")
    (row,) = db.execute("newest", {"tag": "law"}).rows[:1]
    assert (row["id"], row["points"], row["comments"]) == (story(50), 0, 0)
