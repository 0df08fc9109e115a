"""Gives existing rows their places under new limits and UNIQUE keys, on a store without transactions."""

from __future__ import annotations

from piql.errors import CardinalityViolation, DuplicateKey
from piql.runtime.deployment import Deployment
from piql.runtime.writing.stepped.writer import SteppedWriter
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.transactional import TableWriter
from piql.schema.catalog import Table
from piql.store.base import Store, Transaction
from piql.versions.change.filling import Walk, moved
from piql.versions.change.progress import Task


class Placing:
    """A task of the kind `places`; writers take places for their own rows meanwhile."""

    def __init__(self, store: Store, table: Table, coming: Deployment) -> None:
        assert store.row_writes is not None
        record = coming.record_of(table)
        self._walk = Walk(store, record, record.primary_index(), [column.name for column in record.columns])
        self._slots = SteppedWriter(
            TableWriter(table, coming, store), coming, store, WriterIdentity(store.row_writes)
        ).slots

    def advance(self, transaction: Transaction, task: Task, rows: int) -> Task:
        """Give places to the next `rows` records; return the task as it stands behind them."""
        entries = self._walk.read(transaction, task.place, rows)
        for slots in self._slots:
            try:
                slots.fill([record for _, record in entries])
            except (CardinalityViolation, DuplicateKey) as violation:
                task = task.against(str(violation), "a row that was written meanwhile")
        return moved(task, entries, rows)
