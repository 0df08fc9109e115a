"""Three ways to walk a partition of 10,000 rows by pages of 100: PIQL's cursors, the server's paging state, OFFSET.

PYTHONPATH=tools .venv/bin/python tools/cluster_benchmarks/paging.py [--nodes 3] [--walks 5] [--keep]

CQL has no OFFSET: its emulation asks for all rows up to the end of the page and drops those before it.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Iterator
from datetime import timedelta
from time import perf_counter

import piql
from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile, Session
from cassandra.policies import DCAwareRoundRobinPolicy, TokenAwarePolicy
from cassandra.query import tuple_factory
from cql_speed import hosts
from keeping import VOID, add_keep, same_twice, table
from sample import START
from scale import write

ROWS, PAGE = 10_000, 100
CURSOR, AGAIN = "PIQL's cursor (a key)", "PIQL's cursor again"
TITLE = "Three ways of paging"
SHOWN = (1, 2, 10, 50, 100)  # pages whose times are printed
SOURCE = f"""
CREATE TABLE thoughts (owner VARCHAR(32), posted TIMESTAMP, text VARCHAR(140), PRIMARY KEY (owner, posted));
CREATE QUERY pages AS
SELECT posted, text FROM thoughts WHERE owner = [1: me] ORDER BY posted DESC PAGINATE {PAGE};
"""
SELECT = "SELECT posted, text FROM piql_paging.thoughts WHERE owner = ? ORDER BY posted DESC"
Walk = Iterator[tuple[int, int]]  # of each page: requests, and rows that were sent


def by_cursor(db: piql.Database) -> Walk:
    """Walk a partition page by page with PIQL's cursors."""
    cursor = None
    while True:
        page = db.execute("pages", {"me": "ada"}, cursor)
        if page.rows:
            yield page.operations, len(page.rows)
        cursor = page.cursor
        if cursor is None:
            return


def by_paging_state(session: Session) -> Walk:
    """Walk the partition with the driver and the paging state of CQL."""
    statement = session.prepare(SELECT)
    statement.fetch_size = PAGE
    state = None
    while True:
        result = session.execute(statement, ("ada",), paging_state=state)
        rows = list(result.current_rows)
        if rows:
            yield 1, len(rows)
        state = result.paging_state
        if state is None:
            return


def by_offset(session: Session) -> Walk:
    """Walk the partition by reading from its start each time, with a growing LIMIT, of which only the end is used."""
    statement = session.prepare(f"{SELECT} LIMIT ?")
    statement.fetch_size = None
    for end in range(PAGE, ROWS + PAGE, PAGE):
        rows = list(session.execute(statement, ("ada", end)).current_rows)
        if len(rows) > end - PAGE:
            yield 1, len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--walks", type=int, default=5)
    add_keep(parser)
    options = parser.parse_args()
    chance = random.Random(1)
    with hosts(options.nodes) as addresses:
        db = piql.connect(f"cql://{','.join(addresses)}/piql_paging?timeout=30")
        db.deploy(piql.compile(SOURCE))
        rows = (
            {"owner": "ada", "posted": START + timedelta(seconds=at), "text": f"Thought {at}"} for at in range(ROWS)
        )
        if not db.execute("pages", {"me": "ada"}).rows:
            write(db, "thoughts", rows)
        profile = ExecutionProfile(
            load_balancing_policy=TokenAwarePolicy(DCAwareRoundRobinPolicy(local_dc="datacenter1")),
            row_factory=tuple_factory,
            request_timeout=30,
        )
        driver = Cluster(list(addresses), protocol_version=4, execution_profiles={EXEC_PROFILE_DEFAULT: profile})
        session = driver.connect()
        ways = {
            CURSOR: lambda: by_cursor(db),
            "the server's paging state": lambda: by_paging_state(session),
            "OFFSET, emulated": lambda: by_offset(session),
            AGAIN: lambda: by_cursor(db),
        }
        times: dict[str, list[list[float]]] = {label: [] for label in ways}
        sums: dict[str, tuple[int, int, int]] = {}
        words = (
            f"`paging.py`: a partition of {ROWS:,} rows by pages of {PAGE}, {options.walks} shuffled walks each; the"
            f" median of the walks for each page shown, and of the last ten pages against the first ten. {VOID}"
        )
        columns = ("way", "#pages", "#requests", "#rows sent", *(f"#page {at}, ms" for at in SHOWN))
        columns = (*columns, "#last against first ten", "#the same twice")
        with table(TITLE, words, columns, options.nodes, options.keep) as row:
            for walk in range(-1, options.walks):
                for label in chance.sample(list(ways), len(ways)):
                    taken: list[float] = []
                    requests = sent = 0
                    began = perf_counter()
                    for operations, count in ways[label]():
                        taken.append((perf_counter() - began) * 1000)
                        requests, sent = requests + operations, sent + count
                        began = perf_counter()
                    assert len(taken) == ROWS // PAGE, f"{label}: {len(taken)} pages"
                    sums[label] = requests, sent, len(taken)
                    if walk >= 0:
                        times[label].append(taken)
            same = same_twice(*([duration for walk in times[label] for duration in walk] for label in (AGAIN, CURSOR)))
            for label in list(ways)[:-1]:
                requests, sent, pages = sums[label]
                middles = [f"{statistics.median(walk[at - 1] for walk in times[label]):.2f}" for at in SHOWN]
                ratios = [statistics.median(walk[-10:]) / statistics.median(walk[:10]) for walk in times[label]]
                ratio = f"{statistics.median(ratios):.2f}"
                row(label, pages, requests, f"{sent:,}", *middles, ratio, same if label == CURSOR else "")
        driver.shutdown()
        db.close()


if __name__ == "__main__":
    main()
