"""Copies existing rows into new indexes, in the order in which the store keeps them, a few at a time.

Writers keep the new indexes up to date from the moment of the announcement. So a row may change before or behind the
position of the walk: a step reads rows and puts their entries in one transaction. Without transactions, an entry is put
with the stamp of the write that left its record, so any later write replaces it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from piql.errors import ConstraintViolation
from piql.runtime.deployment import Deployment, OtherIndex, Redeployed
from piql.runtime.writing.kept_view import CountedView
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.backoff import Overtaken
from piql.runtime.writing.stepped.stamps import stamp_of
from piql.runtime.writing.stepped.writer import SteppedWriter
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.table_rules.entries import IndexEntries
from piql.runtime.writing.transactional import TableWriter
from piql.schema.catalog import Index, Table
from piql.store.base import Reads, ReadShape, Store, Transaction
from piql.store.row_writes import EntryChange
from piql.store.rows import WRITE, Row, State
from piql.versions.change.progress import Task

_MOST_COUNTED = 100  # records in one step, each of which takes half a dozen requests one after the other


class Walk:
    """Reads an index, or a table, a few entries at a time, each time behind the last key that was read."""

    def __init__(self, store: Store, table: Table, index: Index, columns: Sequence[str]) -> None:
        self._key_length = len(index.columns)
        names = (*(column.name for column in index.columns), *columns)
        shape = ReadShape(table, index, names, 0, in_any_order=True)
        self._first = store.prepare(shape)
        self._further = store.prepare(replace(shape, after_length=self._key_length))

    def read(self, transaction: Reads, after: Row | None, rows: int) -> list[tuple[Row, Row]]:
        """Return at most `rows` entries behind the key `after`, or the first ones: the key of each, and its columns."""
        read, arguments = (self._first, (rows,)) if after is None else (self._further, (*after, rows))
        length = self._key_length
        return [(row[:length], row[length:]) for row in transaction.read(read, arguments)]


class Filling:
    """A task of the kind `fill`: the new indexes of one table."""

    def __init__(self, store: Store, record: Table, indexes: Sequence[OtherIndex]) -> None:
        names = [column.name for column in record.columns]
        self._row_writes = store.row_writes
        self._walk = Walk(store, record, record.primary_index(), names if self._row_writes is None else [*names, WRITE])
        self._indexes = [IndexEntries(record, index.index, store, index.table) for index in indexes]

    def advance(self, transaction: Transaction, task: Task, rows: int) -> Task:
        """Put the entries of the next `rows` records; return the task as it stands behind them."""
        rows_read = self._walk.read(transaction, task.place, rows)
        if self._row_writes is not None:
            self._row_writes.change_entries(
                [
                    EntryChange(entries.prepared, entry, State.VISIBLE, stamp_of(record[-1]) + 1)
                    for _, record in rows_read
                    for entries in self._indexes
                    for entry in entries.of(record)
                ]
            )
            return moved(task, rows_read, rows)
        for entries in self._indexes:
            transaction.put(entries.prepared, [entry for _, record in rows_read for entry in entries.of(record)])
        return moved(task, rows_read, rows)


class ViewFilling:
    """A task of the kind `view`: the rows of one table, added to a new view of it."""

    def __init__(self, store: Store, record: Table, view: Table, deployment: Deployment) -> None:
        self._walk = Walk(store, record, record.primary_index(), [column.name for column in record.columns])
        self._counted = CountedView(view, record, deployment, store, TableWriter(view, deployment, store))

    def advance(self, transaction: Transaction, task: Task, rows: int) -> Task:
        """Add the next `rows` records; return the task as it stands behind them.

        A sum that its column cannot hold is an offence, which ends the walk: the change will be refused.
        """
        rows_read = self._walk.read(transaction, task.place, rows)
        try:
            rows_of_view = (row for _, record in rows_read for row in self._counted.rows(transaction, record))
            self._counted.view.keep(transaction, Meter(), [(None, row) for row in rows_of_view])
        except ConstraintViolation as violation:
            return task.with_sum_too_large(str(violation))
        return moved(task, rows_read, rows)


class ViewCounting:
    """A task of the kind `view` on a store without transactions: its records get a mark by which the view counts them.

    Each is written by itself, as it is. A walk that is repeated finds the marks, and reads only.
    """

    def __init__(self, store: Store, record: Table, deployment: Deployment) -> None:
        assert store.row_writes is not None
        self._walk = Walk(store, record, record.primary_index(), [*(column.name for column in record.columns), WRITE])
        table_writer = TableWriter(record, deployment, store)
        self._writer = SteppedWriter(table_writer, deployment, store, WriterIdentity(store.row_writes))

    def advance(self, transaction: Transaction, task: Task, rows: int) -> Task:
        """Count the next records, as far as there is time for in a step; return the task as it stands behind them.

        A sum that its column cannot hold is an offence, which ends the walk: the change will be refused.
        """
        rows = min(rows, _MOST_COUNTED)
        rows_read = self._walk.read(transaction, task.place, rows)
        try:
            for _, (*record, write) in rows_read:
                image = tuple(record)
                if self._writer.views.leave_out(image, write):
                    self._writer.count(self._writer.records.key_of(image))
        except ConstraintViolation as violation:
            return task.with_sum_too_large(str(violation))
        except (Redeployed, Overtaken):
            return task
        return moved(task, rows_read, rows)


class Emptying:
    """A task of the kind `empty`: what an earlier version has left of a view, which no writer has kept up to date."""

    def __init__(self, store: Store, view: Table) -> None:
        self._walk = Walk(store, view, view.primary_index(), ())
        self._entries = store.prepare_entries(view, view.primary_index())

    def advance(self, transaction: Transaction, task: Task, rows: int) -> Task:
        """Delete the next `rows` rows; its indexes are made anew."""
        rows_read = self._walk.read(transaction, None, rows)
        transaction.delete(self._entries, [key for key, _ in rows_read])
        return replace(moved(task, rows_read, rows), place=None)


def moved(task: Task, entries: list[tuple[Row, Row]], rows: int) -> Task:
    """Return a task after a step that asked for `rows` entries and got these: fewer mean that it is done."""
    last = entries[-1][0] if entries else task.place
    return replace(task, place=last, rows=task.rows + len(entries), is_done=len(entries) < rows)
