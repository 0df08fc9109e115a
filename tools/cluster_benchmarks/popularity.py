"""The paper's figure 7: who of 50 friends follows a target? The bounded plan against a scan of all who follow it.

PYTHONPATH=tools .venv/bin/python tools/cluster_benchmarks/popularity.py [--rounds 20] [--chart FILE.svg] [--keep]

The bounded plan gets 50 keys, however popular the target is. The other one is what a cost-based optimizer chooses while
targets are unpopular: one scan of the followers by target, of which those that are friends are kept.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import piql
from chart import Series, chart
from cql_speed import hosts
from keeping import VOID, add_keep, quantiles, same_twice, table
from sample import name
from scale import write

FRIENDS, CALLS = 50, 5  # calls of each case in a round
BOUNDED, AGAIN = "bounded: 50 gets", "bounded again"
TITLE = "Popular targets (figure 7)"
# Followers of the targets.
POPULARITIES = (10, 30, 100, 300, 1_000, 3_000, 10_000, 20_000)
SOURCE = f"""
CREATE TABLE subscriptions (target VARCHAR(32), owner VARCHAR(32), PRIMARY KEY (target, owner));
CREATE QUERY friendsAmong AS
SELECT owner FROM subscriptions WHERE target = [1: target] AND owner IN [2: friends] MAX {FRIENDS};
CREATE QUERY followers AS SELECT owner FROM subscriptions WHERE target = [1: target] LIMIT {max(POPULARITIES) + 1};
"""


def target(popularity: int) -> str:
    """Return the name of the target with so many followers."""
    return f"target{popularity}"


def bounded(db: piql.Database, popularity: int, friends: list[str]) -> tuple[set[Any], int]:
    """Return which friends follow a target, by one get for each, and how many requests that took."""
    page = db.execute("friendsAmong", {"target": target(popularity), "friends": friends})
    return {row["owner"] for row in page.rows}, page.operations


def scanned(db: piql.Database, popularity: int, friends: list[str]) -> tuple[set[Any], int]:
    """Return the same by reading all followers of the target."""
    page = db.execute("followers", {"target": target(popularity)})
    return {row["owner"] for row in page.rows}.intersection(friends), page.operations


WAYS = {BOUNDED: bounded, "unbounded: a scan of all followers": scanned}


def load(db: piql.Database) -> None:
    """Deploy, and load the followers of each target where an earlier run has not."""
    db.deploy(piql.compile(SOURCE))
    if db.execute("friendsAmong", {"target": target(POPULARITIES[-1]), "friends": [name(0)]}).rows:
        return
    for popularity in POPULARITIES:
        write(db, "subscriptions", ({"target": target(popularity), "owner": name(at)} for at in range(popularity)))


@dataclass
class Calls:
    """The milliseconds of the calls of one case, and how many requests they made."""

    times: list[float] = field(default_factory=list)
    requests: set[int] = field(default_factory=set)


Results = dict[tuple[str, int], Calls]
"""By the name of a way and the followers of the target."""


def measured(db: piql.Database, rounds: int) -> Results:
    """Call all cases in a new order each round, and check each answer; the first round is not counted."""
    chance = random.Random(1)
    results: Results = {(label, followers): Calls() for label in (*WAYS, AGAIN) for followers in POPULARITIES}
    for number in range(rounds + 1):
        for label, followers in chance.sample(list(results), len(results)):
            for _ in range(CALLS):
                strangers = chance.sample(range(1, 2 * max(POPULARITIES)), FRIENDS - 1)
                friends = [name(at) for at in (0, *strangers)]
                began = perf_counter()
                following, requests = WAYS.get(label, bounded)(db, followers, friends)
                milliseconds = (perf_counter() - began) * 1000
                assert following == {friend for friend in friends if friend < name(followers)}
                if number > 0:
                    results[label, followers].times.append(milliseconds)
                    results[label, followers].requests.add(requests)
    return results


def drawn(results: Results) -> str:
    """Return the chart of the medians, as SVG."""
    series = [
        Series(label, [(followers, quantiles(results[label, followers].times)[0]) for followers in POPULARITIES])
        for label in WAYS
    ]
    return chart("Who of 50 friends follows a target?", "followers of the target", "p50, milliseconds", series)


def main() -> None:
    """Measure both plans, print the table, and draw the chart if it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--chart", type=Path)
    add_keep(parser)
    options = parser.parse_args()
    words = (
        f"`popularity.py`: which of {FRIENDS} friends follow a target, {options.rounds} shuffled rounds of {CALLS}"
        f" calls, {options.rounds * CALLS} calls a row. {VOID}"
    )
    columns = ("#followers", "plan", "#requests", "#p50 ms", "#p99 ms", "#the same twice")
    with hosts(options.nodes) as addresses, piql.connect(f"cql://{','.join(addresses)}/piql_popular?timeout=30") as db:
        load(db)
        with table(TITLE, words, columns, options.nodes, options.keep, options.chart) as row:
            results = measured(db, options.rounds)
            for followers in POPULARITIES:
                same = same_twice(results[AGAIN, followers].times, results[BOUNDED, followers].times)
                for label in WAYS:
                    calls = results[label, followers]
                    (requests,) = calls.requests
                    p50, p99 = quantiles(calls.times)
                    twice = same if label == BOUNDED else ""
                    row(f"{followers:,}", label, requests, f"{p50:.2f}", f"{p99:.2f}", twice)
    if options.chart:
        options.chart.write_text(drawn(results))


if __name__ == "__main__":
    main()
