"""Readers and writers, in threads and in another process, see no failure while the schema changes under them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from kept_results import kept_row
from patience import PATIENCE
from piql.versions.change.build import backfill_rate
from processes.nursery import nursery
from promises import broken_promises, records_of, unused_indexes

from .shop import ADD, BY_KIND, BY_WORD, GET, ITEMS, PRICE, REMOVE, row
from .working import Worker

LIST = "CREATE QUERY list AS SELECT id, title FROM items WHERE kind = [kind] ORDER BY id DESC LIMIT 5;\n"
QUERIES = GET + ADD + PRICE + REMOVE + LIST
FIRST = ITEMS.format(more=", CARDINALITY LIMIT 5000 (kind)") + QUERIES
ADDED_COLUMN = ITEMS.format(more=", colour VARCHAR(10) NULL, CARDINALITY LIMIT 5000 (kind)")
LOWERED = ADDED_COLUMN.replace("LIMIT 5000", "LIMIT 100")
ROWS = {"embedded": 6000, "cluster": 770}
CLUSTER = pytest.param("cluster", marks=[pytest.mark.cluster, pytest.mark.long])
__all__ = ["cluster", "cluster_keyspace", "cluster_url"]


@pytest.fixture(params=["embedded", CLUSTER])
def store(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def rows(store: str) -> int:
    return ROWS[store]


@pytest.fixture
def url(store: str, rows: int, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    is_file = store == "embedded"
    address = (
        f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL&wait_ms=120000"
        if is_file
        else request.getfixturevalue("cluster_url")()
    )
    with piql.connect(address) as db:
        db.deploy(piql.compile(FIRST))
        db.load("items", [row(at) for at in range(rows)])
    return str(address)


@pytest.fixture
def workers(url: str, rows: int, tmp_path: Path) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """Four workers on two connections in threads, one in another process; the fixture gives their accounts."""
    stop_file = tmp_path / "stop"
    job = {"job": "versions.working:work", "url": url, "rows": rows, "number": 9, "told": str(stop_file)}
    with nursery(FIRST) as nurse:
        stop = threading.Event()
        dbs = [piql.connect(url), piql.connect(url)]
        workers = [Worker(dbs[number % 2], number, rows) for number in range(1, 5)]
        threads = [threading.Thread(target=nurse.run, args=(job,))]
        threads += [threading.Thread(target=worker.run, args=(stop.is_set,)) for worker in workers]
        for thread in threads:
            thread.start()
        while not stop_file.with_suffix(".ready").exists() and threads[0].is_alive():
            time.sleep(0.01)

        def finish() -> list[dict[str, Any]]:
            stop.set()
            stop_file.touch()
            for thread in threads:
                thread.join()
            return [json.loads(stop_file.with_suffix(".9").read_text()), *(worker.account() for worker in workers)]

        yield finish
        stop.set()
        stop_file.touch()
        for thread in threads:
            thread.join()
        for db in dbs:
            db.close()


def test_nobody_sees_a_failure_while_the_schema_changes(
    url: str, rows: int, workers: Callable[[], list[dict[str, Any]]]
) -> None:
    what = "the schema changes under four threads and a process (add a column, build, pause, lower a limit, roll back)"
    with kept_row(url, what) as cells, piql.connect(url) as db:
        assert db.deploy(piql.compile(ADDED_COLUMN)).version == 2
        build = db.deploy(piql.compile(ADDED_COLUMN + BY_KIND + BY_WORD), background=True, rows_per_second=10)
        build.pause()
        assert build.progress.phase in ("filling", "checking")
        build._pace = backfill_rate(rows * 0.6)  # till now it was too slow to be over before it was paused
        build.resume()
        assert build.wait(PATIENCE).version == 3
        assert len(db.execute("byKind", {"kind": "k3"}).rows) == 5
        db.deploy(piql.compile("CREATE QUERY title AS SELECT title FROM items WHERE id = [id];" + ADDED_COLUMN))
        with pytest.raises(piql.CompilationRefused, match="at most 100 rows may share one kind, but 7 values"):
            db.deploy(piql.compile(LOWERED))
        assert db.rollback().version == 5
        assert db.rollback(background=True).wait(PATIENCE).version == 6
        accounts = workers()
        assert [failure for account in accounts for failure in account["failures"]] == []
        assert all(account["rounds"] >= Worker.LEAST for account in accounts)
        prices = {record["id"]: record["price"] for record in records_of(db.store, db.deployment.tables["items"])}
        for account in accounts:
            for key, price in account["model"].items():
                assert prices.get(int(key)) == price
        assert broken_promises(db) == []
        assert unused_indexes(db) == []
        cells += [
            f"{rows:,} rows, {sum(account['rounds'] for account in accounts)} rounds of reads and writes",
            "no request failed, every acknowledged write is there",
        ]
