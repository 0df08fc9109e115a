"""Scale independence: the same users' queries among 10² … 10⁵ users: requests, and the times against the smallest.

PYTHONPATH=.ci .venv/bin/python engine/benchmarks/on_cluster/scale.py [--nodes 3] [--most 5] [--rounds 25]

The rows are written past the constraints, into databases side by side, one for each size. Every round runs all sizes
and queries in a new order.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import islice
from time import perf_counter
from typing import Any

import piql
from cql_speed import hosts
from sample import START, name

EACH, CALLS, CHUNK = 10, 40, 4_000
SOURCE = f"""
CREATE TABLE users (username VARCHAR(32) PRIMARY KEY, hometown VARCHAR(64));
CREATE TABLE subscriptions (
  owner VARCHAR(32), target VARCHAR(32), approved BOOLEAN,
  PRIMARY KEY (owner, target), CARDINALITY LIMIT {EACH} (owner));
CREATE TABLE thoughts (owner VARCHAR(32), posted TIMESTAMP, text VARCHAR(140), PRIMARY KEY (owner, posted));
CREATE QUERY findUser AS SELECT username, hometown FROM users WHERE username = [1: me];
CREATE QUERY myThoughts AS
SELECT posted, text FROM thoughts WHERE owner = [1: me] ORDER BY posted DESC LIMIT 10;
CREATE QUERY thoughtstream AS
SELECT t.owner, t.posted, t.text FROM subscriptions s JOIN thoughts t ON t.owner = s.target
WHERE s.owner = [1: me] AND s.approved = TRUE ORDER BY t.posted DESC LIMIT 10;
"""
QUERIES = ("findUser", "myThoughts", "thoughtstream")
Rows = Iterator[dict[str, Any]]


def rows_of(table: str, users: int) -> Rows:
    """Give rows whose number for one user does not depend on how many users there are."""
    chance = random.Random(table)
    for number in range(users):
        owner = name(number)
        if table == "users":
            yield {"username": owner, "hometown": f"town{number % 24}"}
        elif table == "subscriptions":
            for target in chance.sample(range(users), EACH):
                yield {"owner": owner, "target": name(target), "approved": True}
        else:
            for at in range(EACH):
                yield {
                    "owner": owner,
                    "posted": START + timedelta(milliseconds=at * 10**6 + number),
                    "text": f"Thought {at} of {owner}: something worth remembering",
                }


def write(db: piql.Database, table: str, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows as they are, past constraints and the log of writes."""
    writer = db._writer(db._prepared, table)
    source = iter(rows)
    while some := list(islice(source, CHUNK)):
        records = [writer.make(row) for row in some]
        with db.store.transaction() as transaction:
            transaction.put(writer.record.prepared, [entry for each in records for entry in writer.record.of(each)])


def fill(db: piql.Database, users: int) -> None:
    db.deploy(piql.compile(SOURCE))
    if db.execute("myThoughts", {"me": name(users - 1)}).rows:
        return
    began = perf_counter()
    for table in ("users", "subscriptions", "thoughts"):
        write(db, table, rows_of(table, users))
    count = users * (1 + 2 * EACH)
    print(f"{users:,} users: {count:,} rows in {perf_counter() - began:.0f} s", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--nodes", type=int, default=3)
    options.add_argument("--most", type=int, default=5, help="as a power of ten")
    options.add_argument("--rounds", type=int, default=25)
    given = options.parse_args()
    sizes = [10**power for power in range(2, given.most + 1)]
    chance = random.Random(1)
    times: dict[tuple[str, int], list[float]] = defaultdict(list)
    requests: dict[tuple[str, int], list[int]] = defaultdict(list)
    with hosts(given.nodes) as addresses:
        url = f"cql://{','.join(addresses)}/piql_scale?timeout=30&prefix=s"
        dbs = {size: piql.connect(f"{url}{size}_") for size in sizes}
        for size, db in dbs.items():
            fill(db, size)
        cases = [(query, size) for query in QUERIES for size in sizes]
        for round_ in range(-1, given.rounds):
            for query, size in chance.sample(cases, len(cases)):
                users = [name(chance.randrange(size)) for _ in range(CALLS)]
                for user in users:
                    began = perf_counter()
                    page = dbs[size].execute(query, {"me": user})
                    taken = perf_counter() - began
                    if round_ >= 0:  # the first round warms up
                        times[query, size].append(taken * 1000)
                        requests[query, size].append(page.operations)
        for db in dbs.values():
            db.close()
    print("| query | users | requests of a call | p50 ms | p99 ms | p50 against 10² | p99 against 10² |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for query, size in cases:
        middle, slow = _quantiles(times[query, size])
        first_middle, first_slow = _quantiles(times[query, sizes[0]])
        made = sorted(set(requests[query, size]))
        assert made == sorted(set(requests[query, sizes[0]])), (
            f"{query} makes other requests among {size} users: {made}"
        )
        print(
            f"| {query} | {size:,} | {', '.join(map(str, made))} | {middle:.2f} | {slow:.2f}"
            f" | {middle / first_middle:.2f} | {slow / first_slow:.2f} |"
        )


def _quantiles(values: list[float]) -> tuple[float, float]:
    return statistics.median(values), statistics.quantiles(values, n=100)[98]


if __name__ == "__main__":
    main()
