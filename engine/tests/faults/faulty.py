"""A store that fails as networks and disks do, and a client that does what clients then do: it tries again.

before      nothing happened                     late      it happens after a pause
after       it happened, but nobody was told     partly    some of the batches were answered, and are lost

The steps of a store without transactions fail in `faulty_row_writes`.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, TypeVar

import piql
from oracle.query import Insert
from oracle.query_generator import QueryCase
from oracle.values import CLOCK
from oracle.world import World
from piql.runtime.writing.stepped.backoff import WaitPolicy
from piql.store.base import Answers, Batch, Consistency, Store, Transaction
from piql.store.open import open_store
from piql.store.row_writes import SingleRowWrites
from piql.store.wrapper import StoreWrapper
from promises import broken_promises

from .faulty_row_writes import FaultyRowWrites, Overdue

T = TypeVar("T")
ATTEMPTS = 60


class FaultyStore(StoreWrapper):
    """Fails a part of its calls, drawn from a seed; `faults` counts what was done, `is_well` lets all through."""

    def __init__(self, behind: Store, rate: float, seed: int) -> None:
        super().__init__(behind)
        self._rate = rate
        self._chance = random.Random(seed)
        self._lock = threading.Lock()
        self._faulty_row_writes = FaultyRowWrites(behind.row_writes, self) if behind.row_writes is not None else None
        self.overdue = Overdue(seed)
        self.is_well = True
        self.faults: Counter[str] = Counter()
        self.changed_records = 0  # single steps that changed a record or may yet do so

    @property
    def row_writes(self) -> SingleRowWrites | None:
        return self._faulty_row_writes

    def shuffled(self, items: Sequence[T]) -> list[T]:
        with self._lock:
            return self._chance.sample(items, len(items))

    @property
    def lost(self) -> int:
        """Say how often what a caller asked for may have been done although an error was all that it heard."""
        return self.faults["commit after"] + self.changed_records

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
        result = work()
        if kind == "after":
            raise self.fail(where, kind)
        return result

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
    """Repeats what the store did not answer; a refusal is none where a lost attempt had done what was asked.

    In the end, all that was on its way having come, every promise holds. Where an attempt was lost, nothing tells which
    rows the write affected (`knows_rows_affected`): the last attempt may find its work done.
    """

    knows_rows_affected = True

    def close(self) -> None:
        store: FaultyStore = self.store  # type: ignore[assignment]
        store.is_well = True
        store.overdue.arrive()
        self.sweep(older_than=-1)
        broken = broken_promises(self)
        super().close()
        assert broken == [], broken

    def _persist(self, work: Callable[[], T], done_before: tuple[type[Exception], ...] = ()) -> T | None:
        store: FaultyStore = self.store  # type: ignore[assignment]
        lost = store.lost
        last: Exception | None = None
        for attempt in range(ATTEMPTS):
            self.knows_rows_affected = attempt == 0
            try:
                return work()
            except piql.StoreUnavailable as failure:
                last = failure
            except piql.RepairPending as failure:
                last = failure
                with suppress(piql.StoreUnavailable):
                    self.sweep(older_than=-1)
            except done_before:
                if store.lost == lost:
                    raise
                return None
        raise AssertionError(f"the store never answers: {last}")

    def deploy(self, *arguments: Any, **named: Any) -> Any:
        return self._persist(lambda: super(PersistentDatabase, self).deploy(*arguments, **named))

    def load(self, table: str, rows: Any, *arguments: Any, **named: Any) -> Any:
        """Load what others are not to see in part at once; without transactions that is one row."""
        all_rows = list(rows)
        pieces = [all_rows] if self.store.row_writes is None else [[row] for row in all_rows]
        for piece in pieces:
            self._persist(lambda piece=piece: super(PersistentDatabase, self).load(table, piece, *arguments, **named))  # type: ignore[misc]
        return len(all_rows)

    def execute(self, *arguments: Any, **named: Any) -> Any:
        again = (piql.DuplicateKey, piql.ConditionFailed)
        page = self._persist(lambda: super(PersistentDatabase, self).execute(*arguments, **named), again)
        return page or piql.Page([])

    def run(self, *arguments: Any, **named: Any) -> Any:
        again = (piql.DuplicateKey, piql.ConditionFailed)
        page = self._persist(lambda: super(PersistentDatabase, self).run(*arguments, **named), again)
        return page or piql.Page([])


def with_repeatable_writes(world: World) -> World:
    """Return the world without the INSERTs of several rows that a client cannot repeat after a lost answer.

    They go row by row. A `DuplicateKey` of the second attempt may name a row that the first one wrote, and the rows
    after it are not written; only ON CONFLICT lets such an INSERT be repeated.
    """

    def can_be_repeated(case: QueryCase) -> bool:
        query = case.query
        return not (isinstance(query, Insert) and (query.more or query.given) and query.conflict is None)

    return replace(world, writes=tuple(filter(can_be_repeated, world.writes)))


def faulty_connect(
    rate: float,
    seed: int,
    opened: list[FaultyStore],
    made: type[piql.Database] = PersistentDatabase,
    scheme: str = "embedded",
) -> Callable[[str], piql.Database]:
    """Return what opens a database over a store that fails from then on; it takes nobody for alive who failed."""

    def connect(url: str) -> piql.Database:
        store = FaultyStore(open_store(f"{scheme}:?synchronous=NORMAL"), rate, seed)
        patience = WaitPolicy(patience=0.0, sleep=lambda seconds: None)
        db = made(store, wait_policy=patience, now=lambda: CLOCK)
        opened.append(store)
        store.is_well = False
        return db

    return connect
