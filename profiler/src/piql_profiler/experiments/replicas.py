"""A store of three copies that lag, whose requests take as long as a law says, on a clock that nobody waits for.

    a read           asks as many copies as it waits for: one, or two of three; it takes as long as the slowest of them
    a write          goes to all copies; it waits for two of them, or for all three
    a copy that no write waits for has it later, by up to `LAG_SECONDS`

What a majority has is in the store behind, where writes are decided. With a copy away, a write to all is refused.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from piql.errors import StoreUnavailable
from piql.store.base import Answers, Batch, Consistency
from piql.store.row_writes import Cell, EntryChange, SingleRowWrites, StoredRecord
from piql.store.rows import PreparedEntries, Row, State
from piql.store.stepwise.one_by_one import OneByOne
from piql.store.stepwise.store import StepwiseStore
from piql.store.wrapper import StoreWrapper

from piql_profiler.experiments.law import Law
from piql_profiler.measure.clock import VirtualClock

COPIES, MAJORITY = 3, 2
LAG_SECONDS = 0.05
_WRITE_ID = 16  # leading characters of a write, which say when it was


class _RecordPut(NamedTuple):
    """A record as a write left it."""

    records: PreparedEntries
    row: Row
    state: State
    write: str


_Change: TypeAlias = _RecordPut | EntryChange


@dataclass
class Copy:
    """One copy of all rows, with the changes that reach it later: the moment and the change."""

    store: StepwiseStore
    late: list[tuple[float, _Change]] = field(default_factory=list)
    is_away: bool = False

    def catch_up(self, now: float) -> None:
        """Take what has arrived by now."""
        arrived = [change for due, change in self.late if due <= now]
        self.late = [(due, change) for due, change in self.late if due > now]
        for change in arrived:
            self.take(change)

    def take(self, change: _Change) -> None:
        """Apply a change, unless a later one of the same row is here."""
        if isinstance(change, EntryChange):
            self.store.change_entries([change])
            return
        key = change.row[: change.records.key_length]
        known = self.store.find(change.records, key)
        if known is None or known.write[:_WRITE_ID] < change.write[:_WRITE_ID]:
            before = None if known is None else known.write
            self.store.change(change.records, change.row, change.state, change.write, before)


class ReplicatedStore(StoreWrapper):
    """Three copies of the file at `path`; `asked` counts the copies that reads and writes have waited for."""

    def __init__(self, path: Path, law: Law, clock: VirtualClock, seed: int) -> None:
        super().__init__(StepwiseStore(path))
        self.copies = [Copy(StepwiseStore(Path(shutil.copy(path, f"{path}.{number}")))) for number in range(COPIES)]
        self.asked = 0
        self.clock = clock
        self.chance = random.Random(seed)
        self._law = law
        self._random = np.random.default_rng(seed)

    @property
    def row_writes(self) -> SingleRowWrites:
        """Return how rows are written, waiting for a majority."""
        assert self.behind.row_writes is not None
        return _Writes(self, self.behind.row_writes, MAJORITY)

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        """Answer from a copy that is there, or from what a majority has."""
        waits_for = 1 if consistency == "eventual" else MAJORITY
        requests = sum(len(batch.arguments) for batch in batches)
        self.wait(waits_for, requests)
        if waits_for > 1:
            return self.behind.read_many(batches, consistency)
        copy = self.chance.choice([copy for copy in self.copies if not copy.is_away])
        copy.catch_up(self.clock.now())
        return copy.store.read_many(batches, consistency)

    def wait(self, copies: int, requests: int = 1) -> None:
        """Let the time pass that requests take which leave together, each as slow as the slowest of its copies."""
        self.asked += copies * requests
        slowest = max((self._law.request_ms(self._random, 1) for _ in range(copies * requests)), default=0.0)
        self.clock.spend(slowest / 1000)

    def spread(self, change: _Change, waits_for: int) -> None:
        """Send a change to all copies, and wait for so many; raise StoreUnavailable where too few are there."""
        times = sorted(
            ((self._law.request_ms(self._random, 1) / 1000, number) for number in range(COPIES)),
            key=lambda entry: (self.copies[entry[1]].is_away, entry[0]),
        )
        now = self.clock.now()
        for place, (seconds, number) in enumerate(times):
            copy = self.copies[number]
            if place < waits_for and not copy.is_away:
                copy.catch_up(now)
                copy.take(change)
            else:
                copy.late.append((now + seconds + self.chance.uniform(0.0, LAG_SECONDS), change))
        self.asked += waits_for
        if sum(not copy.is_away for copy in self.copies) < waits_for:
            raise StoreUnavailable("a copy does not answer")
        self.clock.spend(times[waits_for - 1][0])

    def close(self) -> None:
        """Close all copies, too."""
        for copy in self.copies:
            copy.store.close()
        super().close()


class _Writes(OneByOne):
    """Writes that a majority decides, and that `waits_for` copies have before they are done."""

    def __init__(self, store: ReplicatedStore, behind: SingleRowWrites, waits_for: int) -> None:
        self._store = store
        self._behind = behind
        self._waits_for = waits_for

    @property
    def writers(self) -> int:
        return self._behind.writers

    def to_all_copies(self) -> SingleRowWrites:
        return _Writes(self._store, self._behind, COPIES)

    def confirm(self, records: PreparedEntries, key: Row) -> None:
        record = self._behind.find(records, key)
        if self._waits_for == COPIES and record is not None:
            self._store.spread(_RecordPut(records, record.row, record.state, record.write), COPIES)

    def find(self, records: PreparedEntries, key: Row, is_serial: bool = False) -> StoredRecord | None:
        self._store.wait(MAJORITY)
        return self._behind.find(records, key, is_serial)

    def change(
        self, records: PreparedEntries, row: Row, state: State, write: str, known: str | None
    ) -> tuple[bool, StoredRecord | None]:
        is_made, record = self._behind.change(records, row, state, write, known)
        if is_made:
            self._store.spread(_RecordPut(records, row, state, write), self._waits_for)
        else:
            self._store.wait(MAJORITY)
        return is_made, record

    def change_entries(self, changes: Sequence[EntryChange]) -> None:
        self._behind.change_entries(changes)
        for change in changes:
            self._store.spread(change, self._waits_for)

    def cells(self, group: str, limit: int, after: str = "") -> list[Cell]:
        self._store.wait(MAJORITY)
        return self._behind.cells(group, limit, after)

    def cell(self, group: str, key: str) -> str | None:
        self._store.wait(MAJORITY)
        return self._behind.cell(group, key)

    def swap(self, group: str, key: str, known: str | None, value: str | None) -> tuple[bool, str | None]:
        self._store.wait(MAJORITY)
        return self._behind.swap(group, key, known, value)

    def note(self, group: str, key: str, value: str | None) -> None:
        self._store.wait(MAJORITY)
        self._behind.note(group, key, value)

    def groups(self, limit: int, after: str | None = None) -> list[str]:
        self._store.wait(MAJORITY)
        return self._behind.groups(limit, after)
