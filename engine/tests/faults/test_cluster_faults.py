"""Nodes of a real cluster are killed and stopped, and connections cut, under a load of reads and writes: RF 3, QUORUM.

Over both drivers. What each test found is its row in docs/measurements/cluster.md, section Faults.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager

import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace
from cluster.running import Cluster
from kept_results import keep_row, kept_row

from .cutting import cut_one
from .load import Call, Ledger, Load, fill, until_it_works, untrue

__all__ = ["cluster", "cluster_keyspace"]
pytestmark = [pytest.mark.cluster, pytest.mark.long]

FAULTS, SECONDS = "Faults", "A silent node, second by second"
TIMEOUT = 5
Databases = list[piql.Database]


@pytest.fixture(scope="module")
def prefixes(cluster: Cluster, cluster_keyspace: str) -> Iterator[str]:
    """Return those of filled databases on nodes that have their schema on the disk, where a node does not write it."""
    all_prefixes = [f"f{at}_" for at in range(10)]
    for prefix in all_prefixes:
        with piql.connect(cluster.url(cluster_keyspace, f"prefix={prefix}&timeout={TIMEOUT}&consistency=QUORUM")) as db:
            fill(db)
    cluster.stop()
    cluster.start()
    cluster.wait()
    return iter(all_prefixes)


@pytest.fixture(params=["scylla", "rust"])
def driver(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def url(cluster: Cluster, cluster_keyspace: str, prefixes: Iterator[str], driver: str) -> Iterator[str]:
    """Lend the cluster to a test that breaks it, and make it whole again."""
    options = f"prefix={next(prefixes)}&timeout={TIMEOUT}&consistency=QUORUM&driver={driver}"
    yield cluster.url(cluster_keyspace, options)
    for node in cluster.nodes:
        node.resume()
        if not node.is_running():
            node.start()
    cluster.wait()


@pytest.fixture
def databases(url: str) -> Iterator[Databases]:
    """Return two connections: to the store they are two servers."""
    with piql.connect(url) as db, piql.connect(url) as other:
        yield [db, other]


def test_a_killed_node_costs_no_request_and_no_acknowledged_write(
    cluster: Cluster, url: str, databases: Databases
) -> None:
    victim = cluster.nodes[1]
    with row(url, "one of three nodes killed, and started again after 12 s") as cells:
        with Load(databases) as load:
            load.run(3)  # the first calls prepare their statements
            before = load.run(6)
            victim.kill()
            during = load.run(12)
            victim.start()
            cluster.wait()
            load.run(6)  # the drivers look for the node every 5 seconds
            after = load.run(6)
        cells += found(load.ledger, before, during, after)
        keep_seconds(url, "killed", load.ledger, before, during)
        assert untrue(databases[0], load.ledger) == []
        assert failures(load.ledger) == {}
        assert hanging(load.ledger) == []
        assert all(node.is_up for db in databases for node in db.store.topology().nodes)  # type: ignore[union-attr]


def test_a_node_that_is_stopped_for_ten_seconds_costs_no_request(
    cluster: Cluster, url: str, databases: Databases
) -> None:
    victim = cluster.nodes[2]
    with row(url, "one of three nodes stopped for 10 s") as cells:
        with Load(databases) as load:
            load.run(3)
            before = load.run(6)
            victim.pause()
            during = load.run(10)
            victim.resume()
            load.run(3)
            after = load.run(6)
        cells += found(load.ledger, before, during, after)
        keep_seconds(url, "stopped", load.ledger, before, during)
        assert untrue(databases[0], load.ledger) == []
        assert failures(load.ledger) == {}
        assert hanging(load.ledger) == []


def test_two_nodes_down_are_typed_errors_and_the_same_connections_work_when_they_are_back(
    cluster: Cluster, url: str, databases: Databases
) -> None:
    victims = cluster.nodes[1:]
    what = "two of three nodes killed for 15 s: errors are due"
    with row(url, what) as cells:
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
        cells += found(ledger, before, during, after)
        assert untrue(databases[0], ledger) == []
        assert hanging(ledger) == []
        assert [call for call in ledger.within(*before) + ledger.within(*after) if call.error] == []
        failed = [call for call in ledger.between(*during) if call.error]
        assert len(failed) > 10
        assert all("cluster" in call.error for call in failed)


def test_connections_that_are_cut_cost_no_acknowledged_write(cluster: Cluster, url: str, databases: Databases) -> None:
    chance, cuts = random.Random(2), 0
    what = "connections of the driver cut again and again for 15 s, also with answers under way: errors may come"
    with row(url, what) as cells:
        with Load(databases) as load:
            load.run(3)
            before = load.run(5)
            began = time.monotonic()
            while time.monotonic() < began + 15:
                cuts += cut_one(chance)
                time.sleep(chance.uniform(0.05, 0.5))
            during = began, time.monotonic()
            load.run(6)
            after = load.run(5)
        cells += found(load.ledger, before, during, after)
        assert cuts > 20
        assert untrue(databases[0], load.ledger) == []
        assert hanging(load.ledger) == []
        assert [call for call in load.ledger.within(*after) if call.error] == []


def test_writes_whose_answers_come_too_late_are_never_doubled_nor_half_done(
    cluster: Cluster, url: str, databases: Databases
) -> None:
    """Nodes pause for longer than the short timeout, at any moment: most writes then end in an error, and are made."""
    chance = random.Random(1)
    what = "one to three nodes stopped again and again for up to 1.2 s, with a timeout of 0.4 s: errors are due"
    with row(url, what) as cells:
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
        cells += found(load.ledger, before, during, after)
        assert untrue(databases[0], load.ledger) == []
        assert load.ledger.unsure.total() > 10


def row(url: str, what: str) -> AbstractContextManager[list[str]]:
    return kept_row(url, f"{what}; driver=rust" if "driver=rust" in url else what, FAULTS, has_seconds=False)


def keep_seconds(
    url: str, fault: str, ledger: Ledger, before: tuple[float, float], during: tuple[float, float]
) -> None:
    """Keep how many calls began in each of the first ten seconds of a fault, beside a second before it."""
    driver = "rust" if "driver=rust" in url else "scylla"
    usual = len(ledger.between(*before)) / (before[1] - before[0])
    seconds = [len(ledger.between(during[0] + second, during[0] + second + 1)) for second in range(10)]
    keep_row("cluster.md", SECONDS, [f"{fault}, driver={driver}", f"{usual:.0f}", *map(str, seconds)])


def failures(ledger: Ledger) -> dict[tuple[str, str], int]:
    return dict(Counter((call.query, call.error) for call in ledger.failed()))


def hanging(ledger: Ledger) -> list[Call]:
    """Return the calls that went on past their timeout: reads of one request at once, others after all of theirs."""
    return [call for call in ledger.calls if call.ms / 1000 > (TIMEOUT + 2 if call.query == "balance" else 4 * TIMEOUT)]


def found(ledger: Ledger, *spans: tuple[float, float]) -> list[str]:
    """Return the cells of a test's row; that nothing was lost is what the test holds after them."""
    counts = [f"{count:,}" for count in (len(ledger.calls), len(ledger.failed()), ledger.acknowledged())]
    longest = max(call.ms for call in ledger.calls) / 1000
    return [*counts, "0", *(quantiles(ledger.between(*span)) for span in spans), f"{longest:.1f} s"]


def quantiles(calls: list[Call]) -> str:
    took = sorted(call.ms for call in calls)
    return f"{took[len(took) // 2]:,.0f} / {took[int(len(took) * 0.99)]:,.0f} ms" if took else "–"
