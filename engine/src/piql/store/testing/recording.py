"""A store that keeps a list of all reads that pass through it, so that a test can see them; results do not change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from piql.store.base import Answers, Batch, Consistency, ReadShape, Store, Transaction
from piql.store.rows import PreparedRead, Row
from piql.store.wrapper import StoreWrapper


@dataclass(frozen=True, slots=True)
class RecordedRead:
    """One request: its shape, its arguments, how many rows came back, and in which call to the store it was made."""

    shape: ReadShape
    arguments: tuple[Any, ...]
    rows: int
    call: int


@dataclass(frozen=True, slots=True)
class _Labelled:
    """A prepared read of the store behind, with the shape that it was prepared from."""

    shape: ReadShape
    read: PreparedRead


class RecordingStore(StoreWrapper):
    """Keeps all reads in `reads`, those of transactions too, each of which is a call of its own."""

    def __init__(self, behind: Store) -> None:
        super().__init__(behind)
        self.reads: list[RecordedRead] = []
        self.calls = 0

    def prepare(self, shape: ReadShape) -> PreparedRead:
        return _Labelled(shape, self.behind.prepare(shape))

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        answers = self.behind.read_many(_without_labels(batches), consistency)
        self._record(batches, answers)
        return answers

    def start_many(
        self,
        batches: Sequence[Batch],
        done: Callable[[Answers | Exception], None],
        consistency: Consistency | None = None,
    ) -> None:
        def record(answers: Answers | Exception) -> None:
            if not isinstance(answers, Exception):
                self._record(batches, answers)
            done(answers)

        self.behind.start_many(_without_labels(batches), record, consistency)

    def _record(self, batches: Sequence[Batch], answers: Answers) -> None:
        self.calls += 1
        for batch, batch_rows in zip(batches, answers, strict=True):
            for arguments, rows in zip(batch.arguments, batch_rows, strict=True):
                self.reads.append(RecordedRead(batch.read.shape, arguments, len(rows), self.calls))

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        with self.behind.transaction() as transaction:
            yield _RecordingTransaction(transaction, self)


def _without_labels(batches: Sequence[Batch]) -> list[Batch]:
    return [Batch(batch.read.read, batch.arguments, batch.operator) for batch in batches]


class _RecordingTransaction:
    """A transaction whose reads are recorded; all else is passed on."""

    def __init__(self, behind: Transaction, store: RecordingStore) -> None:
        self._behind = behind
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._behind, name)

    def _record(self, read: _Labelled, arguments: tuple[Any, ...], rows: int) -> None:
        self._store.calls += 1
        self._store.reads.append(RecordedRead(read.shape, arguments, rows, self._store.calls))

    def read(self, read: _Labelled, arguments: tuple[Any, ...]) -> list[Row]:
        rows = self._behind.read(read.read, arguments)
        self._record(read, arguments, len(rows))
        return rows

    def get_many(self, read: _Labelled, keys: Sequence[tuple[Any, ...]]) -> list[Row | None]:
        rows = self._behind.get_many(read.read, keys)
        for key, row in zip(keys, rows, strict=True):
            self._record(read, key, row is not None)
        return rows

    def count(self, read: _Labelled, arguments: tuple[Any, ...]) -> int:
        number = self._behind.count(read.read, arguments)
        self._record(read, arguments, number)
        return number
