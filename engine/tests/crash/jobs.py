"""What the processes do that are killed: they write, deploy or load, and say what was acknowledged."""

from __future__ import annotations

import itertools
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import piql
from piql.store.base import Store, Transaction
from piql.store.open import open_store
from piql.store.wrapper import StoreWrapper

from .workload import operations

Tell = Callable[[str], None]


def write(job: dict[str, Any], number: int, tell: Tell) -> None:
    """Run operations without end, or `count` of them."""
    seed = job["seeds"][number]
    writer = chr(ord("a") + number)
    with piql.connect(job["url"]) as db:
        for operation in itertools.islice(operations(seed, writer, loads=job.get("loads", 2)), job.get("count")):
            try:
                operation.run(db, lambda _: tell("piece"))
            except piql.PiqlError as refusal:
                tell(f"done {type(refusal).__name__}")
            else:
                tell("done ok")


def write_and_leave_the_log(job: dict[str, Any], number: int, tell: Tell) -> None:
    """Run some operations, say after each how long the log has become, and end without a word to SQLite."""
    db = piql.connect(job["url"])
    log = Path(f"{db.store.path}-wal")  # type: ignore[attr-defined]
    for operation in itertools.islice(operations(job["seeds"][number], "a"), job["count"]):
        outcome = "ok"
        try:
            operation.run(db, lambda _: tell("piece"))
        except piql.PiqlError as refusal:
            outcome = type(refusal).__name__
        tell(f"done {outcome} {log.stat().st_size}")
    os._exit(0)


def write_and_die(job: dict[str, Any], number: int, tell: Tell) -> None:
    """Run the first operations of a seed, the last of them up to some call of the store."""
    *before, last = itertools.islice(operations(job["seeds"][number], "a"), job["count"])
    store = DyingStore(open_store(job["url"]))
    with piql.Database(store) as db:
        for operation in before:
            try:
                operation.run(db, lambda _: None)
            except piql.PiqlError:
                continue
        store.calls_left = job["calls"]
        try:
            last.run(db, lambda _: tell("piece"))
        except piql.PiqlError as refusal:
            tell(f"done {type(refusal).__name__}")
        else:
            tell("done ok")


def deploy(job: dict[str, Any], number: int, tell: Tell) -> None:
    """Deploy sets by turns, without end."""
    sets = [(piql.compile(text), forget) for text, forget in job["sets"]]
    with piql.connect(job["url"]) as db:
        tell("ready")
        for compilation, forget in itertools.cycle(sets):
            db.deploy(compilation, forget)
            tell("done ok")


def load(job: dict[str, Any], number: int, tell: Tell) -> None:
    """Load numbered rows, batch by batch."""
    with piql.connect(job["url"]) as db:
        tell("ready")
        rows = ({"id": at, "room": at // 100, "text": f"note {at}"} for at in range(job["rows"]))
        report = lambda loaded: tell(f"loaded {loaded}")  # noqa: E731
        db.load("notes", rows, report, batch_rows=job["batch_rows"], resume=job["resume"])
        tell("done ok")


class DyingStore(StoreWrapper):
    """Kills its process when `calls_left` calls of a transaction have been made; its beginning and end are calls."""

    def __init__(self, behind: Store) -> None:
        super().__init__(behind)
        self.calls_left = sys.maxsize

    def call(self) -> None:
        if self.calls_left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self.calls_left -= 1

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        self.call()
        with self.behind.transaction() as transaction:
            yield _DyingTransaction(transaction, self)  # type: ignore[misc]
            self.call()
        self.call()


class _DyingTransaction:
    def __init__(self, behind: Transaction, store: DyingStore) -> None:
        self._behind = behind
        self._store = store

    def __getattr__(self, name: str) -> Any:
        self._store.call()
        return getattr(self._behind, name)
