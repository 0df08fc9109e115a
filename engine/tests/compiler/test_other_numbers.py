"""Other numbers in limits: a set gives what it gives when nothing was compiled before, mostly without planning."""

from __future__ import annotations

import itertools
import random
import threading
from collections import Counter
from typing import Any

import piql
import pytest
from piql.compiler import one_query
from piql.trees.giving_up import GivenUp, while_wanted
from piql.trees.traced_numbers import Trace

from .syntax.test_incremental import compiled_afresh, described

NUMBERS = (0, 1, 2, 3, 9, 10, 11, 99, 100, 101, 130, 1_000, 5_000, 20_000, 1_000_000)

QUERIES = """
CREATE QUERY friends AS
SELECT u.name, f.since FROM follows f JOIN users u ON u.name = f.target WHERE f.owner = [me] AND f.since > 3;
CREATE QUERY newest AS
SELECT p.text FROM follows f JOIN posts p ON p.author = f.target WHERE f.owner = [me] ORDER BY p.at DESC LIMIT 10;
CREATE QUERY ofFriends AS
SELECT DISTINCT g.target, u.town FROM follows f JOIN follows g ON g.owner = f.target JOIN users u ON u.name = g.target
WHERE f.owner = [me];
CREATE QUERY tagged AS SELECT p.text FROM posts p WHERE p.tag = [tag];
CREATE QUERY counted AS SELECT f.since, COUNT(*) AS n FROM follows f WHERE f.owner IN [5: some] GROUP BY f.since;
CREATE QUERY both AS
SELECT f.target FROM follows f WHERE f.owner = [me] UNION SELECT f.owner FROM follows f WHERE f.target = [me];
CREATE QUERY words AS SELECT u.name FROM users u WHERE u.town LIKE [word];
CREATE QUERY settings AS SELECT s.value, u.town FROM settings s JOIN users u ON u.name = s.owner;
CREATE QUERY unread AS
SELECT p.text FROM posts p WHERE p.tag = [tag] AND NOT EXISTS (SELECT 1 one FROM follows f WHERE f.owner = p.author);
CREATE QUERY dearest AS SELECT p.text FROM posts p WHERE p.tag = [tag] AND p.author = [me] ORDER BY p.text LIMIT 3;
"""


def texts(numbers: tuple[int, ...], space: str = "") -> dict[str, str]:
    follows, follower, posts, tags, towns, settings = numbers
    schema = f"""{space}
CREATE TABLE users (
  name VARCHAR(20) PRIMARY KEY, town VARCHAR(40), CARDINALITY LIMIT {towns} (TOKEN(town))
);
CREATE TABLE follows (
  owner VARCHAR(20) REFERENCES users, target VARCHAR(20) REFERENCES users, since INT,
  CARDINALITY LIMIT {follows} (owner), CARDINALITY LIMIT{space} {follower} (target), PRIMARY KEY (owner, target)
);
CREATE TABLE posts (
  author VARCHAR(20), at INT, text VARCHAR(140), tag VARCHAR(9), PRIMARY KEY (author, at),
  CARDINALITY LIMIT {posts} (author), CARDINALITY LIMIT {tags} (tag)
);
CREATE TABLE settings (id INT PRIMARY KEY, owner VARCHAR(20), value INT, CARDINALITY LIMIT {settings});
"""
    return {"queries.piql": QUERIES, "schema.piql": schema}


def check_numbers(seed: int, count: int) -> None:
    rng = random.Random(seed)
    numbers = [100, 50, 40, 30, 20, 10]
    piql.compile(texts((*numbers,)))
    for number in range(count):
        for at in rng.sample(range(6), rng.choice((0, 1, 1, 1, 6))):
            numbers[at] = rng.choice((*NUMBERS, rng.randrange(2, 400)))
        files = texts((*numbers,), rng.choice(("", "", " ")))
        assert described(piql.compile(files)) == described(compiled_afresh(files)), (seed, number, numbers)


@pytest.mark.parametrize("seed", range(2))
def test_a_compilation_with_other_numbers_equals_a_fresh_one(seed: int) -> None:
    """Twelve changes of limits; the long test makes 300 of each of 20 seeds."""
    check_numbers(seed, 12)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_a_compilation_with_many_other_numbers_equals_a_fresh_one(seed: int) -> None:
    check_numbers(1_000 + seed, 300)


def test_queries_are_planned_once_and_once_to_be_traced_for_numbers_of_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    planned: Counter[str] = Counter()
    plan = one_query._plan

    def counted(query: one_query.BoundQuery, *others: object) -> object:
        planned[query.name] += 1
        return plan(query, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(one_query, "_plan", counted)
    compiler = piql.compiler.Compiler()
    for follows in range(100, 110):
        compilation = compiler.compile(texts((follows, 50, 40, 30, 20, 10)))
        bound = compilation.queries["friends"].bound
        assert bound is not None
        assert bound.operations == follows + 1
    assert planned["friends"] == 2
    assert planned["tagged"] == 1  # its tables are the same


def test_a_trace_that_comes_out_otherwise_is_not_filled_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit above 1,000 requests is found to be dear, so the result has a finding more."""
    came_out: list[bool] = []
    replay = Trace.replay

    def noted(trace: Trace, numbers: list[int]) -> list[int] | None:
        values = replay(trace, numbers)
        came_out.append(values is not None)
        return values

    monkeypatch.setattr(Trace, "replay", noted)
    compiler = piql.compiler.Compiler()
    for follows in (100, 101, 102, 5_000):
        compilation = compiler.compile(texts((follows, 50, 40, 30, 20, 10)))
        codes = [diagnostic.code for diagnostic in compilation.queries["friends"].diagnostics]
        assert ("expensive-query" in codes) == (follows == 5_000)
    assert True in came_out
    assert False in came_out


TWINS = """
CREATE TABLE follows (
  owner VARCHAR(9), target VARCHAR(9), CARDINALITY LIMIT {limit} (owner), PRIMARY KEY (owner, target)
);
CREATE QUERY some AS SELECT target FROM follows WHERE owner = [me];
CREATE QUERY twin AS SELECT target FROM follows WHERE owner = [me] AND target > 'x';
CREATE QUERY twin AS SELECT target FROM follows WHERE owner = [me] AND target > 'x';
"""


@pytest.mark.parametrize("last", [130, 20_000])
def test_a_compilation_that_was_given_up_leaves_no_number_behind(last: int) -> None:
    """With two queries of one name all are planned before the first is finished."""
    texts = {"a.piql": TWINS.format(limit=last)}
    fresh = described(compiled_afresh(texts))
    given_up = 0
    for most in range(1, 40):
        compiler = piql.compiler.Compiler()
        compiler.compile(TWINS.format(limit=100))
        asked = itertools.count(1)
        try:
            with while_wanted(lambda asked=asked, most=most: next(asked) < most):  # type: ignore[misc]
                compiler.compile(TWINS.format(limit=120))
        except GivenUp:
            given_up += 1
            assert described(compiler.compile(texts)) == fresh, most
            continue
        break
    assert given_up > 5


def test_a_thread_that_finishes_what_another_traced_asks_for_its_own_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = piql.compiler.Compiler()
    compiler.compile(TWINS.format(limit=100))
    has_planned, may_finish = threading.Event(), threading.Event()
    finish = one_query.finish_for_numbers

    def finish_later(*others: Any) -> object:
        if threading.current_thread().name == "traces":
            has_planned.set()
            assert may_finish.wait(60)
        return finish(*others)

    monkeypatch.setattr(one_query, "finish_for_numbers", finish_later)
    bounds: list[object] = []

    def rows(limit: int) -> object:
        bound = compiler.compile(TWINS.format(limit=limit)).queries["some"].bound
        return bound and bound.rows

    tracing = threading.Thread(target=lambda: bounds.append(rows(120)), name="traces")
    tracing.start()
    assert has_planned.wait(60)
    assert rows(5_000) == 5_000
    may_finish.set()
    tracing.join(60)
    assert bounds == [120]
