"""Single steps that fail as requests to a cluster do: the write protocol of a store without transactions under faults.

before     nothing happened                              after     it happened, but nobody was told
late       it happens after a pause                      partly    some changes of several happened
overdue    it happens when nobody waits for it any more, behind requests that were made after it
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from piql.errors import StoreUnavailable
from piql.store.row_writes import Cell, EntryChange, RecordChange, SingleRowWrites, StoredRecord, Swap
from piql.store.rows import PreparedEntries, Row, State
from piql.store.stepwise.one_by_one import OneByOne

if TYPE_CHECKING:
    from .faulty import FaultyStore

T = TypeVar("T")
READING = ("before", "after", "late")
CHANGING = (*READING, "overdue")


class Overdue:
    """The changes that are still on their way; each arrives once, in any order."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._lock = threading.Lock()
        self._waiting: list[Callable[[], Any]] = []

    def add(self, change: Callable[[], Any]) -> None:
        with self._lock:
            self._waiting.append(change)

    def arrive(self, likely: float = 1.0) -> int:
        """Let each that waits arrive with some likelihood, and say how many did."""
        with self._lock:
            arriving = [step for step in self._waiting if self._chance.random() < likely]
            self._waiting = [step for step in self._waiting if step not in arriving]
        for step in self._chance.sample(arriving, len(arriving)):
            step()
        return len(arriving)


class FaultyRowWrites(OneByOne):
    """Fails a part of the steps as its store draws it; of many at once, those of which nobody knows are not done."""

    def __init__(self, behind: SingleRowWrites, store: FaultyStore) -> None:
        self._behind = behind
        self._store = store

    @property
    def writers(self) -> int:
        return self._behind.writers

    def _call(self, where: str, kinds: Sequence[str], work: Callable[[], T]) -> T:
        self._store.overdue.arrive(0.0 if self._store.is_well else 0.2)
        kind = self._store.fault(where, *kinds)
        if kind == "overdue":
            self._store.overdue.add(work)
        if kind in ("before", "overdue"):
            raise self._store.fail(where, kind)
        result = work()
        if kind == "after":
            raise self._store.fail(where, kind)
        return result

    def find(self, records: PreparedEntries, key: Row, is_serial: bool = False) -> StoredRecord | None:
        return self._call("find", READING, lambda: self._behind.find(records, key, is_serial))

    def change(
        self, records: PreparedEntries, row: Row, state: State, write: str, known: str | None
    ) -> tuple[bool, StoredRecord | None]:
        def work() -> tuple[bool, StoredRecord | None]:
            return self._behind.change(records, row, state, write, known)

        is_deciding = self._is_deciding(records, row, state)
        before = self._store.faults["change before"]
        try:
            return self._call("change", CHANGING, work)
        finally:
            self._store.changed_records += is_deciding and self._store.faults["change before"] == before

    def _is_deciding(self, records: PreparedEntries, row: Row, state: State) -> bool:
        """Return whether a change lets readers see another row than before; what settles leaves rows as they are."""
        record = self._behind.find(records, row[: records.key_length])
        is_there = record is not None and record.state in (State.VISIBLE, State.DOUBTFUL)
        if state is State.GONE:
            return is_there
        return state is State.VISIBLE and not (is_there and record is not None and record.row == row)

    def change_entries(self, changes: Sequence[EntryChange]) -> None:
        if self._store.fault("entries", "partly"):
            mixed = self._store.shuffled(changes)
            half = len(mixed) // 2
            self._behind.change_entries(mixed[:half])
            if self._store.shuffled("or")[0] == "o":
                self._store.overdue.add(lambda: self._behind.change_entries(mixed[half:]))
            raise self._store.fail("entries", "partly")
        self._call("entries", CHANGING, lambda: self._behind.change_entries(changes))

    def cells(self, group: str, limit: int, after: str = "") -> list[Cell]:
        return self._call("cells", READING, lambda: self._behind.cells(group, limit, after))

    def cell(self, group: str, key: str) -> str | None:
        return self._call("cells", READING, lambda: self._behind.cell(group, key))

    def groups(self, limit: int, after: str | None = None) -> list[str]:
        return self._call("groups", READING, lambda: self._behind.groups(limit, after))

    def swap(self, group: str, key: str, known: str | None, value: str | None) -> tuple[bool, str | None]:
        return self._call("swap", CHANGING, lambda: self._behind.swap(group, key, known, value))

    def note(self, group: str, key: str, value: str | None) -> None:
        where = "forget" if value is None else "note"
        self._call(where, CHANGING, lambda: self._behind.note(group, key, value))

    def change_many(self, records: PreparedEntries, changes: Sequence[RecordChange]) -> list[bool]:
        return [_is_known(lambda change=change: self.change(records, *change)) for change in changes]  # type: ignore[misc]

    def swap_many(self, swaps: Sequence[Swap]) -> list[bool]:
        return [_is_known(lambda swap=swap: self.swap(*swap)) for swap in swaps]  # type: ignore[misc]


def _is_known(step: Callable[[], tuple[bool, object]]) -> bool:
    try:
        return step()[0]
    except StoreUnavailable:
        return False
