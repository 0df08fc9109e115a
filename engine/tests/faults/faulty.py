"""A store that fails as networks and disks do, and a client that does what clients then do: it tries again.

before      nothing happened                     late      it happens after a pause
after       it happened, but nobody was told     partly    some of the batches were answered, and are lost
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import piql
from piql.store import open_store
from piql.store.base import Answers, Batch, Consistency, Store, Transaction
from piql.store.wrapper import StoreWrapper

T = TypeVar("T")
ATTEMPTS = 60


class FaultyStore(StoreWrapper):
    """Fails a part of its calls, drawn from a seed; `faults` counts what was done, `is_well` lets all through."""

    def __init__(self, behind: Store, rate: float, seed: int) -> None:
        super().__init__(behind)
        self._rate = rate
        self._chance = random.Random(seed)
        self._lock = threading.Lock()
        self.is_well = True
        self.faults: Counter[str] = Counter()

    def fault(self, where: str, *kinds: str) -> str:
        """Draw what happens to a call: one of the kinds, or nothing."""
        with self._lock:
            if self.is_well or self._chance.random() >= self._rate:
                return ""
            kind = self._chance.choice(kinds)
            self.faults[f"{where} {kind}"] += 1
        if kind == "late":
            time.sleep(0.0005)
        return kind

    def fail(self, where: str, kind: str) -> piql.StoreUnavailable:
        return piql.StoreUnavailable(f"injected: {where} {kind}")

    def call(self, where: str, work: Callable[[], T]) -> T:
        kind = self.fault(where, "before", "after", "late")
        if kind == "before":
            raise self.fail(where, kind)
        found = work()
        if kind == "after":
            raise self.fail(where, kind)
        return found

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        if self.fault("read", "partly"):
            self.behind.read_many(batches[: len(batches) // 2], consistency)
            raise self.fail("read", "partly")
        return self.call("read", lambda: self.behind.read_many(batches, consistency))

    def start_many(
        self,
        batches: Sequence[Batch],
        done: Callable[[Answers | Exception], None],
        consistency: Consistency | None = None,
    ) -> None:
        try:
            done(self.read_many(batches, consistency))
        except piql.StoreUnavailable as failure:
            done(failure)

    def settings(self) -> Mapping[str, str]:
        return self.call("settings", self.behind.settings)

    def version(self) -> int:
        return self.call("version", self.behind.version)

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        if self.fault("transaction", "before"):
            raise self.fail("transaction", "before")
        with self.behind.transaction() as transaction:
            yield _FaultyTransaction(transaction, self)  # type: ignore[misc]
            if self.fault("commit", "before"):
                raise self.fail("commit", "before")
        if self.fault("commit", "after"):
            raise self.fail("commit", "after")


class _FaultyTransaction:
    def __init__(self, behind: Transaction, store: FaultyStore) -> None:
        self._behind = behind
        self._store = store

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._behind, name)
        return lambda *arguments: self._store.call(name, lambda: method(*arguments))


class PersistentDatabase(piql.Database):
    """Repeats what the store did not answer; a refusal is none where a lost attempt had done what was asked."""

    def _persist(self, work: Callable[[], T], done_before: tuple[type[Exception], ...] = ()) -> T | None:
        faults = self.store.faults  # type: ignore[attr-defined]
        lost = faults["commit after"]
        for _ in range(ATTEMPTS):
            try:
                return work()
            except piql.StoreUnavailable:
                continue
            except done_before:
                if faults["commit after"] == lost:
                    raise
                return None
        raise AssertionError("the store never answers")

    def deploy(self, *arguments: Any, **named: Any) -> Any:
        return self._persist(lambda: super(PersistentDatabase, self).deploy(*arguments, **named))

    def load(self, table: str, rows: Any, *arguments: Any, **named: Any) -> Any:
        kept = list(rows)
        return self._persist(lambda: super(PersistentDatabase, self).load(table, kept, *arguments, **named))

    def execute(self, *arguments: Any, **named: Any) -> Any:
        again = (piql.DuplicateKey, piql.ConditionFailed)
        page = self._persist(lambda: super(PersistentDatabase, self).execute(*arguments, **named), again)
        return page or piql.Page([])

    def run(self, *arguments: Any, **named: Any) -> Any:
        again = (piql.DuplicateKey, piql.ConditionFailed)
        page = self._persist(lambda: super(PersistentDatabase, self).run(*arguments, **named), again)
        return page or piql.Page([])


def faulty_connect(
    rate: float, seed: int, opened: list[FaultyStore], made: type[piql.Database] = PersistentDatabase
) -> Callable[[str], piql.Database]:
    """Give what opens a database over a store that fails from then on."""

    def connect(url: str) -> piql.Database:
        store = FaultyStore(open_store(f"{url}?synchronous=NORMAL"), rate, seed)
        db = made(store)
        opened.append(store)
        store.is_well = False
        return db

    return connect
