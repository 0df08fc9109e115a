"""A worker looks through all that it keeps when it has nothing to do, and not while somebody waits for an answer."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from multiprocessing import Pipe

import piql
import pytest
from piql_backend.worker_process.garbage import collect_when_idle, spare_what_stays


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """The collector as the other tests need it afterwards."""
    thresholds = gc.get_threshold()
    yield
    gc.set_threshold(*thresholds)
    gc.unfreeze()


def full_collections() -> int:
    return int(gc.get_stats()[2]["collections"])


def test_no_key_waits_for_a_collection_of_all_objects() -> None:
    spare_what_stays()
    before = full_collections()
    for limit in range(10, 20):
        table = f"CREATE TABLE t (a INT, b INT, CARDINALITY LIMIT {limit} (a), PRIMARY KEY (a, b));"
        queries = (f"CREATE QUERY q{number} AS SELECT * FROM t WHERE a = [a] AND b > {number};" for number in range(50))
        compilation = piql.compile("\n".join((table, *queries)))
        assert compilation.queries["q49"].is_bounded
    assert full_collections() == before


def test_an_idle_worker_looks_at_all_objects_and_a_busy_one_does_not() -> None:
    here, there = Pipe()
    with here, there:
        before = full_collections()
        there.send("a job")
        collect_when_idle(here, seconds=60)
        assert full_collections() == before
        here.recv()
        collect_when_idle(here, seconds=0.01)
        assert full_collections() == before + 1


def test_what_stays_is_left_out_of_collections() -> None:
    spare_what_stays()
    assert gc.get_freeze_count() > 1000
