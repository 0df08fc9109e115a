"""Recursive queries executed, on both kinds of store: trees, cycles, NULL parents, no first rows."""

from __future__ import annotations

from collections.abc import Iterator

import piql
import pytest

TEXT = """
CREATE TABLE comments (
  id INT PRIMARY KEY, parent INT NULL REFERENCES comments MAX 10, author VARCHAR(20) NOT NULL, spam BOOLEAN NOT NULL
);
CREATE TABLE follows (
  owner VARCHAR(20), target VARCHAR(20), PRIMARY KEY (owner, target), CARDINALITY LIMIT 10 (owner)
);
CREATE TABLE blocked (owner VARCHAR(20), author VARCHAR(20), PRIMARY KEY (owner, author));

CREATE QUERY thread AS
WITH RECURSIVE thread (id, parent, depth) AS (
  SELECT id, parent, 0 FROM comments WHERE id = [root]
  UNION ALL
  SELECT c.id, c.parent, t.depth + 1 FROM comments c JOIN thread t ON c.parent = t.id
) MAX 2 LEVELS
SELECT id, depth FROM thread ORDER BY depth, id;

CREATE QUERY threadOfOthers AS
WITH RECURSIVE thread (id, depth) AS (
  SELECT id, 0 FROM comments WHERE id = [root]
  UNION ALL
  SELECT c.id, t.depth + 1 FROM comments c JOIN thread t ON c.parent = t.id
  WHERE NOT EXISTS (SELECT 1 AS one FROM blocked b WHERE b.owner = [me] AND b.author = c.author)
) MAX 5 LEVELS
SELECT id, depth FROM thread ORDER BY depth, id;

CREATE QUERY ancestors AS
WITH RECURSIVE path AS (
  SELECT id, parent FROM comments WHERE id = [comment]
  UNION ALL
  SELECT c.id, c.parent FROM comments c JOIN path p ON c.id = p.parent
) MAX 10 LEVELS
SELECT p.id, c.author FROM path p JOIN comments c ON c.id = p.id ORDER BY p.id;

CREATE QUERY reached AS
WITH RECURSIVE reached (name) AS (
  SELECT target FROM follows WHERE owner = [me]
  UNION
  SELECT f.target FROM follows f JOIN reached r ON f.owner = r.name
) MAX 6 LEVELS
SELECT name FROM reached ORDER BY name;

CREATE QUERY walks AS
WITH RECURSIVE walks (name) AS (
  SELECT target FROM follows WHERE owner = [me]
  UNION ALL
  SELECT f.target FROM follows f JOIN walks w ON f.owner = w.name
) MAX 6 LEVELS
SELECT name, COUNT(*) AS n FROM walks GROUP BY name ORDER BY name;

CREATE QUERY common AS
WITH RECURSIVE path AS (
  SELECT id, parent FROM comments WHERE id IN [ids] MAX 2
  UNION
  SELECT c.id, c.parent FROM comments c JOIN path p ON c.id = p.parent
) MAX 10 LEVELS
SELECT a.id FROM path a JOIN path b ON b.parent = a.id ORDER BY a.id;

CREATE QUERY leftJoined AS
WITH RECURSIVE thread (id, child) AS (
  SELECT id, id FROM comments WHERE id = [root]
  UNION ALL
  SELECT t.child, c.id FROM thread t LEFT JOIN comments c ON c.parent = t.child
) MAX 2 LEVELS
SELECT id, child FROM thread ORDER BY id, child;
"""
TESTS_OF_A_ROW = (  # which none of the rows fails, in every way in which a step may test its rows
    "NOT EXISTS (SELECT 1 AS one FROM comments x WHERE x.parent = w.name AND x.id = f.target)",
    "f.target NOT IN (SELECT x.id FROM comments x WHERE x.parent = w.name)",
    "NOT EXISTS (SELECT 1 AS one FROM comments x WHERE x.id = f.target AND x.spam = TRUE)",
    "f.target NOT IN (SELECT x.id FROM comments x WHERE x.author = 'nobody')",
    "f.target IN [all] MAX 20",
)
#           1
#       2       3
#     4   5     6
#   7
PARENTS = {1: None, 2: 1, 3: 1, 4: 2, 5: 2, 6: 3, 7: 4}


@pytest.fixture(scope="module", params=["embedded:", "stepwise:"])
def database(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as db:
        compiled = piql.compile(TEXT)
        assert all(compiled.queries[name].is_bounded for name in compiled.queries)
        db.deploy(compiled)
        authors = {3: "eve"}
        rows = (
            {"id": id_, "parent": parent, "author": authors.get(id_, "ada"), "spam": False}
            for id_, parent in PARENTS.items()
        )
        db.load("comments", rows)
        circle = [("ada", "bob"), ("bob", "cat"), ("cat", "ada"), ("cat", "dan")]
        db.load("follows", ({"owner": owner, "target": target} for owner, target in circle))
        db.load("blocked", [{"owner": "me", "author": "eve"}])
        yield db


def execute(db: piql.Database, query: str, **parameters: object) -> list[tuple[object, ...]]:
    """Execute a query with every strategy; all give the same rows within the bound, which are returned."""
    pages = [db.execute(query, parameters, strategy=strategy) for strategy in ("parallel", "simple", "lazy")]
    bound = piql.compile(TEXT).queries[query].bound
    assert bound is not None
    assert all(page.operations <= bound.operations for page in pages)
    assert pages[0].round_trips <= bound.round_trips
    rows = [[tuple(row.values()) for row in page.rows] for page in pages]
    assert rows[0] == rows[1] == rows[2]
    return rows[0]


def test_a_thread_is_read_down_to_the_stated_depth(database: piql.Database) -> None:
    assert execute(database, "thread", root=1) == [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (6, 2)]


def test_no_level_is_read_behind_an_empty_one(database: piql.Database) -> None:
    assert execute(database, "thread", root=7) == [(7, 0)]
    assert database.execute("thread", {"root": 7}).operations == 2


def test_without_first_rows_nothing_is_followed(database: piql.Database) -> None:
    assert execute(database, "thread", root=99) == []
    assert database.execute("thread", {"root": 99}).operations == 1


def test_the_requests_of_one_level_share_a_round_trip(database: piql.Database) -> None:
    page = database.execute("thread", {"root": 1})
    assert (page.operations, page.round_trips) == (1 + 1 + 2, 3)


def test_a_subquery_of_the_step_drops_rows_with_all_that_they_lead_to(database: piql.Database) -> None:
    assert execute(database, "threadOfOthers", root=1, me="me") == [(1, 0), (2, 1), (4, 2), (5, 2), (7, 3)]
    assert len(execute(database, "threadOfOthers", root=1, me="another")) == len(PARENTS)


def test_ancestors_end_at_a_parent_that_is_null(database: piql.Database) -> None:
    assert execute(database, "ancestors", comment=7) == [(1, "ada"), (2, "ada"), (4, "ada"), (7, "ada")]
    assert execute(database, "ancestors", comment=1) == [(1, "ada")]


def test_union_ends_a_cycle(database: piql.Database) -> None:
    assert execute(database, "reached", me="ada") == [("ada",), ("bob",), ("cat",), ("dan",)]
    page = database.execute("reached", {"me": "ada"})
    assert page.round_trips == 4  # nothing new is found behind ada


def test_union_all_goes_round_a_cycle_until_the_last_level(database: piql.Database) -> None:
    assert execute(database, "walks", me="ada") == [("ada", 2), ("bob", 3), ("cat", 2), ("dan", 2)]


def test_a_recursive_query_may_be_read_twice(database: piql.Database) -> None:
    assert execute(database, "common", ids=[7, 5]) == [(1,), (2,), (2,), (4,)]


def test_what_a_left_join_of_the_step_does_not_find_is_null(database: piql.Database) -> None:
    assert execute(database, "leftJoined", root=3) == [(3, 3), (3, 6), (6, None)]


def test_a_bare_statement_may_recurse(database: piql.Database) -> None:
    statement = """
        WITH RECURSIVE path AS (
          SELECT id, parent FROM comments WHERE id = 7
          UNION ALL SELECT c.id, c.parent FROM comments c JOIN path p ON c.id = p.parent
        ) MAX 1 LEVELS SELECT id FROM path ORDER BY id
    """
    assert database.run(statement).rows == [{"id": 4}, {"id": 7}]


@pytest.mark.parametrize("store", ["embedded:", "stepwise:"])
@pytest.mark.parametrize("test", TESTS_OF_A_ROW)
def test_a_level_wider_than_the_first_one_is_tested_whole(store: str, test: str) -> None:
    text = f"""
        CREATE TABLE comments (
          id INT PRIMARY KEY, parent INT NULL REFERENCES comments MAX 10, author VARCHAR(20), spam BOOLEAN,
          CARDINALITY LIMIT 10 (author)
        );
        CREATE TABLE follows (owner INT, target INT, PRIMARY KEY (owner, target), CARDINALITY LIMIT 4 (owner));
        CREATE QUERY walk AS
        WITH RECURSIVE walk (name) AS (
          SELECT id FROM comments WHERE id = 1
          UNION ALL
          SELECT f.target FROM follows f JOIN walk w ON f.owner = w.name WHERE {test}
        ) MAX 2 LEVELS
        SELECT name FROM walk ORDER BY name;
    """
    follows = [(1, target) for target in (2, 3, 4)] + [(owner, 3 * owner + i) for owner in (2, 3, 4) for i in range(3)]
    with piql.connect(store) as db:
        compiled = piql.compile(text)
        db.deploy(compiled)
        db.load("comments", [{"id": id_, "parent": None, "author": "ada", "spam": False} for id_ in range(1, 3)])
        db.load("follows", [{"owner": owner, "target": target} for owner, target in follows])
        page = db.execute("walk", {"all": [target for _, target in follows]} if "[all]" in test else {})
    bound = compiled.queries["walk"].bound
    assert bound is not None
    assert page.operations <= bound.operations
    assert [row["name"] for row in page.rows] == sorted([1, *(target for _, target in follows)])
