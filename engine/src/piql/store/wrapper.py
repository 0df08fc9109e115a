"""The base class of stores in front of another store: it passes every call on, and a subclass overrides a few."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from piql.schema.catalog import Index, SqlType, Table
from piql.store.base import Answers, Batch, Consistency, Reader, ReadShape, Store, Topology, Transaction
from piql.store.row_writes import SingleRowWrites
from piql.store.rows import Codec, PreparedEntries, PreparedRead
from piql.store.single_reads import reader_of


class StoreWrapper:
    """Passes every call of `Store` on to the store `behind`; see there for what each does."""

    def __init__(self, behind: Store) -> None:
        self.behind = behind

    @property
    def row_writes(self) -> SingleRowWrites | None:
        return self.behind.row_writes

    def codec(self, type: SqlType) -> Codec | None:
        return self.behind.codec(type)

    def keeps_alike(self, before: SqlType, after: SqlType) -> bool:
        return self.behind.keeps_alike(before, after)

    def prepare(self, shape: ReadShape) -> PreparedRead:
        return self.behind.prepare(shape)

    def prepare_entries(self, table: Table, index: Index) -> PreparedEntries:
        return self.behind.prepare_entries(table, index)

    def stored_name(self, table: Table, index: Index) -> str:
        return self.behind.stored_name(table, index)

    def reader(self, read: PreparedRead, consistency: Consistency | None = None) -> Reader:
        """Answer one request by `read_many`, so that a subclass that overrides that one changes both."""
        return reader_of(self.read_many, self.statements_sent, read, consistency)

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        return self.behind.read_many(batches, consistency)

    def start_many(
        self,
        batches: Sequence[Batch],
        done: Callable[[Answers | Exception], None],
        consistency: Consistency | None = None,
    ) -> None:
        self.behind.start_many(batches, done, consistency)

    def statements_sent(self) -> int:
        return self.behind.statements_sent()

    def snapshot(self) -> AbstractContextManager[object]:
        return self.behind.snapshot()

    def transaction(self) -> AbstractContextManager[Transaction]:
        return self.behind.transaction()

    def settings(self) -> Mapping[str, str]:
        return self.behind.settings()

    def version(self) -> int:
        return self.behind.version()

    def is_empty(self) -> bool:
        return self.behind.is_empty()

    def estimate_rows(self, table: Table) -> int:
        return self.behind.estimate_rows(table)

    def flush(self) -> None:
        self.behind.flush()

    def topology(self) -> Topology | None:
        return self.behind.topology()

    def close(self) -> None:
        self.behind.close()
