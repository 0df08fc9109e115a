"""Strategies differ in when requests are made and never in the result; random databases are the test."""

import itertools
import random
from collections.abc import Iterator
from typing import Any, get_args

import piql
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from piql.client.database import Database, Strategy
from piql.store.embedded.store import EmbeddedStore
from piql.store.testing.latency import LatencyStore, constant
from piql.store.testing.recording import RecordingStore

STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)

SOURCE = """
CREATE TABLE p (id INT PRIMARY KEY, kind INT NULL, weight INT NULL);
CREATE TABLE c (
  parent INT REFERENCES p, n INT, other INT NULL REFERENCES p, score INT NULL, word VARCHAR(20) NULL,
  PRIMARY KEY (parent, n), CARDINALITY LIMIT 12 (parent));
CREATE TABLE link (
  a INT REFERENCES p, b INT REFERENCES p, ok BOOLEAN NULL, PRIMARY KEY (a, b), CARDINALITY LIMIT 6 (a));

CREATE QUERY slice AS SELECT n, score FROM c WHERE parent = [x] AND score > [low] LIMIT [count] MAX 5;
CREATE QUERY ofList AS SELECT parent, n FROM c WHERE parent IN [xs] MAX 4 ORDER BY n DESC, parent LIMIT 7;
CREATE QUERY joined AS
SELECT l.b, p.kind, p.weight FROM link l JOIN p ON p.id = l.b WHERE l.a = [x] AND (p.kind = 1 OR l.ok = TRUE) LIMIT 4;
CREATE QUERY outer_join AS
SELECT c.n, c.other, p.weight FROM c LEFT JOIN p ON p.id = c.other AND p.kind > 0 WHERE c.parent = [x] ORDER BY c.n;
CREATE QUERY stream AS
SELECT c.parent, c.n, c.score FROM link l JOIN c ON c.parent = l.b WHERE l.a = [x] AND l.ok = TRUE
ORDER BY c.n DESC LIMIT [count] MAX 5;
CREATE QUERY grouped AS
SELECT score, COUNT(*) AS many, MAX(n) AS top FROM c WHERE parent = [x]
GROUP BY score HAVING COUNT(*) > 1 ORDER BY score;
CREATE QUERY linked AS
SELECT c.n FROM c WHERE c.parent = [x] AND c.other IN (SELECT l.b FROM link l WHERE l.a = [x]) ORDER BY c.n;
CREATE QUERY notLinked AS
SELECT c.n FROM c WHERE c.parent = [x] AND NOT EXISTS (SELECT l.b FROM link l WHERE l.a = [x] AND l.b = c.other)
ORDER BY c.n;
CREATE QUERY both AS
SELECT a AS id FROM link WHERE a = [x] AND b = 1 UNION SELECT b FROM link WHERE a = [x] AND b = 2;
CREATE QUERY kinds AS SELECT DISTINCT score FROM c WHERE parent = [x] ORDER BY score;
CREATE QUERY heaviest AS SELECT id, weight FROM p WHERE kind = [k] ORDER BY weight DESC LIMIT 3;
CREATE QUERY words AS SELECT parent, n FROM c WHERE word LIKE [word] ORDER BY n, parent LIMIT 5;
"""
WORDS = (None, "red", "Red rose", "a rose", "blue")


class World:
    """A random database, and the naive answer to each query."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        ids = range(chance.randrange(1, 7))
        maybe = (None, 0, 1, 2, 3)
        self.p = [{"id": n, "kind": chance.choice(maybe[:4]), "weight": chance.choice(maybe)} for n in ids]
        self.c = [
            {
                "parent": parent,
                "n": n,
                "other": chance.choice([None, *ids]),
                "score": chance.choice(maybe),
                "word": chance.choice(WORDS),
            }
            for parent in ids
            for n in chance.sample(range(14), chance.randrange(12))
        ]
        self.link = [
            {"a": a, "b": b, "ok": chance.choice([None, True, True, False])}
            for a in ids
            for b in chance.sample(list(ids), chance.randrange(min(6, len(ids)) + 1))
        ]

    def load(self, db: Database) -> None:
        for table in ("p", "c", "link"):
            db.load(table, getattr(self, table))

    def children(self, x: int) -> list[dict[str, Any]]:
        return [row for row in self.c if row["parent"] == x]

    def links(self, x: int) -> list[dict[str, Any]]:
        return sorted((row for row in self.link if row["a"] == x), key=lambda row: row["b"])

    def answer(self, name: str, given: dict[str, Any]) -> tuple[list[Any], int | None, bool]:
        """Return all rows of a query in order, how many of them are asked, and whether the order is."""
        x = given.get("x", 0)
        p = {row["id"]: row for row in self.p}
        match name:
            case "slice":
                rows = [
                    (r["n"], r["score"])
                    for r in self.children(x)
                    if r["score"] is not None and r["score"] > given["low"]
                ]
                return rows, given["count"], False
            case "ofList":
                rows = [(r["parent"], r["n"]) for r in self.c if r["parent"] in given["xs"]]
                return sorted(rows, key=lambda row: (-row[1], row[0])), 7, True
            case "joined":
                rows = [
                    (r["b"], p[r["b"]]["kind"], p[r["b"]]["weight"])
                    for r in self.links(x)
                    if p[r["b"]]["kind"] == 1 or r["ok"]
                ]
                return rows, 4, False
            case "outer_join":
                rows = []
                for r in sorted(self.children(x), key=lambda row: row["n"]):
                    match_ = p.get(r["other"])
                    is_match = match_ is not None and (match_["kind"] or 0) > 0
                    rows.append((r["n"], r["other"], match_["weight"] if is_match and match_ else None))
                return rows, None, True
            case "stream":
                rows = [
                    (r["parent"], r["n"], r["score"])
                    for to in self.links(x)
                    if to["ok"]
                    for r in self.children(to["b"])
                ]
                return sorted(rows, key=lambda row: -row[1]), given["count"], False
            case "grouped":
                groups: dict[Any, list[int]] = {}
                for r in self.children(x):
                    groups.setdefault(r["score"], []).append(r["n"])
                rows = [(score, len(ns), max(ns)) for score, ns in groups.items() if len(ns) > 1]
                return sorted(rows, key=lambda row: (row[0] is not None, row[0])), None, True
            case "linked" | "notLinked":
                targets = {to["b"] for to in self.links(x)}
                rows = [(r["n"],) for r in self.children(x) if (r["other"] in targets) == (name == "linked")]
                return sorted(rows), None, True
            case "both":
                pairs = {(to["a"], to["b"]) for to in self.links(x)}
                rows = {(x,)} if (x, 1) in pairs else set()
                return sorted(rows | ({(2,)} if (x, 2) in pairs else set())), None, False
            case "kinds":
                scores = {r["score"] for r in self.children(x)}
                return sorted(((s,) for s in scores), key=lambda row: (row[0] is not None, row[0])), None, True
            case "heaviest":
                rows = [(r["id"], r["weight"]) for r in self.p if r["kind"] == given["k"]]
                return sorted(rows, key=lambda row: (row[1] is not None, row[1]), reverse=True), 3, False
            case "words":
                word = given["word"].lower()
                rows = [(r["parent"], r["n"]) for r in self.c if word in (r["word"] or "").lower().split()]
                return sorted(rows, key=lambda row: (row[1], row[0])), 5, True
        raise AssertionError(name)


COMPILATION = piql.compile(SOURCE)


@given(st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_all_strategies_give_the_naive_answer_within_the_bound(seed: int) -> None:
    world = World(seed)
    store = RecordingStore(EmbeddedStore(synchronous="NORMAL"))
    assert not COMPILATION.has_errors, COMPILATION.diagnostics
    with Database(store) as db:
        db.deploy(COMPILATION)
        world.load(db)
        chance = random.Random(seed)
        for name, query in COMPILATION.queries.items():
            for _ in range(3):
                given_ = {
                    parameter.name: {
                        "x": chance.randrange(7),
                        "low": chance.randrange(-2, 3),
                        "count": chance.randrange(6),
                        "xs": [chance.randrange(7) for _ in range(chance.randrange(5))],
                        "k": chance.randrange(3),
                        "word": chance.choice(["red", "ROSE", "none"]),
                    }[parameter.name]
                    for parameter in query.parameters
                }
                rows, count, is_ordered = world.answer(name, given_)
                seen = []
                for strategy in STRATEGIES:
                    store.reads.clear()
                    page = db.execute(name, given_, strategy=strategy)
                    assert query.bound is not None
                    assert page.operations == len(store.reads) <= query.bound.operations
                    assert page.round_trips <= query.bound.round_trips or strategy != "parallel"
                    seen.append([tuple(row.values()) for row in page.rows])
                first = seen[0]
                assert all(answer == first for answer in seen), name
                assert len(first) == (len(rows) if count is None else min(count, len(rows))), name
                if is_ordered:
                    assert first == rows[: len(first)], name
                elif count is None or count >= len(rows):
                    assert sorted(map(repr, first)) == sorted(map(repr, rows)), name
                else:
                    assert not set(first) - set(rows), name


@pytest.fixture
def waited() -> list[float]:
    """What the slow store has waited, in seconds, one number for each time."""
    return []


@pytest.fixture
def slow(waited: list[float]) -> Iterator[Database]:
    """A store that waits 3 ms before each answer, by a clock of its own."""
    with Database(LatencyStore(EmbeddedStore(synchronous="NORMAL"), constant(3), sleep=waited.append)) as db:
        db.deploy(COMPILATION)
        db.load("p", [{"id": n} for n in range(7)])
        db.load("link", [{"a": 0, "b": b, "ok": True} for b in range(6)])
        db.load("c", [{"parent": a, "n": n} for a, n in itertools.product(range(6), range(5))])
        yield db


def test_in_parallel_a_fan_out_waits_once_and_one_by_one_as_often_as_it_asks(
    slow: Database, waited: list[float]
) -> None:
    for strategy, times in {"parallel": 2, "simple": 7, "lazy": 7}.items():
        slow.execute("stream", {"x": 0, "count": 5}, strategy=strategy)  # whatever is read once is read here
        waited.clear()
        page = slow.execute("stream", {"x": 0, "count": 5}, strategy=strategy)
        assert page.operations == 7
        assert waited == pytest.approx([0.003] * times)


def test_branches_of_a_union_travel_together(slow: Database) -> None:
    assert slow.execute("both", {"x": 0}).round_trips == 1
    assert slow.execute("both", {"x": 0}, strategy="simple").round_trips == 2


def test_lazily_no_row_is_fetched_after_there_are_enough(slow: Database) -> None:
    assert slow.execute("joined", {"x": 0}, strategy="lazy").operations == 5
    assert slow.execute("joined", {"x": 0}, strategy="simple").operations == 7
