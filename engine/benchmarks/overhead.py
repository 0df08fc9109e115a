"""What the engine adds to SQLite: the same rows as dicts, by name through `execute` and by hand-written sqlite3 code.

Both work on the same file in the same process. Every round runs all variants in a new order. The hand-written code
runs twice under two names: a difference between the two is noise, and a smaller difference to the engine means nothing.
"""

from __future__ import annotations

import argparse
import gc
import random
import sqlite3
import statistics
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import thread_time_ns
from typing import Any

import piql

USERS, THOUGHTS, SUBSCRIPTIONS, COUNT = 1_000, 20, 10, 10
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
START = datetime(2026, 1, 1, tzinfo=UTC)

SOURCE = """
CREATE TABLE users (username VARCHAR(32) PRIMARY KEY, hometown VARCHAR(64));
CREATE TABLE subscriptions (
  owner VARCHAR(32) REFERENCES users, target VARCHAR(32) REFERENCES users, approved BOOLEAN,
  PRIMARY KEY (owner, target), CARDINALITY LIMIT 100 (owner));
CREATE TABLE thoughts (
  owner VARCHAR(32) REFERENCES users, posted TIMESTAMP, text VARCHAR(140), PRIMARY KEY (owner, posted));
CREATE QUERY findUser AS SELECT username, hometown FROM users WHERE username = [1: username];
CREATE QUERY myThoughts AS
SELECT owner, posted, text FROM thoughts WHERE owner = [1: me] ORDER BY posted DESC LIMIT [2: count] MAX 50;
CREATE QUERY thoughtstream AS
SELECT t.owner, t.posted, t.text FROM subscriptions s JOIN thoughts t ON t.owner = s.target
WHERE s.owner = [1: me] AND s.approved = TRUE ORDER BY t.posted DESC LIMIT [2: count] MAX 50;
"""

Rows = list[dict[str, Any]]
Variant = Callable[[str], Rows]


def name(number: int) -> str:
    """Return the name of a user by number."""
    return f"user{number:06}"


def fill(db: piql.Database) -> None:
    """Deploy the queries and load users, subscriptions and thoughts."""
    chance = random.Random(2012)
    db.deploy(piql.compile(SOURCE))
    db.load("users", ({"username": name(n), "hometown": f"town{n % 24}"} for n in range(USERS)))
    db.load(
        "subscriptions",
        (
            {"owner": name(n), "target": name(target), "approved": True}
            for n in range(USERS)
            for target in chance.sample(range(USERS), SUBSCRIPTIONS)
        ),
    )
    db.load(
        "thoughts",
        (
            {
                "owner": name(n),
                "posted": START + timedelta(milliseconds=chance.randrange(10**10)),
                "text": f"Thought {k} of {name(n)}: " + "something worth remembering, " * 3,
            }
            for n in range(USERS)
            for k in range(THOUGHTS)
        ),
    )


class ByHand:
    """What a careful programmer writes against the same tables: one method for each query."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.executescript("PRAGMA cache_size = -65536;")

    def find_user(self, username: str) -> Rows:
        rows = self.connection.execute(
            'SELECT username, hometown FROM "table users" WHERE username = ?', (username,)
        ).fetchall()
        return [{"username": user, "hometown": hometown} for user, hometown in rows]

    def my_thoughts(self, me: str) -> Rows:
        rows = self.connection.execute(
            'SELECT owner, posted, text FROM "table thoughts" WHERE owner = ? ORDER BY posted DESC LIMIT ?', (me, COUNT)
        ).fetchall()
        return [
            {"owner": owner, "posted": EPOCH + timedelta(milliseconds=posted), "text": text}
            for owner, posted, text in rows
        ]

    def thoughtstream(self, me: str) -> Rows:
        """Read the newest thoughts of each target, as the engine does: the work does not grow with their number."""
        execute = self.connection.execute
        rows: list[tuple[Any, ...]] = []
        execute("BEGIN")
        for (target,) in execute(
            'SELECT target FROM "table subscriptions" WHERE owner = ? AND approved = 1 LIMIT 100', (me,)
        ).fetchall():
            rows += execute(
                'SELECT owner, posted, text FROM "table thoughts" WHERE owner = ? ORDER BY posted DESC LIMIT ?',
                (target, COUNT),
            ).fetchall()
        execute("COMMIT")
        rows.sort(key=lambda row: row[1], reverse=True)
        return [
            {"owner": owner, "posted": EPOCH + timedelta(milliseconds=posted), "text": text}
            for owner, posted, text in rows[:COUNT]
        ]

    def thoughtstream_join(self, me: str) -> Rows:
        """Leave the join to SQLite, which reads and sorts all thoughts of all targets."""
        rows = self.connection.execute(
            'SELECT t.owner, t.posted, t.text FROM "table subscriptions" s '
            'JOIN "table thoughts" t ON t.owner = s.target '
            "WHERE s.owner = ? AND s.approved = 1 ORDER BY t.posted DESC LIMIT ?",
            (me, COUNT),
        ).fetchall()
        return [
            {"owner": owner, "posted": EPOCH + timedelta(milliseconds=posted), "text": text}
            for owner, posted, text in rows
        ]


def measure(variants: dict[str, Variant], rounds: int, calls: int) -> dict[str, list[float]]:
    """Return the microseconds of processor time a call of each variant in each round."""
    chance = random.Random(1)
    times: dict[str, list[float]] = {label: [] for label in variants}
    for _ in range(rounds):
        users = [name(chance.randrange(USERS)) for _ in range(calls)]
        for label in chance.sample(list(variants), len(variants)):
            run = variants[label]
            gc.collect()
            gc.disable()
            started = thread_time_ns()
            for user in users:
                run(user)
            times[label].append((thread_time_ns() - started) / calls / 1000)
            gc.enable()
    return times


def slowest(variants: dict[str, Variant], calls: int) -> dict[str, float]:
    """Return the 99th percentile of single calls, with the collection of garbage as it comes."""
    chance = random.Random(2)
    times: dict[str, list[int]] = {label: [] for label in variants}
    for _ in range(calls):
        user = name(chance.randrange(USERS))
        for label in chance.sample(list(variants), len(variants)):
            started = thread_time_ns()
            variants[label](user)
            times[label].append(thread_time_ns() - started)
    return {label: statistics.quantiles(durations, n=100)[98] / 1000 for label, durations in times.items()}


def cases(db: piql.Database, hand: ByHand) -> dict[str, dict[str, Variant]]:
    """Return the variants of each case by their labels; all variants of a case must return the same rows."""
    execute = db.execute
    return {
        "get by key": {
            "engine": lambda user: execute("findUser", {"username": user}).rows,
            "by hand": hand.find_user,
            "by hand again": hand.find_user,
        },
        f"slice of {COUNT}": {
            "engine": lambda user: execute("myThoughts", {"me": user, "count": COUNT}).rows,
            "by hand": hand.my_thoughts,
            "by hand again": hand.my_thoughts,
        },
        f"thoughtstream {SUBSCRIPTIONS}×{COUNT}": {
            "engine": lambda user: execute("thoughtstream", {"me": user, "count": COUNT}).rows,
            "by hand": hand.thoughtstream,
            "by hand again": hand.thoughtstream,
            "one SQL join": hand.thoughtstream_join,
        },
    }


def row_of(case: str, variants: dict[str, Variant], rounds: int, calls: int) -> str:
    """Measure a case, and return its row of the table."""
    times = measure(variants, rounds, calls)
    pairs = list(zip(times["engine"], times["by hand"], strict=True))
    median = {label: statistics.median(durations) for label, durations in times.items()}
    ratio = statistics.median(engine / by_hand for engine, by_hand in pairs)
    added = statistics.median(engine - by_hand for engine, by_hand in pairs)
    noise = statistics.median(
        again / by_hand for again, by_hand in zip(times["by hand again"], times["by hand"], strict=True)
    )
    p99 = slowest(variants, rounds * calls // 4)
    join = f", one SQL join {median['one SQL join']:.1f}" if "one SQL join" in median else ""
    return (
        f"{case:<22}{median['engine']:>10.1f}{median['by hand']:>10.1f}{added:>+10.1f}{ratio:>8.2f}"
        f"{p99['engine']:>10.1f}{p99['by hand']:>10.1f}   by hand twice {noise:.2f}{join}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--calls", type=int, default=400)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        with piql.connect(f"embedded:{path}?synchronous=NORMAL") as db:
            fill(db)
            hand = ByHand(path)
            print("µs of processor time a call, medians of rounds; p99 of single calls")
            print(f"{'case':<22}{'engine':>10}{'by hand':>10}{'added':>10}{'ratio':>8}{'p99':>10}{'by hand':>10}")
            for case, variants in cases(db, hand).items():
                for user in map(name, range(0, USERS, 97)):
                    assert variants["engine"](user) == variants["by hand"](user)
                print(row_of(case, variants, options.rounds, options.calls))
            hand.connection.close()


if __name__ == "__main__":
    main()
