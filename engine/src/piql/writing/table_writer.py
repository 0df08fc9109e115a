"""The write path of one table: the old record, its constraints, then the entries that change and the record."""

from __future__ import annotations

from piql.catalog import Table
from piql.deployment import Deployment
from piql.errors import DuplicateKey
from piql.physical.indexes import referrers_of
from piql.store.base import ReadShape, Row, Store, Transaction
from piql.writing.constraints import GroupCount, ReferenceCheck, ReferrerCheck, UniqueCheck, picker
from piql.writing.entries import IndexEntries
from piql.writing.meter import Meter
from piql.writing.records import RecordMaker, ValueReader


class TableWriter:
    """Prepared once for a table of a deployment."""

    def __init__(self, table: Table, deployment: Deployment, store: Store) -> None:
        self.table = table
        self.make = RecordMaker(table, store)
        self.key_of = picker(table, table.primary_key)
        names = tuple(column.name for column in table.columns)
        self.get = store.prepare(ReadShape(table, table.primary_index(), names, len(table.primary_key)))
        # The table's own entries hold its columns in another order: the key first.
        self.record = IndexEntries(table, table.primary_index(), store)
        self.indexes = [IndexEntries(table, index, store) for index in deployment.indexes_of(table)]
        self.references = [ReferenceCheck(table, key, deployment, store) for key in table.foreign_keys]
        self.limits = [
            GroupCount(table, limit, deployment, store)
            for limit in table.limits
            if limit.is_token or set(limit.columns) != set(table.primary_key)
        ]
        self.unique = [UniqueCheck(table, key, deployment, store) for key in table.unique_keys]
        self.referrers = [
            ReferrerCheck(table, referrer, key, deployment, store)
            for referrer, key in referrers_of(deployment.compilation.catalog, table.name)
        ]
        self._reader = ValueReader(table, store)

    def read(self, transaction: Transaction, meter: Meter, key: Row) -> Row | None:
        """Get the record with a primary key."""
        meter.spend(1)
        meter.round_trips += 1
        rows = transaction.read(self.get, key)
        return rows[0] if rows else None

    def put(self, transaction: Transaction, meter: Meter, old: Row | None, new: Row) -> None:
        """Put a record in the place of the old one, if its constraints hold."""
        if new == old:
            return
        before = meter.operations
        checks: list[ReferenceCheck | UniqueCheck | GroupCount] = [*self.references, *self.unique, *self.limits]
        for check in checks:
            check.check(transaction, meter, old, new)
        if old is not None:
            for each in self.referrers:
                each.check(transaction, meter, old, new)
        meter.round_trips += meter.operations > before
        self._write(transaction, meter, old, new)

    def delete(self, transaction: Transaction, meter: Meter, old: Row) -> None:
        """Delete a record that nothing references."""
        for check in self.referrers:
            check.check(transaction, meter, old)
        meter.round_trips += bool(self.referrers)
        self._write(transaction, meter, old, None)

    def _write(self, transaction: Transaction, meter: Meter, old: Row | None, new: Row | None) -> None:
        meter.round_trips += 1
        stale = []
        for entries in self.indexes:
            puts, deletes = entries.changes(old, new)
            if puts:
                meter.spend(len(puts))
                transaction.put(entries.prepared, puts)
            if deletes:
                stale.append((entries, deletes))
        meter.spend(1)
        if new is not None:
            transaction.put(self.record.prepared, self.record.of(new))
        elif old is not None:
            transaction.delete(self.record.prepared, [self.key_of(old)])
        for entries, deletes in stale:
            meter.spend(len(deletes))
            transaction.delete(entries.prepared, deletes)

    def duplicate(self, key: Row) -> DuplicateKey:
        shown = self._reader.shown(self.table.primary_key, key)
        return DuplicateKey(f"{self.table.name}: a row with {shown} exists already")
