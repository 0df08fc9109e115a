"""A store whose time is stated: what is executed on it takes what the law says, and its exact quantiles follow."""

from dataclasses import replace

import numpy as np
import piql
import pytest
from piql.client.database import Database, Observation
from piql.store.open import open_store
from piql_profiler.measure.clock import VirtualClock
from piql_profiler.validation.known_truth.exact import exact
from piql_profiler.validation.known_truth.service_times import Call, ServiceTimes
from piql_profiler.validation.known_truth.store import KnownTruthStore
from scipy.stats import norm

SCADR = """
CREATE TABLE follows (owner VARCHAR(8), target VARCHAR(8), PRIMARY KEY (owner, target), CARDINALITY LIMIT 10 (owner));
CREATE TABLE thoughts (owner VARCHAR(8), posted INT, text VARCHAR(20), PRIMARY KEY (owner, posted));
CREATE QUERY stream AS SELECT t.owner, t.posted, t.text FROM follows f JOIN thoughts t ON t.owner = f.target
WHERE f.owner = [1: me] ORDER BY t.posted DESC LIMIT 2;
"""
FIXED = ServiceTimes(
    request_us=100,
    spread=0.0,
    shared=0.0,
    lasting_ms=50,
    issue_us=10,
    row_us=1,
    byte_ns=100,
    pauses_per_second=0.0,
    pause_ms=0.0,
)


@pytest.fixture
def seen() -> list[Observation]:
    return []


def connect(times: ServiceTimes, seen: list[Observation], clock: VirtualClock) -> tuple[Database, KnownTruthStore]:
    """Ada follows three, each of whom has five thoughts."""
    store = KnownTruthStore(open_store("embedded:?synchronous=NORMAL"), times, clock, seed=1)
    database = Database(store, seen.append, clock=clock.now)
    database.deploy(piql.compile(SCADR))
    database.load("follows", [{"owner": "ada", "target": target} for target in "bcd"])
    database.load("thoughts", [{"owner": owner, "posted": at, "text": "x"} for owner in "bcd" for at in range(5)])
    store.calls.clear()
    return database, store


def test_real_rows_come_after_the_stated_time(seen: list[Observation]) -> None:
    database, store = connect(FIXED, seen, VirtualClock())
    page = database.execute("stream", {"me": "ada"})
    assert [row["posted"] for row in page.rows] == [4, 4]
    assert store.calls == [Call(1, 3, 3 * 8), Call(3, 6, 6 * 32)]
    scan, join = 100 + 10 + 3 + 2.4, 100 + 30 + 6 + 19.2
    assert seen[0].elapsed_ms * 1000 == pytest.approx(scan + join, rel=1e-3)
    assert [operator.elapsed_ms * 1000 for operator in seen[0].operators] == pytest.approx([scan, join], rel=1e-3)
    assert exact(FIXED, store.calls, draws=1000).p99.estimate_us == pytest.approx(scan + join, rel=1e-3)


def test_the_quantile_of_one_request_is_that_of_its_law() -> None:
    p99 = exact(replace(FIXED, spread=0.5, shared=0.3), [Call(1, 0, 0)], draws=400_000).p99
    truth = 10 + 100 * np.exp(0.5 * norm.ppf(0.99))
    assert p99.low_us < p99.estimate_us < p99.high_us
    assert p99.estimate_us == pytest.approx(truth, rel=0.01)


def test_a_fan_out_takes_the_longest_of_its_requests() -> None:
    p99 = exact(replace(FIXED, spread=0.5, issue_us=0), [Call(20, 0, 0)], draws=400_000).p99
    assert p99.estimate_us == pytest.approx(100 * np.exp(0.5 * norm.ppf(0.99 ** (1 / 20))), rel=0.01)


def test_operators_that_share_a_cause_are_slow_together() -> None:
    calls = [Call(1, 0, 0), Call(1, 0, 0)]
    alone, together = (
        exact(replace(FIXED, spread=0.5, shared=shared), calls, draws=200_000).p99.estimate_us for shared in (0.0, 1.0)
    )
    assert together > 1.1 * alone


def test_what_is_executed_agrees_with_what_is_exact(seen: list[Observation]) -> None:
    times = replace(FIXED, spread=0.5, shared=0.4, pauses_per_second=1.0, pause_ms=5.0)
    clock = VirtualClock()
    database, store = connect(times, seen, clock)
    for _ in range(3_000):
        clock.spend(0.2)  # so that the common cause is another one
        database.execute("stream", {"me": "ada"})
    latencies = np.array([execution.elapsed_ms * 1000 for execution in seen])
    truth = exact(times, store.calls[:2], draws=200_000)
    assert np.quantile(latencies, 0.5) == pytest.approx(truth.histogram.quantile_us(0.5), rel=0.1)
    assert np.quantile(latencies, 0.99) == pytest.approx(truth.p99.estimate_us, rel=0.2)
