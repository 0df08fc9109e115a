"""Pages of every kind of plan, walked while others write, and die: no row twice, none lost among those that stayed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import piql
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from piql.client.database import Database, Strategy
from piql.runtime.writing.stepped.backoff import WaitPolicy
from piql.store.open import open_store
from runtime.writing.interrupted import READING, GatedStore, Killed

SOURCE = """
CREATE TABLE people (id INT PRIMARY KEY, town INT, age INT NULL);
CREATE TABLE follows (who INT REFERENCES people, whom INT REFERENCES people, since DATE NULL, PRIMARY KEY (who, whom),
  CARDINALITY LIMIT 6 (who));
CREATE TABLE posts (who INT REFERENCES people, at TIMESTAMP, stars INT NULL, text TEXT, PRIMARY KEY (who, at));
CREATE QUERY scan AS SELECT id, age FROM people WHERE town = [town] ORDER BY age DESC, id PAGINATE 3;
CREATE QUERY range AS SELECT id, age FROM people WHERE town = [town] AND age > [low] ORDER BY age PAGINATE 3;
CREATE QUERY towns AS SELECT id, town, age FROM people WHERE town IN [towns] MAX 3 ORDER BY age, id DESC PAGINATE 3;
CREATE QUERY stream AS SELECT p.who, p.at, p.stars FROM follows f JOIN posts p ON p.who = f.whom
  WHERE f.who = [me] ORDER BY p.at DESC PAGINATE 3;
CREATE QUERY starred AS SELECT p.who, p.at, p.stars FROM follows f JOIN posts p ON p.who = f.whom
  WHERE f.who = [me] ORDER BY p.stars, p.at DESC PAGINATE 3;
CREATE QUERY named AS SELECT p.at, p.who, u.age FROM posts p JOIN people u ON u.id = p.who
  WHERE p.who = [me] ORDER BY p.at PAGINATE 3;
CREATE QUERY friends AS SELECT f.whom, u.town FROM follows f JOIN people u ON u.id = f.whom
  WHERE f.who = [me] ORDER BY u.town DESC, f.whom PAGINATE 3;
CREATE QUERY either AS SELECT whom FROM follows WHERE who = [a] UNION
  SELECT whom FROM follows WHERE who = [b] ORDER BY whom PAGINATE 3;
CREATE QUERY ages AS SELECT DISTINCT u.age, u.town FROM follows f JOIN people u ON u.id = f.whom
  WHERE f.who = [me] ORDER BY u.age, u.town PAGINATE 2;
"""
PARAMETERS: Mapping[str, Mapping[str, object]] = {
    "scan": {"town": 1},
    "range": {"town": 1, "low": 2},
    "towns": {"towns": [0, 1, 2]},
    "stream": {"me": 0},
    "starred": {"me": 0},
    "named": {"me": 0},
    "friends": {"me": 0},
    "either": {"a": 0, "b": 1},
    "ages": {"me": 0},
}
START = datetime(2026, 1, 1, tzinfo=UTC)
PEOPLE, POSTS = 18, 60
Rows = list[tuple[Any, ...]]


COMPILED = piql.compile(SOURCE)
PAGED = tuple(COMPILED.queries)


def person(number: int) -> dict[str, object]:
    return {"id": number, "town": number % 3, "age": None if number % 5 == 4 else number % 4}


def post(number: int) -> dict[str, object]:
    at = START + timedelta(minutes=number // 2)  # of two people at the same time
    stars = None if number % 7 == 3 else number % 3
    return {"who": number % 7, "at": at, "stars": stars, "text": f"{number}"}


class Mortal:
    """A gate at which a writer that is to die does so, after so many changes."""

    def __init__(self) -> None:
        self.left: int | None = None

    def __call__(self, name: str, request: Any) -> Any:
        if self.left is not None and name not in READING:
            if self.left == 0:
                raise Killed
            self.left -= 1
        return request()


@dataclass(frozen=True)
class Shop:
    """Who walks, and who writes meanwhile: another server where there are no transactions, one that may die."""

    db: Database
    writer: Database
    mortal: Mortal | None = None


@pytest.fixture(scope="module", params=["embedded", "stepwise"])
def shop(request: pytest.FixtureRequest) -> Iterator[Shop]:
    store = open_store(f"{request.param}:?synchronous=NORMAL")
    with Database(store) as db:
        db.deploy(COMPILED)
        if store.row_writes is None:
            yield Shop(db, db)
            return
        mortal = Mortal()
        impatient = WaitPolicy(patience=0.0, sleep=lambda seconds: None)
        yield Shop(db, Database(GatedStore(store, mortal), wait_policy=impatient), mortal)


def fill(db: piql.Database) -> None:
    """Put the people, whom they follow and their posts, and take away what an earlier walk added."""
    for number in range(1000, 1030):
        db.run("DELETE FROM posts WHERE who = [who] AND at = [at]", {"who": number % 7, "at": extra_moment(number)})
        db.run("DELETE FROM people WHERE id = [id]", {"id": number})
    db.load("people", [person(number) for number in range(PEOPLE)])
    db.load("follows", [{"who": who, "whom": who + step} for who in (0, 1) for step in range(1, 7)])
    db.load("posts", [post(number) for number in range(POSTS)])


def extra_moment(number: int) -> datetime:
    return START + timedelta(minutes=number % 31, seconds=30)


def disturb(shop: Shop, chance: random.Random) -> None:
    """Insert and delete rows that no walk begins with, at any place of its order; now and then a writer dies of it."""
    if shop.mortal is None:
        write(shop.db, chance)
        return
    shop.mortal.left = chance.choice((None, chance.randrange(8)))
    with suppress(Killed):
        write(shop.writer, chance)
    shop.mortal.left = None


def write(db: Database, chance: random.Random) -> None:
    number = chance.randrange(1000, 1030)
    match chance.randrange(4):
        case 0:
            db.load("people", [{"id": number, "town": number % 3, "age": chance.choice((None, 0, 1, 2, 3))}])
        case 1:
            db.run("DELETE FROM people WHERE id = [id]", {"id": number})
        case 2:
            row = {"who": number % 7, "at": extra_moment(number), "stars": chance.choice((None, 0, 1, 2)), "text": "x"}
            db.load("posts", [row])
        case _:
            db.run("DELETE FROM posts WHERE who = [who] AND at = [at]", {"who": number % 7, "at": extra_moment(number)})


def page_of(db: Database, name: str, cursor: str | None, strategy: Strategy) -> piql.Page:
    """Return a page; where too much is left of writers that died, when that is settled."""
    try:
        return db.execute(name, PARAMETERS[name], cursor, strategy)
    except piql.RepairPending:
        db.sweep(older_than=-1)
        return db.execute(name, PARAMETERS[name], cursor, strategy)


def walk(shop: Shop, name: str, strategy: Strategy, chance: random.Random | None) -> tuple[Rows, list[int]]:
    """Return the rows of all pages, and the requests of each."""
    bound = COMPILED.queries[name].bound
    assert bound is not None
    rows: Rows = []
    operations: list[int] = []
    cursor = None
    for _ in range(300):
        page = page_of(shop.db, name, cursor, strategy)
        assert page.operations <= bound.operations
        assert page.repair_operations <= bound.operations
        assert (page.cursor is None) == (len(page.rows) < (2 if name == "ages" else 3))
        rows += [tuple(row.values()) for row in page.rows]
        operations.append(page.operations)
        cursor = page.cursor
        if cursor is None:
            return rows, operations
        for _ in range(chance.randrange(4) if chance else 0):
            assert chance is not None
            disturb(shop, chance)
    raise AssertionError("the pages do not end")


def stayed(rows: Rows, name: str) -> Rows:
    """Leave out the rows that come and go: people from 1000 on, and posts at half a minute."""
    position = {"stream": 1, "starred": 1, "named": 0}.get(name)
    if position is not None:
        return [row for row in rows if row[position].second == 0]
    return [row for row in rows if row[0] is None or row[0] < 1000]


def test_every_kind_of_plan_is_walked() -> None:
    assert set(PAGED) == set(PARAMETERS)
    assert all(query.is_bounded for query in COMPILED.queries.values())
    plans = " ".join(repr(type(node)) for query in COMPILED.queries.values() for node in query.plan.find(object))  # type: ignore[union-attr]
    for operator in ("IndexScan", "SortedIndexJoin", "IndexFKJoin", "LocalUnion", "LocalDistinct", "LocalSort"):
        assert operator in plans


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32), strategy=st.sampled_from(get_args(Strategy)))
@pytest.mark.parametrize("name", PAGED)
def test_a_walk_gives_every_row_that_stayed_once_and_in_order(
    shop: Shop, name: str, seed: int, strategy: Strategy
) -> None:
    shop.db.sweep(older_than=-1)
    fill(shop.db)
    still, costs = walk(shop, name, strategy, None)
    assert len(set(still)) == len(still)
    if strategy == "parallel":
        assert max(costs) <= costs[0], "a later page costs more than the first"
    disturbed, _ = walk(shop, name, strategy, random.Random(seed))
    assert len(set(disturbed)) == len(disturbed), "a row is there twice"
    assert stayed(disturbed, name) == stayed(still, name)
