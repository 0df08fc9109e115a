"""Replicas of a store without transactions, each with the rows that have reached it, in any order.

`majority` is what a quorum has: writes are decided there. Each replica gets a change at once, where it goes to all
copies, or when it catches up. A replica that is away gets nothing, and a change to all copies then raises.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from piql.errors import StoreUnavailable
from piql.store.base import Answers, Batch, Consistency
from piql.store.row_writes import Cell, EntryChange, SingleRowWrites, StoredRecord
from piql.store.rows import PreparedEntries, Row, State
from piql.store.stepwise.one_by_one import OneByOne
from piql.store.stepwise.store import StepwiseStore
from piql.store.wrapper import StoreWrapper


class _RecordPut(NamedTuple):
    """A record as a write left it."""

    records: PreparedEntries
    row: Row
    state: State
    write: str


class Replica:
    """One copy of all rows; changes may reach it late, twice and out of order."""

    def __init__(self, path: Path) -> None:
        self.store = StepwiseStore(path)
        self.late: list[_RecordPut | EntryChange] = []
        self.is_away = False

    def take(self, change: _RecordPut | EntryChange) -> None:
        """Apply a change, unless a later one of the same row is here."""
        if isinstance(change, EntryChange):
            self.store.change_entries([change])
            return
        key = change.row[: change.records.key_length]  # type: ignore[attr-defined]
        known = self.store.find(change.records, key)  # type: ignore[arg-type]
        if known is None or known.write[:16] < change.write[:16]:
            before = None if known is None else known.write
            assert self.store.change(change.records, change.row, change.state, change.write, before)[0]  # type: ignore[arg-type]


class ReplicatedStore(StoreWrapper):
    """A store in front of the file at `path`, with copies of it; each eventual read asks one of these."""

    def __init__(self, path: Path, replicas: int = 3, seed: int = 1) -> None:
        super().__init__(StepwiseStore(path))
        self.chance = random.Random(seed)
        self.replicas = [Replica(Path(shutil.copy(path, f"{path}.{number}"))) for number in range(replicas)]
        self.eventual_reads = 0

    @property
    def row_writes(self) -> SingleRowWrites:
        assert self.behind.row_writes is not None
        return ReplicatedWrites(self, self.behind.row_writes)

    def catch_up(self) -> None:
        """Let one replica get some of the changes that it lacks, in any order."""
        replica = self.chance.choice(self.replicas)
        self.chance.shuffle(replica.late)
        for _ in range(self.chance.randrange(len(replica.late) + 1)):
            replica.take(replica.late.pop())

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        if consistency != "eventual":
            return self.behind.read_many(batches, consistency)
        self.eventual_reads += 1
        return self.chance.choice(self.replicas).store.read_many(batches, consistency)

    def close(self) -> None:
        for replica in self.replicas:
            replica.store.close()
        super().close()


class ReplicatedWrites(OneByOne):
    """Writes that a majority decides, and that reach the replicas later, or with `is_to_all` before they are done."""

    def __init__(self, store: ReplicatedStore, behind: SingleRowWrites, *, is_to_all: bool = False) -> None:
        self._store = store
        self._behind = behind
        self._is_to_all = is_to_all

    @property
    def writers(self) -> int:
        return self._behind.writers

    def to_all_copies(self) -> SingleRowWrites:
        return ReplicatedWrites(self._store, self._behind, is_to_all=True)

    def confirm(self, records: PreparedEntries, key: Row) -> None:
        record = self._behind.find(records, key)
        if self._is_to_all and record is not None:
            self._spread(_RecordPut(records, record.row, record.state, record.write))

    def find(self, records: PreparedEntries, key: Row, is_serial: bool = False) -> StoredRecord | None:
        return self._behind.find(records, key, is_serial)

    def change(
        self, records: PreparedEntries, row: Row, state: State, write: str, known: str | None
    ) -> tuple[bool, StoredRecord | None]:
        is_made, record = self._behind.change(records, row, state, write, known)
        if is_made:
            self._spread(_RecordPut(records, row, state, write))
        return is_made, record

    def change_entries(self, changes: Sequence[EntryChange]) -> None:
        self._behind.change_entries(changes)
        for change in changes:
            self._spread(change)

    def _spread(self, change: _RecordPut | EntryChange) -> None:
        for replica in self._store.replicas:
            if self._is_to_all and not replica.is_away:
                replica.take(change)
            else:
                replica.late.append(change)
        if self._is_to_all and any(replica.is_away for replica in self._store.replicas):
            raise StoreUnavailable("a copy does not answer")

    def cells(self, group: str, limit: int, after: str = "") -> list[Cell]:
        return self._behind.cells(group, limit, after)

    def cell(self, group: str, key: str) -> str | None:
        return self._behind.cell(group, key)

    def swap(self, group: str, key: str, known: str | None, value: str | None) -> tuple[bool, str | None]:
        return self._behind.swap(group, key, known, value)

    def note(self, group: str, key: str, value: str | None) -> None:
        self._behind.note(group, key, value)

    def groups(self, limit: int, after: str | None = None) -> list[str]:
        return self._behind.groups(limit, after)
