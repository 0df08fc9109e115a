"""Three ways to walk a partition of 10,000 rows by pages of 100: PIQL's cursors, the server's paging state, OFFSET.

PYTHONPATH=tools .venv/bin/python tools/cluster_benchmarks/paging.py [--nodes 3] [--walks 5] [--keep]

CQL has no OFFSET: its emulation asks for all rows up to the end of the page and drops those before it.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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


def open_database(addresses: Sequence[str]) -> piql.Database:
    """Connect by PIQL, and load the partition where an earlier run has not."""
    db = piql.connect(f"cql://{','.join(addresses)}/piql_paging?timeout=30")
    db.deploy(piql.compile(SOURCE))
    if not db.execute("pages", {"me": "ada"}).rows:
        moments = (START + timedelta(seconds=number) for number in range(ROWS))
        rows = ({"owner": "ada", "posted": at, "text": f"Thought {number}"} for number, at in enumerate(moments))
        write(db, "thoughts", rows)
    return db


def open_driver(addresses: Sequence[str]) -> Cluster:
    """Connect by the driver alone, with requests sent to a node that has the partition."""
    profile = ExecutionProfile(
        load_balancing_policy=TokenAwarePolicy(DCAwareRoundRobinPolicy(local_dc="datacenter1")),
        row_factory=tuple_factory,
        request_timeout=30,
    )
    return Cluster(list(addresses), protocol_version=4, execution_profiles={EXEC_PROFILE_DEFAULT: profile})


@dataclass
class Walks:
    """The walks of one way: in each, the milliseconds of each page, and what the last one asked for and was sent."""

    times: list[list[float]] = field(default_factory=list)
    requests: int = 0
    rows_sent: int = 0

    def add(self, walk: Walk) -> None:
        """Walk the partition, and note how long each page takes."""
        times: list[float] = []
        self.requests = self.rows_sent = 0
        began = perf_counter()
        for requests, rows in walk:
            times.append((perf_counter() - began) * 1000)
            self.requests, self.rows_sent = self.requests + requests, self.rows_sent + rows
            began = perf_counter()
        assert len(times) == ROWS // PAGE, f"{len(times)} pages"
        self.times.append(times)

    def all_times(self) -> list[float]:
        """Return the times of all pages of all walks."""
        return [milliseconds for walk in self.times for milliseconds in walk]

    def cells(self) -> tuple[str, ...]:
        """Return the medians of the pages that are shown, and how much longer the last ten take than the first ten."""
        medians = [f"{statistics.median(walk[at - 1] for walk in self.times):.2f}" for at in SHOWN]
        ratios = [statistics.median(walk[-10:]) / statistics.median(walk[:10]) for walk in self.times]
        return *medians, f"{statistics.median(ratios):.2f}"


def measured(ways: Mapping[str, Callable[[], Walk]], walks: int) -> dict[str, Walks]:
    """Walk in all ways, in a new order each time; a first walk of each is not counted."""
    chance = random.Random(1)
    for way in ways.values():
        Walks().add(way())
    results = {label: Walks() for label in ways}
    for _ in range(walks):
        for label in chance.sample(list(ways), len(ways)):
            results[label].add(ways[label]())
    return results


def main() -> None:
    """Measure the ways, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--walks", type=int, default=5)
    add_keep(parser)
    options = parser.parse_args()
    words = (
        f"`paging.py`: a partition of {ROWS:,} rows by pages of {PAGE}, {options.walks} shuffled walks each; the"
        f" median of the walks for each page shown, and of the last ten pages against the first ten. {VOID}"
    )
    pages = (f"#page {at}, ms" for at in SHOWN)
    columns = ("way", "#pages", "#requests", "#rows sent", *pages, "#last against first ten", "#the same twice")
    with hosts(options.nodes) as addresses, open_database(addresses) as db:
        driver = open_driver(addresses)
        session = driver.connect()
        ways = {
            CURSOR: lambda: by_cursor(db),
            "the server's paging state": lambda: by_paging_state(session),
            "OFFSET, emulated": lambda: by_offset(session),
            AGAIN: lambda: by_cursor(db),
        }
        with table(TITLE, words, columns, options.nodes, options.keep) as row:
            results = measured(ways, options.walks)
            same = same_twice(results[AGAIN].all_times(), results[CURSOR].all_times())
            for label in list(ways)[:-1]:
                walks = results[label]
                twice = same if label == CURSOR else ""
                row(label, ROWS // PAGE, walks.requests, f"{walks.rows_sent:,}", *walks.cells(), twice)
        driver.shutdown()


if __name__ == "__main__":
    main()
