"""What a write costs: SCADr's postThought and subscribe by the engine and by hand-written sqlite3 code.

The hand-written code does what the engine promises: one transaction, the old row read, foreign keys looked up, the rows
of the limit counted, the same entries changed. Each variant writes to a file of its own, in one process, in a new order
each round; the hand-written code runs twice under two names. Times are of the processor, so waiting for the disk is not
in them.
"""

from __future__ import annotations

import argparse
import gc
import random
import sqlite3
import statistics
import tempfile
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path
from time import thread_time_ns

import piql
from overhead import EPOCH, SOURCE, START, USERS, name

WRITES = """
CREATE QUERY postThought AS INSERT INTO thoughts (owner, posted, text) VALUES ([1: me], [2: posted], [3: text]);
CREATE QUERY subscribe AS
INSERT INTO subscriptions (owner, target, approved) VALUES ([1: owner], [2: target], FALSE);
"""
FOLLOWERS = "CREATE QUERY followersOf AS SELECT owner FROM subscriptions WHERE target = [1: me] LIMIT 50;\n"
TEXT = "something worth remembering, " * 4
MILLISECOND = timedelta(milliseconds=1)
Write = Callable[[str, str, datetime], object]


class ByHand:
    """What a careful programmer writes against the same tables: one method for each write, all with one signature."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;PRAGMA cache_size = -65536;"
        )
        indexes = self.connection.execute("SELECT name FROM sqlite_schema WHERE name LIKE 'index subscriptions%'")
        (self._followers,) = (name for (name,) in indexes)

    def post_thought(self, me: str, _: str, posted: datetime) -> None:
        execute = self.connection.execute
        at = (posted - EPOCH) // MILLISECOND
        execute("BEGIN IMMEDIATE")
        execute('SELECT owner, posted, text FROM "table thoughts" WHERE owner = ? AND posted = ?', (me, at)).fetchone()
        if execute('SELECT 1 FROM "table users" WHERE username = ?', (me,)).fetchone() is None:
            raise LookupError(me)
        execute('INSERT OR REPLACE INTO "table thoughts" (owner, posted, text) VALUES (?, ?, ?)', (me, at, TEXT))
        execute("COMMIT")

    def subscribe(self, owner: str, target: str, _: datetime) -> None:
        execute = self.connection.execute
        execute("BEGIN IMMEDIATE")
        old = execute(
            'SELECT owner, target, approved FROM "table subscriptions" WHERE owner = ? AND target = ?', (owner, target)
        ).fetchone()
        if old is None:
            (count,) = execute(
                'SELECT count(*) FROM (SELECT 1 FROM "table subscriptions" WHERE owner = ? LIMIT 101)', (owner,)
            ).fetchone()
            if count >= 100:
                raise ValueError(owner)
            for user in (owner, target):
                if execute('SELECT 1 FROM "table users" WHERE username = ?', (user,)).fetchone() is None:
                    raise LookupError(user)
            execute(f'INSERT OR REPLACE INTO "{self._followers}" VALUES (?, ?)', (target, owner))
        execute(
            'INSERT OR REPLACE INTO "table subscriptions" (owner, target, approved) VALUES (?, ?, 0)', (owner, target)
        )
        execute("COMMIT")


def opened(path: Path) -> piql.Database:
    """Return a new database with the queries and users of the benchmark."""
    db = piql.connect(f"embedded:{path}?synchronous=NORMAL")
    db.deploy(piql.compile(SOURCE + WRITES + FOLLOWERS))
    db.load("users", ({"username": name(n), "hometown": "Oslo"} for n in range(USERS)))
    return db


def measure(variants: dict[str, Write], rounds: int, calls: int) -> dict[str, list[list[float]]]:
    """Return the microseconds of processor time of each call, by variant and round; every pair of users comes once."""
    chance = random.Random(7)
    times: dict[str, list[list[float]]] = {label: [] for label in variants}
    pairs = chance.sample(range(USERS * USERS), rounds * calls)
    for number in range(rounds):
        arguments = [
            (name(pairs[n] // USERS), name(pairs[n] % USERS), START + timedelta(milliseconds=n))
            for n in range(number * calls, (number + 1) * calls)
        ]
        for label in chance.sample(list(variants), len(variants)):
            run, taken = variants[label], []
            gc.collect()
            for argument in arguments:
                started = thread_time_ns()
                run(*argument)
                taken.append((thread_time_ns() - started) / 1000)
            times[label].append(taken)
    return times


def p99(times: Iterable[float]) -> float:
    """Return the 99th percentile."""
    return statistics.quantiles(times, n=100)[98]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=15)
    options.add_argument("--calls", type=int, default=200)
    chosen = options.parse_args()
    print(f"µs of processor time a write, {chosen.rounds} rounds of {chosen.calls}, synchronous=NORMAL")
    print(f"{'write':<14}{'engine p50':>12}{'by hand':>9}{'ratio':>7}{'engine p99':>12}{'by hand':>9}{'ratio':>7}")
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.db" for number in range(3)]
        with opened(paths[0]) as db, opened(paths[1]), opened(paths[2]):
            hand, again = ByHand(paths[1]), ByHand(paths[2])
            execute = db.execute
            cases: dict[str, dict[str, Write]] = {
                "postThought": {
                    "engine": lambda me, _, at: execute("postThought", {"me": me, "posted": at, "text": TEXT}),
                    "by hand": hand.post_thought,
                    "by hand again": again.post_thought,
                },
                "subscribe": {
                    "engine": lambda me, target, _: execute("subscribe", {"owner": me, "target": target}),
                    "by hand": hand.subscribe,
                    "by hand again": again.subscribe,
                },
            }
            for case, variants in cases.items():
                times = measure(variants, chosen.rounds, chosen.calls)
                middle = {
                    label: [statistics.median(durations) for durations in rounds] for label, rounds in times.items()
                }
                slow = {label: p99(chain.from_iterable(rounds)) for label, rounds in times.items()}
                pairs = zip(middle["engine"], middle["by hand"], strict=True)
                ratio = statistics.median(engine / by_hand for engine, by_hand in pairs)
                pairs = zip(middle["by hand again"], middle["by hand"], strict=True)
                same = statistics.median(seconds / base for seconds, base in pairs)
                print(
                    f"{case:<14}{statistics.median(middle['engine']):>12.1f}"
                    f"{statistics.median(middle['by hand']):>9.1f}{ratio:>7.2f}"
                    f"{slow['engine']:>12.1f}{slow['by hand']:>9.1f}{slow['engine'] / slow['by hand']:>7.2f}"
                    f"   by hand twice {same:.2f}"
                )
            counts = [
                store.execute('SELECT count(*) FROM "table subscriptions"').fetchone() for store in _both(db, hand)
            ]
            assert counts[0] == counts[1], counts
            hand.connection.close()
            again.connection.close()


def _both(db: piql.Database, hand: ByHand) -> list[sqlite3.Connection]:
    """Return the connections of the engine and of the hand-written code, to compare what they have written."""
    return [db.store.connection(), hand.connection]  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
