"""Nodes of a real cluster are killed and stopped under a load of reads and writes: RF 3, QUORUM.

What was found is kept in docs/measurements/cluster.md, section Faults.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator

import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace
from cluster.running import Cluster
from kept_results import keep_section

from .load import Call, Ledger, Load, fill, until_it_works, untrue

__all__ = ["cluster", "cluster_keyspace"]
pytestmark = [pytest.mark.cluster, pytest.mark.long]

TIMEOUT = 5
Databases = list[piql.Database]


@pytest.fixture(scope="module")
def urls(cluster: Cluster, cluster_keyspace: str) -> Iterator[str]:
    """Give filled databases on nodes that have their schema on the disk: test nodes do not write it there at once."""
    made = [cluster.url(cluster_keyspace, f"prefix=f{at}_&timeout={TIMEOUT}&consistency=QUORUM") for at in range(4)]
    for each in made:
        with piql.connect(each) as db:
            fill(db)
    cluster.stop()
    cluster.start()
    cluster.wait()
    return iter(made)


@pytest.fixture
def url(cluster: Cluster, urls: Iterator[str]) -> Iterator[str]:
    """Lend the cluster to a test that breaks it, and make it whole again."""
    yield next(urls)
    for node in cluster.nodes:
        node.resume()
        if not node.is_running():
            node.start()
    cluster.wait()


@pytest.fixture
def databases(url: str) -> Iterator[Databases]:
    """Give two connections: to the store they are two servers."""
    with piql.connect(url) as db, piql.connect(url) as other:
        yield [db, other]


@pytest.fixture(scope="module")
def results() -> Iterator[dict[str, str]]:
    """Collect a row of each test for the page; kept when all have given theirs."""
    rows: dict[str, str] = {}
    yield rows
    if len(rows) == len(ROWS):
        keep_section("cluster.md", "Faults", PAGE + "\n".join(rows[name] for name in ROWS))


def test_a_killed_node_costs_no_request_and_no_acknowledged_write(
    cluster: Cluster, databases: Databases, results: dict[str, str]
) -> None:
    victim = cluster.nodes[1]
    with Load(databases) as load:
        load.run(3)  # the first calls prepare their statements
        before = load.run(6)
        victim.kill()
        during = load.run(12)
        victim.start()
        cluster.wait()
        load.run(6)  # the drivers look for the node every 5 seconds
        after = load.run(6)
    what = "one of three nodes killed, and started again after 12 s"
    assert untrue(databases[0], load.ledger) == []
    results["killed"] = row(what, load.ledger, before, during, after)
    assert failures(load.ledger) == {}
    assert all(node.is_up for db in databases for node in db.store.topology().nodes)  # type: ignore[union-attr]


def test_a_node_that_is_stopped_for_ten_seconds_costs_no_request(
    cluster: Cluster, databases: Databases, results: dict[str, str]
) -> None:
    victim = cluster.nodes[2]
    with Load(databases) as load:
        load.run(3)
        before = load.run(6)
        victim.pause()
        during = load.run(10)
        victim.resume()
        load.run(3)
        after = load.run(6)
    assert untrue(databases[0], load.ledger) == []
    results["stopped"] = row("one of three nodes stopped for 10 s", load.ledger, before, during, after)
    assert failures(load.ledger) == {}


def test_two_nodes_down_are_typed_errors_and_the_same_connections_work_when_they_are_back(
    cluster: Cluster, databases: Databases, results: dict[str, str]
) -> None:
    victims = cluster.nodes[1:]
    with Load(databases) as load:
        load.run(3)
        before = load.run(5)
        for node in victims:
            node.kill()
        during = load.run(15)
        for node in victims:
            node.start()
        cluster.wait()
        for db in databases:
            until_it_works(lambda db=db: db.execute("balance", {"id": 0}, consistency="quorum"))  # type: ignore[misc]
        load.run(6)
        after = load.run(6)
    ledger = load.ledger
    assert untrue(databases[0], ledger) == []
    results["two down"] = row("two of three nodes killed for 15 s: errors are due", ledger, before, during, after)
    assert [call for call in ledger.within(*before) + ledger.within(*after) if call.error] == []
    failed = [call for call in ledger.between(*during) if call.error]
    assert len(failed) > 10
    assert all("cluster" in call.error for call in failed)


def test_writes_whose_answers_come_too_late_are_never_doubled_nor_half_done(
    cluster: Cluster, url: str, databases: Databases, results: dict[str, str]
) -> None:
    """Nodes pause for longer than the short timeout, at any moment: most writes then end in an error, and are made."""
    chance = random.Random(1)
    hasty = [piql.connect(url.replace(f"timeout={TIMEOUT}", "timeout=0.4") + "&speculative=60") for _ in range(2)]
    with Load(hasty, clients=8) as load:
        load.run(3)
        before = load.run(5)
        began = time.monotonic()
        while time.monotonic() < began + 25:
            paused = chance.sample(cluster.nodes, chance.choice((1, 2, 2, 3)))
            for node in paused:
                node.pause()
            time.sleep(chance.uniform(0.05, 1.2))
            for node in paused:
                node.resume()
            time.sleep(chance.uniform(0.1, 1.0))
        during = began, time.monotonic()
        load.run(5)
        after = load.run(5)
    for db in hasty:
        db.close()
    what = "one to three nodes stopped again and again for up to 1.2 s, with a timeout of 0.4 s: errors are due"
    assert untrue(databases[0], load.ledger) == []
    results["late"] = row(what, load.ledger, before, during, after)
    assert load.ledger.unsure.total() > 10


def failures(ledger: Ledger) -> dict[tuple[str, str], int]:
    return dict(Counter((call.query, call.error) for call in ledger.failed()))


ROWS = ("killed", "stopped", "two down", "late")


def row(what: str, ledger: Ledger, *spans: tuple[float, float]) -> str:
    latencies = " | ".join(quantiles(ledger.between(*span)) for span in spans)
    failed, longest = len(ledger.failed()), max(call.ms for call in ledger.calls) / 1000
    print(what, len(ledger.calls), failed, ledger.acknowledged(), latencies, longest, sep=" | ")
    counts = f"{len(ledger.calls):,} | {failed:,} | {ledger.acknowledged():,} | 0"
    return f"| {what} | {counts} | {latencies} | {longest:.1f} s |"


def quantiles(calls: list[Call]) -> str:
    took = sorted(call.ms for call in calls)
    return f"{took[len(took) // 2]:,.0f} / {took[int(len(took) * 0.99)]:,.0f} ms" if took else "–"


PAGE = """\
Three Cassandra nodes on one machine of two cores, which the clients share: latencies are to be compared along a row,
not with those of a cluster of machines. Three copies of each row, reads and writes at QUORUM, the options of the URL
at their defaults where a row says nothing else (speculative copies after 100 ms, of conditional changes after 500 ms;
timeout 5 s). Six clients (eight in the last row) on two connections; each waits for its answer, and 4 ms more, before
its next call: increases of 64 counters, inserts under IF NOT EXISTS with a foreign key, updates that move a row between
groups under a CARDINALITY LIMIT, gets, range reads of an index, and joins of up to 40 parallel reads.

Afterwards every increase, event and read is held to what the clients were told, every entry of every index to the
records, and every limit and reference is counted. *Lost* are acknowledged writes that are not there; *or doubled*,
writes that were made more often than they were asked for. One of either fails the test that writes this section,
`engine/tests/faults/test_cluster_faults.py`, and so does an answer that is neither whole nor a typed error.
*Longest* is one call: a write is several requests, and each has the whole timeout.

| what happened | calls | failed | writes acknowledged | lost or doubled | p50 / p99 before | during | after | longest |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""
