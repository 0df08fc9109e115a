"""Readers and writers, in threads and in another process, see no failure while the schema changes under them."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import piql
import pytest
from promises import broken_promises, records_of, unused_indexes

from .shop import ADD, BY_KIND, BY_WORD, GET, ITEMS, PRICE, REMOVE, row

LIST = "CREATE QUERY list AS SELECT id, title FROM items WHERE kind = [kind] ORDER BY id DESC LIMIT 5;\n"
QUERIES = GET + ADD + PRICE + REMOVE + LIST
FIRST = ITEMS.format(more=", CARDINALITY LIMIT 5000 (kind)") + QUERIES
ADDED_COLUMN = ITEMS.format(more=", colour VARCHAR(10) NULL, CARDINALITY LIMIT 5000 (kind)")
LOWERED = ADDED_COLUMN.replace("LIMIT 5000", "LIMIT 100")
ROWS = 6000


@pytest.fixture
def url(tmp_path: Path) -> str:
    made = f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL"
    with piql.connect(made) as db:
        db.deploy(piql.compile(FIRST))
        db.load("items", [row(at) for at in range(ROWS)])
    return made


class Worker:
    """Writes rows of its own and reads them again, until told to stop; remembers what was acknowledged."""

    def __init__(self, db: piql.Database, number: int) -> None:
        self._db = db
        self._first = 100_000 * number
        self.model: dict[int, int | None] = {}  # the price of each row that it wrote; None when it removed it
        self.failures: list[str] = []
        self.rounds = 0

    def run(self, stop: Callable[[], bool]) -> None:
        while not stop():
            try:
                self._round()
            except Exception as failure:  # whatever it is, it should not have been
                self.failures.append(repr(failure))
            self.rounds += 1

    def _round(self) -> None:
        db, key = self._db, self._first + self.rounds
        db.execute("add", row(key))
        self.model[key] = key
        db.execute("reprice", {"id": key, "price": -key})
        self.model[key] = -key
        if self.rounds % 3 == 0:
            db.execute("remove", {"id": key})
            self.model[key] = None
        rows = db.execute("item", {"id": key}).rows
        assert [each["price"] for each in rows] == ([] if self.model[key] is None else [-key])
        assert len(db.execute("list", {"kind": f"k{self.rounds % 7}"}).rows) == 5
        db.execute("reprice", {"id": self.rounds % ROWS, "price": self.rounds})  # rows that others write, too


def worker_process(url: str, number: int, told: Path) -> int:
    """Run a worker in a child process until there is a file; it leaves its account beside it."""
    child = os.fork()
    if child == 0:
        try:
            with piql.connect(url) as db:
                worker = Worker(db, number)
                worker.run(told.exists)
                account = {"model": worker.model, "failures": worker.failures, "rounds": worker.rounds}
                told.with_suffix(f".{number}").write_text(json.dumps(account))
        finally:
            os._exit(0)
    return child


@pytest.fixture
def workers(url: str, tmp_path: Path) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """Four workers on two connections in threads, one in another process; the fixture gives their accounts."""
    told = tmp_path / "stop"
    child = worker_process(url, 9, told)
    stop = threading.Event()
    dbs = [piql.connect(url), piql.connect(url)]
    made = [Worker(dbs[number % 2], number) for number in range(1, 5)]
    threads = [threading.Thread(target=worker.run, args=(stop.is_set,)) for worker in made]
    for each in threads:
        each.start()

    def finish() -> list[dict[str, Any]]:
        stop.set()
        told.touch()
        for each in threads:
            each.join()
        os.waitpid(child, 0)
        other = json.loads(told.with_suffix(".9").read_text())
        return [other, *({"model": w.model, "failures": w.failures, "rounds": w.rounds} for w in made)]

    yield finish
    stop.set()
    told.touch()
    for each in dbs:
        each.close()


def test_nobody_sees_a_failure_while_the_schema_changes(url: str, workers: Callable[[], list[dict[str, Any]]]) -> None:
    with piql.connect(url) as db:
        assert db.deploy(piql.compile(ADDED_COLUMN)).version == 2
        build = db.deploy(piql.compile(ADDED_COLUMN + BY_KIND + BY_WORD), background=True, rows_per_second=10_000)
        build.pause()
        assert build.progress.phase in ("filling", "checking")
        build.resume()
        assert build.wait(120).version == 3
        assert len(db.execute("byKind", {"kind": "k3"}).rows) == 5
        db.deploy(piql.compile("CREATE QUERY title AS SELECT title FROM items WHERE id = [id];" + ADDED_COLUMN))
        with pytest.raises(piql.CompilationRefused, match="at most 100 rows are to share one kind, which 7 values"):
            db.deploy(piql.compile(LOWERED))
        assert db.rollback().version == 5
        assert db.rollback(background=True).wait(120).version == 6
        accounts = workers()
        assert [failure for each in accounts for failure in each["failures"]] == []
        assert all(each["rounds"] > 5 for each in accounts)
        kept = {record["id"]: record["price"] for record in records_of(db.store, db.deployment.tables["items"])}
        for each in accounts:
            for key, price in each["model"].items():
                assert kept.get(int(key)) == price
        assert broken_promises(db) == []
        assert unused_indexes(db) == []
