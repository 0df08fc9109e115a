"""Scale independence: the same users' queries among 10² … 10⁵ users: requests, and the times against the smallest.

PYTHONPATH=tools .venv/bin/python tools/cluster_benchmarks/scale.py [--nodes 3] [--most 5] [--rounds 25] [--load]

Rows are written without checking constraints, into one database for each size. Rows that are there stay, and `--load`
only loads. Every round runs all sizes and queries in a new order, and the smallest size twice: differences as small as
those between the two cannot be told from the noise of the machine.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from itertools import islice
from time import perf_counter
from typing import Any

import piql
from cql_speed import hosts
from keeping import VOID, add_keep, quantiles, same_twice, table
from piql.runtime.writing.transactional import TableWriter
from sample import START, name

EACH = 10  # subscriptions and thoughts of each user
ROWS_OF_ONE = 1 + 2 * EACH  # of one user, in all tables
CALLS = 40  # of each case in a round
CHUNK, CHUNKS_AT_ONCE = 4_000, 3  # rows of one put, and puts at a time
AGAIN = "the smallest again"
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
    """Return rows whose number for one user does not depend on how many users there are."""
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
    """Put rows into a table without checking constraints, without indexes and without the log of writes."""
    deployment = db.deployment
    writer = TableWriter(deployment.table(table), deployment, db.store)

    def put(chunk: list[dict[str, Any]]) -> None:
        entries = [entry for row in chunk for entry in writer.record.of(writer.make(row))]
        with db.store.transaction() as transaction:
            transaction.put(writer.record.prepared, entries)

    source = iter(rows)
    with ThreadPoolExecutor(CHUNKS_AT_ONCE) as pool:
        is_over = False
        while not is_over:
            chunks = [list(islice(source, CHUNK)) for _ in range(CHUNKS_AT_ONCE)]
            list(pool.map(put, filter(None, chunks)))
            is_over = not chunks[-1]


def fill(db: piql.Database, users: int) -> None:
    """Load the rows of a size where its last one is not there yet: an interrupted load begins anew."""
    db.deploy(piql.compile(SOURCE))
    if db.execute("myThoughts", {"me": name(users - 1)}).rows:
        return
    began = perf_counter()
    for table_name in ("users", "subscriptions", "thoughts"):
        write(db, table_name, rows_of(table_name, users))
    count = users * ROWS_OF_ONE
    print(f"{users:,} users: {count:,} rows in {perf_counter() - began:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--most", type=int, default=5, help="as a power of ten")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--load", action="store_true", help="load what is missing, and end")
    add_keep(parser)
    options = parser.parse_args()
    sizes = [10**power for power in range(2, options.most + 1)]
    with hosts(options.nodes) as addresses, ExitStack() as opened:
        url = f"cql://{','.join(addresses)}/piql_scale?timeout=30&prefix=s"
        dbs = {size: opened.enter_context(piql.connect(f"{url}{size}_")) for size in sizes}
        for size, db in dbs.items():
            fill(db, size)
        if not options.load:
            measure(dbs, options)


def measure(dbs: dict[int, piql.Database], options: argparse.Namespace) -> None:
    """Run the queries of the same users on every size, in shuffled rounds, and print a row for each."""
    smallest = min(dbs)
    labels = {f"{size:,}": size for size in dbs} | {AGAIN: smallest}
    chance = random.Random(1)
    times: dict[tuple[str, str], list[float]] = defaultdict(list)
    requests: dict[tuple[str, str], set[int]] = defaultdict(set)
    cases = [(query, label) for query in QUERIES for label in labels]
    words = (
        f"`scale.py`: the queries of the same users, {options.rounds} shuffled rounds of {CALLS} calls one after"
        f" another, {options.rounds * CALLS:,} calls a row; everybody has {EACH} subscriptions"
        f" and {EACH} thoughts. {VOID}"
    )
    columns = ("query", "#users", "#rows", "#requests of a call", "#p50 ms", "#p99 ms", "#p50 ratio", "#p99 ratio")
    with table("Users from 10² to 10⁵", words, (*columns, "#the same twice"), options.nodes, options.keep) as row:
        for round_ in range(-1, options.rounds):
            for query, label in chance.sample(cases, len(cases)):
                size = labels[label]
                for user in [name(chance.randrange(size)) for _ in range(CALLS)]:
                    began = perf_counter()
                    page = dbs[size].execute(query, {"me": user})
                    taken = perf_counter() - began
                    if round_ >= 0:  # the first round warms up
                        times[query, label].append(taken * 1000)
                        requests[query, label].add(page.operations)
        for query, label in cases:
            counts, first = requests[query, label], requests[query, f"{smallest:,}"]
            assert counts == first, f"{query} makes other requests among {label} users: {counts}, not {first}"
        for query in QUERIES:
            base = times[query, f"{smallest:,}"]
            same = same_twice(times[query, AGAIN], base)
            for size in dbs:
                middle, slow = quantiles(times[query, f"{size:,}"])
                first_middle, first_slow = quantiles(base)
                count = ", ".join(map(str, sorted(requests[query, f"{size:,}"])))
                ratios = f"{middle / first_middle:.2f}", f"{slow / first_slow:.2f}"
                row(query, f"{size:,}", f"{size * ROWS_OF_ONE:,}", count, f"{middle:.2f}", f"{slow:.2f}", *ratios, same)


if __name__ == "__main__":
    main()
