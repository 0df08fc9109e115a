"""Compares the indexes of a view or a table with its rows, and mends an entry that differs.

    snapshot:  rows  →  the entries that each index should hold  ┐
               entries of each index, some at a time  ────────── ┴→  stray entries
    mend:      in a transaction for each: what the row that it is of now gives

What an entry should be follows from its row alone. So mending is right whatever was written meanwhile. Of a sample,
only the entries of its rows are compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from piql.client.sample import Sample
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.table_rules.entries import IndexEntries
from piql.runtime.writing.transactional import TableWriter
from piql.schema.catalog import Index, Table
from piql.store.base import Batch, ReadShape, Store, Transaction
from piql.store.rows import Row


@dataclass(frozen=True, slots=True)
class Stray:
    """The key of an entry that an index lacks or holds otherwise than its row gives it, or holds without a row.

    `row` is the primary key of its row: of a view, the group.
    """

    entries: IndexEntries
    key: Row
    row: Row
    is_lacking: bool


class EntriesAgain:
    """The indexes of one table or view: `add` takes the rows of a state of the store, `strays` reads its entries."""

    def __init__(self, table: Table, writer: TableWriter, store: Store, step_rows: int) -> None:
        self._table = table
        self._writer = writer
        self._store = store
        self._step_rows = step_rows
        self._expected: list[dict[Row, Row]] = [{} for _ in writer.indexes]

    def add(self, row: Row) -> None:
        """Remember the entries of a row."""
        for entries, expected in zip(self._writer.indexes, self._expected, strict=True):
            expected.update(entries.by_key(row))

    def strays(self, sample: Sample) -> Iterator[Stray]:
        """Yield what differs among the entries of a sample of rows, once all rows of it were added."""
        for entries, expected in zip(self._writer.indexes, self._expected, strict=True):
            row_of = self._row_of(entries)
            for entry in self._held(entries.index):
                key = entry[: entries.key_length]
                right = expected.pop(key, None)
                if right != entry and sample.holds(row_of(key)):
                    yield Stray(entries, key, row_of(key), right is not None)
            for key in expected:
                yield Stray(entries, key, row_of(key), True)

    def mend(self, transaction: Transaction, stray: Stray) -> None:
        """Put or delete an entry as its row is now gives it."""
        row = self._writer.read(transaction, Meter(), stray.row)
        right = stray.entries.by_key(row).get(stray.key)
        if right is None:
            transaction.delete(stray.entries.prepared, [stray.key])
        else:
            transaction.put(stray.entries.prepared, [right])

    def _row_of(self, entries: IndexEntries) -> _RowOf:
        names = [column.name for column in entries.index.columns]
        first = entries.key_length - len(names)  # behind the number of a bucket
        return _RowOf(tuple(first + names.index(name) for name in self._table.primary_key))

    def _held(self, index: Index) -> Iterator[Row]:
        """Yield the entries that an index holds, each with the number of its bucket where it has buckets."""
        names = (*(column.name for column in index.columns), *index.covering)
        shape = ReadShape(self._table, index, names, 0, in_any_order=True)
        first = self._store.prepare(shape)
        further = self._store.prepare(replace(shape, after_length=len(index.columns)))
        buckets: list[Row] = [(number,) for number in range(index.buckets)] if index.buckets > 1 else [()]
        for bucket in buckets:
            read = first
            position: Row = ()
            while True:
                ((step,),) = self._store.read_many([Batch(read, [(*bucket, *position, self._step_rows)])])
                yield from ((*bucket, *entry) for entry in step)
                if len(step) < self._step_rows:
                    break
                read, position = further, step[-1][: len(index.columns)]


@dataclass(frozen=True, slots=True)
class _RowOf:
    """From the key of an entry to that of its row, whose parts have these positions in it."""

    positions: tuple[int, ...]

    def __call__(self, key: Row) -> Row:
        return tuple([key[position] for position in self.positions])
