"""How full the groups of each limit are: counted by one walk, with its cost said before, and stopped on demand."""

import piql
import pytest
from piql.client.group_levels import GroupLevel, all_levels, levels_of, roomy_limit, rows_that_share, walk_cost
from piql.client.raised_limit import bounds_with_limit, limit_named, texts_with_limit
from piql.errors import InvalidParameter
from piql.schema.catalog import CardinalityLimit

SCHEMA = """
CREATE TABLE users (name VARCHAR(20) PRIMARY KEY);
CREATE TABLE posts (
  author VARCHAR(20) NULL REFERENCES users, id INT PRIMARY KEY, body VARCHAR(60) NULL,
  CARDINALITY LIMIT 20 (author), CARDINALITY LIMIT 4 (TOKEN(body)));
CREATE QUERY theirPosts AS SELECT id, body FROM posts WHERE author = [1: author];
CREATE QUERY one AS SELECT body FROM posts WHERE id = [1: id];
"""


@pytest.fixture(params=["embedded:", "stepwise:"])
def db(request: pytest.FixtureRequest) -> piql.Database:
    db = piql.connect(request.param)
    db.deploy(piql.compile(SCHEMA))
    db.load("users", [{"name": name} for name in "abc"])
    numbers = {"a": 20, "b": 16, "c": 1}
    authors = [name for name, count in numbers.items() for _ in range(count)]
    rows = [{"author": author, "id": at, "body": "Red sea" if at < 3 else None} for at, author in enumerate(authors)]
    db.load("posts", [*rows, {"author": None, "id": 99, "body": "red"}])
    return db


def test_groups_are_counted_by_limit(db: piql.Database) -> None:
    told: list[tuple[str, int, int]] = []
    by_author, by_word = all_levels(db, lambda *state: told.append(state))
    assert told == [("posts", 38, 1)]
    assert (by_author.groups, by_author.nearly_full, by_author.full) == (3, 2, 1)
    assert by_author.histogram == (1, 0, 0, 0, 0, 0, 0, 1, 0, 1)
    assert by_author.fullest == (GroupLevel(("a",), 20), GroupLevel(("b",), 16), GroupLevel(("c",), 1))
    assert (by_word.groups, by_word.full) == (2, 1)
    assert by_word.fullest[0] == GroupLevel(("red",), 4)
    assert by_author.is_complete


def test_the_cost_is_known_before_and_tables_without_limits_are_not_read(db: piql.Database) -> None:
    cost = walk_cost(db)
    assert cost.requests == 1
    assert cost.rows in (0, 38)  # some stores cannot tell quickly


def test_a_walk_stops_behind_a_request_and_says_so(db: piql.Database) -> None:
    assert [level.is_complete for level in all_levels(db, stop=lambda: True)] == [False, False]
    assert [level.groups for level in all_levels(db, stop=lambda: True)] == [0, 0]


def test_each_group_stands_in_one_bin_whatever_the_limit() -> None:
    for most in (1, 3, 7, 10, 11, 100):
        limit = CardinalityLimit(most, ("a",))
        counts = {(rows,): rows for rows in range(1, most + 1)}
        levels = levels_of("t", limit, counts, is_complete=True)
        assert sum(levels.histogram) == levels.groups == most
        assert levels.histogram[-1] == sum(rows > 0.9 * most for rows in range(1, most + 1))
        assert levels.full == 1


def test_another_limit_costs_what_its_texts_compile_to(db: piql.Database) -> None:
    deployment = db.deployment
    limit, number = limit_named(deployment.tables, "posts(author)=50")
    after = piql.compile(texts_with_limit(deployment.texts, limit, number))
    bounds = {bound.query: (bound.before, bound.after) for bound in bounds_with_limit(deployment.compilation, after)}
    assert bounds["one"] == (1, 1)
    before, then = bounds["theirPosts"]
    assert after.tables["posts"].limits[0].limit == 50
    assert before is not None
    assert then is not None
    assert then >= before
    assert db.deployment.tables["posts"].limits[0].limit == 20
    assert limit_named(deployment.tables, "posts(TOKEN(body))=9")[0].is_token


@pytest.mark.parametrize("wish", ["posts", "posts(author)=0", "posts(id)=5", "nobody(a)=5", "posts(author)=x"])
def test_a_limit_that_is_not_there_is_refused(db: piql.Database, wish: str) -> None:
    with pytest.raises(InvalidParameter):
        limit_named(db.deployment.tables, wish)


def test_rows_that_share_values_are_counted_where_no_limit_is(db: piql.Database) -> None:
    shared = rows_that_share(db, "posts", ["body"], 1000)
    assert (shared.rows, shared.groups, shared.limit, shared.is_complete) == (38, 2, 10, True)
    assert shared.fullest == (GroupLevel(("Red sea",), 3), GroupLevel(("red",), 1))
    both = rows_that_share(db, "posts", ["body", "author"], 1000)
    assert (both.groups, both.fullest[0]) == (1, GroupLevel(("Red sea", "a"), 3))
    with pytest.raises(InvalidParameter, match="posts has no column 'mood'; it has author, id, body"):
        rows_that_share(db, "posts", ["mood"], 1000)


def test_a_walk_ends_behind_the_most_rows_that_may_be_read(db: piql.Database) -> None:
    db.load("posts", [{"author": None, "id": 1000 + at, "body": None} for at in range(1500)])
    shared = rows_that_share(db, "posts", ["body"], 1000)
    assert (shared.rows, shared.is_complete) == (1000, False)


@pytest.mark.parametrize(("rows", "limit"), [(0, 1), (1, 2), (2, 5), (20, 50), (50, 100), (51, 200), (251, 1000)])
def test_a_limit_from_the_data_is_round_and_leaves_room(rows: int, limit: int) -> None:
    assert roomy_limit(rows) == limit
