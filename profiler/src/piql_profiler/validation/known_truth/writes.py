"""Writes on a store of known truth: the calls they make, in a transaction or by steps, as `service_times` has them.

a transaction    each read and each count is a call; all puts and deletes are one call at the commit
steps            each is a call; a conditional change is two, one after the other: it reads, then writes
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from piql.store.base import Transaction
from piql.store.row_writes import Cell, EntryChange, SingleRowWrites, StoredRecord
from piql.store.rows import PreparedEntries, PreparedRead, Row, State
from piql.store.stepwise.one_by_one import OneByOne

from piql_profiler.validation.known_truth.service_times import Call

Spend = Callable[[Call], None]
BytesOf = Callable[[object], int]


class KnownTruthTransaction:
    """A transaction whose reads take their time at once, and whose changes do when it ends."""

    def __init__(self, behind: Transaction, spend: Spend, bytes_of: BytesOf) -> None:
        self._behind = behind
        self._spend = spend
        self._bytes_of = bytes_of
        self._requests = self._bytes = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._behind, name)

    def read(self, read: PreparedRead, arguments: tuple[Any, ...]) -> list[Row]:
        rows = self._behind.read(read, arguments)
        self._spend(Call(1, len(rows), len(rows) * self._bytes_of(read)))
        return rows

    def get_many(self, read: PreparedRead, keys: Sequence[tuple[Any, ...]]) -> list[Row | None]:
        rows = self._behind.get_many(read, keys)
        there = len(rows) - rows.count(None)
        self._spend(Call(len(keys), there, there * self._bytes_of(read)))
        return rows

    def count(self, read: PreparedRead, arguments: tuple[Any, ...]) -> int:
        count = self._behind.count(read, arguments)
        self._spend(Call(1, count, 0))
        return count

    def put(self, entries: PreparedEntries, rows: Sequence[tuple[Any, ...]]) -> None:
        self._behind.put(entries, rows)
        self._requests += len(rows)
        self._bytes += len(rows) * self._bytes_of(entries)

    def delete(self, entries: PreparedEntries, keys: Sequence[tuple[Any, ...]]) -> None:
        self._behind.delete(entries, keys)
        self._requests += len(keys)

    def commit(self) -> None:
        """Spend the time of all changes."""
        if self._requests:
            self._spend(Call(self._requests, 0, self._bytes))


@contextmanager
def timed_transaction(behind: Any, spend: Spend, bytes_of: BytesOf) -> Iterator[Any]:
    """A transaction of the store behind that spends the time of its calls."""
    with behind as transaction:
        timed = KnownTruthTransaction(transaction, spend, bytes_of)
        yield timed
        timed.commit()


class KnownTruthSteps(OneByOne):
    """The single-row writes of the store behind, each of which spends its time."""

    def __init__(self, behind: SingleRowWrites, spend: Spend, bytes_of: BytesOf) -> None:
        self._behind = behind
        self._spend = spend
        self._bytes_of = bytes_of

    @property
    def writers(self) -> int:
        return 1

    def find(self, records: PreparedEntries, key: Row, is_serial: bool = False) -> StoredRecord | None:
        record = self._behind.find(records, key, is_serial)
        self._spend(Call(1, int(record is not None), self._bytes_of(records) if record is not None else 0))
        return record

    def change(
        self, records: PreparedEntries, row: Row, state: State, write: str, known: str | None
    ) -> tuple[bool, StoredRecord | None]:
        self._spend(Call(1, 0, 0))
        self._spend(Call(1, 0, self._bytes_of(records)))
        return self._behind.change(records, row, state, write, known)

    def change_entries(self, changes: Sequence[EntryChange]) -> None:
        self._behind.change_entries(changes)
        if changes:
            self._spend(Call(len(changes), 0, sum(self._bytes_of(change.entries) for change in changes)))

    def cells(self, group: str, limit: int, after: str = "") -> list[Cell]:
        cells = self._behind.cells(group, limit, after)
        self._spend(Call(1, len(cells), 0))
        return cells

    def cell(self, group: str, key: str) -> str | None:
        value = self._behind.cell(group, key)
        self._spend(Call(1, int(value is not None), 0))
        return value

    def swap(self, group: str, key: str, known: str | None, value: str | None) -> tuple[bool, str | None]:
        self._spend(Call(1, 0, 0))
        self._spend(Call(1, 0, 0))
        return self._behind.swap(group, key, known, value)

    def note(self, group: str, key: str, value: str | None) -> None:
        self._behind.note(group, key, value)
        self._spend(Call(1, 0, 0))

    def groups(self, limit: int, after: str | None = None) -> list[str]:
        return self._behind.groups(limit, after)
