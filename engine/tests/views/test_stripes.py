"""Stripes of a view: a group of several rows, of which a write changes one and a read adds up all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import piql
import pytest
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.printer import print_file
from piql.schema.view_stripes import ViewStripes
from piql.text.source import Source
from promises import broken_promises

TABLE = """CREATE TABLE likes (post INT, fan VARCHAR(8), stars INT, PRIMARY KEY (post, fan));
CREATE TABLE posts (id INT PRIMARY KEY, title VARCHAR(16));
"""
VIEW = """CREATE VIEW likesOfPost AS
SELECT post, COUNT(*) AS n, COUNT(stars) AS rated, SUM(stars) AS stars
FROM likes
GROUP BY post
STRIPES 8;
"""
QUERIES = """
CREATE QUERY addLike AS INSERT INTO likes (post, fan, stars) VALUES ([post], [fan], [stars]);
CREATE QUERY unlike AS DELETE FROM likes WHERE post = [post] AND fan = [fan];
CREATE QUERY total AS SELECT SUM(n) AS n, SUM(stars) AS stars FROM likesOfPost WHERE post = [post];
CREATE QUERY some AS SELECT post, SUM(n) AS n FROM likesOfPost WHERE post IN [posts] MAX 3 GROUP BY post;
CREATE QUERY titled AS
SELECT SUM(l.n) AS n FROM posts p JOIN likesOfPost l ON l.post = p.id WHERE p.id = [post];
CREATE QUERY oneOf AS SELECT n FROM likesOfPost WHERE post = [post] AND stripe = [stripe];
"""


@pytest.fixture
def db(tmp_path: Path) -> Iterator[piql.Database]:
    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as db:
        db.deploy(piql.compile(TABLE + VIEW + QUERIES))
        yield db


def test_a_write_touches_one_stripe_and_a_read_all_of_them(db: piql.Database) -> None:
    queries = db.deployment.compilation.queries
    bounds = {name: query.bound.operations for name, query in queries.items() if query.bound is not None}
    plain = piql.compile(TABLE + VIEW.replace("\nSTRIPES 8", "") + QUERIES.partition("CREATE QUERY some")[0])
    of_plain = {name: query.bound.operations for name, query in plain.queries.items() if query.bound is not None}
    assert {name: bounds[name] for name in ("addLike", "unlike")} == {
        name: of_plain[name] for name in ("addLike", "unlike")
    }
    assert (bounds["total"], bounds["some"], bounds["oneOf"], of_plain["total"]) == (8, 24, 1, 1)
    assert bounds["titled"] <= 9
    assert any("one of the 8 stripes" in term.reason for term in queries["addLike"].bound.terms)  # type: ignore[union-attr]
    assert queries["total"].bound.round_trips == 1  # type: ignore[union-attr]
    for number in range(60):
        page = db.execute("addLike", {"post": number % 2, "fan": f"f{number}", "stars": number % 3 or None})
        assert page.operations <= 4
    page = db.execute("total", {"post": 0})
    assert page.rows == [{"n": 30, "stars": 30}]
    assert page.operations <= 8
    assert db.execute("some", {"posts": [0, 1, 5]}).rows == [{"post": 0, "n": 30}, {"post": 1, "n": 30}]
    db.execute("unlike", {"post": 0, "fan": "f2"})
    assert db.execute("total", {"post": 0}).rows == [{"n": 29, "stars": 28}]
    stripes = [row[1] for row in db.some_rows("likesOfPost", ("post", "stripe"), 100) if row[0] == 0]
    assert len(stripes) > 4  # 29 fans
    assert broken_promises(db) == []


def test_a_join_reads_all_stripes(db: piql.Database) -> None:
    db.load("posts", [{"id": 1, "title": "a"}])
    for number in range(20):
        db.execute("addLike", {"post": 1, "fan": f"f{number}", "stars": None})
    page = db.execute("titled", {"post": 1})
    assert page.rows == [{"n": 20}]
    assert page.operations <= db.deployment.compilation.queries["titled"].bound.operations  # type: ignore[union-attr]


def test_the_largest_are_no_stripes_and_hot_ones_are_spread_by_buckets() -> None:
    best = "CREATE QUERY best AS SELECT post, SUM(n) AS n FROM likesOfPost GROUP BY post ORDER BY SUM(n) DESC LIMIT 3;"
    compilation = piql.compile(TABLE + VIEW + best)
    assert compilation.queries["best"].bound is None  # nothing says how many posts there are
    spread = (
        VIEW.replace("\nSTRIPES 8", "")
        + "CREATE INDEX byLikes ON likesOfPost (n DESC) BUCKETS 4;\n"
        + "CREATE QUERY best AS SELECT post, n FROM likesOfPost ORDER BY n DESC LIMIT 3;"
    )
    bound = piql.compile(TABLE + spread).queries["best"].bound
    assert bound is not None
    assert bound.operations == 4


@pytest.mark.parametrize(
    ("view", "message", "way_out"),
    [
        ("SELECT post, COUNT(*) AS n FROM likes GROUP BY post STRIPES 1", "1 stripes", "from 2 to 256"),
        ("SELECT post, COUNT(*) AS n FROM likes GROUP BY post STRIPES 257", "257 stripes", "from 2 to 256"),
        ("SELECT post, COUNT(*) AS n FROM likes GROUP BY post STRIPES 0", "must be at least 1", ""),
        ("SELECT post, COUNT(*) AS stripe FROM likes GROUP BY post STRIPES 2", "two columns called stripe", "AS"),
        (
            "SELECT post, COUNT(*) AS n, COUNT(stars) AS c, SUM(stars) AS s, AVG(stars) AS a FROM likes GROUP BY post "
            "STRIPES 2",
            "do not add up",
            "divide",
        ),
    ],
)
def test_stripes_that_are_refused_say_why(view: str, message: str, way_out: str) -> None:
    (finding, *_) = piql.compile(TABLE + f"CREATE VIEW v AS {view};").diagnostics
    assert message in finding.message
    assert way_out in " ".join(finding.help)


def test_stripes_are_even_and_the_same_for_equal_keys() -> None:
    stripes = ViewStripes(8, ("id",))
    counted = Counter(stripes.stripe_of((number, "a")) for number in range(8_000))
    assert set(counted) == set(range(8))
    assert max(counted.values()) < 1_300
    assert stripes.stripe_of((Decimal("1.50"),)) == stripes.stripe_of((Decimal("1.5"),))
    assert stripes.stripe_of((0.0,)) == stripes.stripe_of((-0.0,))
    assert stripes.stripe_of((datetime(2024, 1, 1, tzinfo=UTC), b"\x00", None)) in range(8)


def test_another_number_of_stripes_is_a_view_of_another_name(db: piql.Database) -> None:
    for number in range(20):
        db.execute("addLike", {"post": 1, "fan": f"f{number}", "stars": 1})
    with pytest.raises(piql.PiqlError, match="likesOfPost"):
        db.deploy(piql.compile(TABLE + VIEW.replace("STRIPES 8", "STRIPES 16") + QUERIES))
    more = (VIEW + QUERIES).replace("likesOfPost", "likesOfPost16").replace("STRIPES 8", "STRIPES 16")
    db.deploy(piql.compile(TABLE + more))
    assert db.execute("total", {"post": 1}).rows == [{"n": 20, "stars": 20}]
    assert db.deployment.compilation.queries["total"].bound.operations == 16  # type: ignore[union-attr]
    assert broken_promises(db) == []


def test_a_refused_count_reads_the_stripes_that_are_declared() -> None:
    text = TABLE + VIEW + "CREATE QUERY q AS SELECT COUNT(*) AS n FROM likes WHERE post = [post];"
    fixes = [fix for finding in piql.compile({"a": text}).diagnostics for fix in finding.fixes]
    fix = next(fix for fix in fixes if "likesOfPost" in fix.title)
    for edit in sorted(fix.edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    bound = piql.compile({"a": text}).queries["q"].bound
    assert bound is not None
    assert bound.operations == 8
    grouped = TABLE + VIEW + "CREATE QUERY q AS SELECT post, COUNT(*) AS n FROM likes WHERE post = [p] GROUP BY post;"
    fixes = [fix for finding in piql.compile({"a": grouped}).diagnostics for fix in finding.fixes]
    assert not any("Read the view likesOfPost " in fix.title for fix in fixes)


def test_the_clause_is_formatted() -> None:
    assert print_file(parse(Source(VIEW.replace("\n", " ").lower().replace("likesofpost", "likesOfPost"), "a"))) == VIEW
