"""The write path of one table on a store with transactions. A write takes these steps in one transaction:

1. read the old record by its key (`read`); the caller decides from it what the new one is
2. check the constraints that the change touches, each with counted requests
3. put the new index entries, put or delete the record, delete the stale entries
4. change the groups of the table's views (`kept_view.py`)

`stepped/writer.py` uses the checks and entries that are prepared here on stores without transactions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from piql.compiler.physical.indexes.secondary_index import referrers_of
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.physical.writes import planned_again
from piql.errors import DuplicateKey, NotDeployed
from piql.runtime.deployment import Deployment
from piql.runtime.execution.supplied import Occasion
from piql.runtime.writing.kept_view import kept_by_writes
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.table_rules.check_constraint import CheckConstraint
from piql.runtime.writing.table_rules.constraints import GroupCount, ReferenceCheck, ReferrerCheck, UniqueCheck, picker
from piql.runtime.writing.table_rules.entries import IndexEntries
from piql.runtime.writing.table_rules.guards import guards_of
from piql.runtime.writing.table_rules.records import RecordMaker, RowDefaults, ValueReader
from piql.schema.catalog import Table
from piql.store.base import ReadShape, Store, Transaction
from piql.store.rows import Row


class TableWriter:
    """Writes one table of a deployment inside a transaction.

    Every `Row` here is a record: the stored values of the table's columns in their order, then those of columns that
    only other versions know.

    get             reads a record by its primary key
    record          the table itself, written as entries: its key columns come first
    indexes         entries of this version's indexes; `others` those of other versions
    deletes_only    for each of `others`, whether its entries are only deleted
    views           the views of the table in this version; `other_views` those of other versions
    guards          the checks of another version's constraints
    """

    def __init__(self, table: Table, deployment: Deployment, store: Store) -> None:
        self.table = table
        record = deployment.record_of(table)
        self._hidden = (None,) * (len(record.columns) - len(table.columns))
        self._make = RecordMaker(table, store)
        self._defaults = RowDefaults(table)
        self.key_of = picker(table, table.primary_key)
        names = tuple(column.name for column in record.columns)
        self.get = store.prepare(ReadShape(record, record.primary_index(), names, len(table.primary_key)))
        self.record = IndexEntries(record, record.primary_index(), store)
        self.indexes = [IndexEntries(table, index, store) for index in deployment.indexes_of(table)]
        self.others = [IndexEntries(record, index.index, store, index.table) for index in deployment.others_of(table)]
        self.checks = [CheckConstraint(table, check, store) for check in table.checks]
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
        self.deletes_only = tuple(index.deletes_only for index in deployment.others_of(table))
        self.guards = guards_of(table, record, deployment, store)
        self.views = [
            kept_by_writes(view, record, deployment, store, TableWriter(view, deployment, store))
            for view in deployment.views_of(table)
        ]
        self.other_views = [
            kept_by_writes(
                view.table,
                record,
                view.deployment,
                store,
                TableWriter(view.table, view.deployment, store),
                view.refuse,
                view.is_filled,
            )
            for view in deployment.other_views_of(table)
        ]
        self._reader = ValueReader(table, store)
        self._deployment = deployment

    def planned(self, plan: WritePlan) -> WritePlan:
        """Return a write of the table, perhaps of another version, with all rules that this writer keeps."""
        return planned_again(plan, self._deployment.compilation.catalog, self._deployment.indexes)

    @property
    def version(self) -> int:
        """The version whose rules it keeps."""
        return self._deployment.version

    def completed(self, rows: Sequence[Mapping[str, Any]], occasion: Occasion) -> Sequence[Mapping[str, Any]]:
        """Return rows given by column names with the DEFAULTs of the columns that they do not name."""
        return self._defaults.completed(rows, occasion)

    def make(self, row: Mapping[str, Any]) -> Row:
        """Return the record of a row given by column names; columns that only other versions know are NULL.

        Raises ConstraintViolation where a value does not fit its column, or the values break a CHECK.
        """
        record = self._make(row) + self._hidden
        self.check_values(record)
        return record

    def check_values(self, record: Row) -> None:
        """Raise ConstraintViolation for a record that breaks a CHECK; this takes no request."""
        for check in self.checks:
            check.check(record)

    def keep_hidden(self, old: Row | None, new: Row) -> Row:
        """Return a new record with the columns that only other versions know, as the old record has them."""
        if old is None or not self._hidden:
            return new
        declared = len(self.table.columns)
        return new[:declared] + old[declared:]

    def read(self, transaction: Transaction, meter: Meter, key: Row) -> Row | None:
        """Get the record with a primary key."""
        meter.spend(1)
        meter.round_trips += 1
        rows = transaction.read(self.get, key)
        return rows[0] if rows else None

    def apply(self, transaction: Transaction, meter: Meter, old: Row | None, new: Row | None) -> None:
        """Replace the old record by the new one, either of which may be missing; raise ConstraintViolation."""
        if new is not None:
            self.put(transaction, meter, old, new)
        elif old is not None:
            self.delete(transaction, meter, old)

    def put(self, transaction: Transaction, meter: Meter, old: Row | None, new: Row) -> None:
        """Put a record and its entries, and delete the old record's stale ones; raise ConstraintViolation."""
        if new == old:
            return
        self.check_values(new)
        self.check_guards(transaction, old, new)
        before = meter.operations
        with meter.within("LimitCheck"):  # first: ON CONFLICT DO NOTHING does not ask for what the row references
            for key in self.unique:
                key.check(transaction, meter, old, new)
            for limit in self.limits:
                limit.check(transaction, meter, old, new)
        with meter.within("ReferenceCheck"):
            for reference in self.references:
                reference.check(transaction, meter, old, new)
        if old is not None:
            with meter.within("ReferenceCheck"):
                for referrer in self.referrers:
                    referrer.check(transaction, meter, old, new)
        meter.round_trips += meter.operations > before
        self._write(transaction, meter, old, new)

    def check_guards(
        self, transaction: Transaction, old: Row | None, new: Row | None, with_groups: bool = True
    ) -> None:
        """Check a change against the constraints of another version; like its back-fill, this is outside the bound.

        Without `with_groups`, its limits and UNIQUE keys are left out: stores without transactions use slots for them.
        """
        guards, outside = self.guards, Meter()
        if new is not None:
            for column in guards.columns:
                column.check(transaction, outside, old, new)
            for row_check in guards.rows:
                row_check.check_change(old, new)
            checks: list[ReferenceCheck | UniqueCheck | GroupCount] = [*guards.references]
            if with_groups:
                checks += [*guards.unique, *guards.limits]
            for check in checks:
                check.check(transaction, outside, old, new)
        if old is not None:
            for referrer in guards.referrers:
                referrer.check(transaction, outside, old, new)

    def delete(self, transaction: Transaction, meter: Meter, old: Row) -> None:
        """Delete a record and its entries; raise ForeignKeyViolation if another record references it."""
        self.check_guards(transaction, old, None)
        with meter.within("ReferenceCheck"):
            for check in self.referrers:
                check.check(transaction, meter, old)
        meter.round_trips += bool(self.referrers)
        self._write(transaction, meter, old, None)

    def _write(self, transaction: Transaction, meter: Meter, old: Row | None, new: Row | None) -> None:
        """Write the record and the entries that change; those of other versions are not counted."""
        change = [(old, new)]
        begun = [view.begin(transaction, meter, change) for view in self.views]
        begun_of_others = [view.begin(transaction, Meter(), change) for view in self.other_views]
        meter.round_trips += 1
        stale = []
        for entries in self.indexes:
            puts, deletes = entries.changes(old, new)
            if puts:
                meter.spend(len(puts))
                transaction.put(entries.prepared, puts)
            if deletes:
                stale.append((entries, deletes))
        for entries in self.others:
            puts, deletes = entries.changes(old, new)
            transaction.put(entries.prepared, puts)
            transaction.delete(entries.prepared, deletes)
        meter.spend(1)
        if new is not None:
            transaction.put(self.record.prepared, self.record.of(new))
        elif old is not None:
            transaction.delete(self.record.prepared, [self.key_of(old)])
        for entries, deletes in stale:
            meter.spend(len(deletes))
            transaction.delete(entries.prepared, deletes)
        for view, before in zip(self.views, begun, strict=True):
            view.keep(transaction, meter, change, before)
        for view, before in zip(self.other_views, begun_of_others, strict=True):
            view.keep(transaction, Meter(), change, before)

    def duplicate(self, key: Row) -> DuplicateKey:
        """Return the error of an INSERT whose key exists already."""
        shown = self._reader.shown(self.table.primary_key, key)
        return DuplicateKey(f"{self.table.name}: a row with {shown} exists already", self.table.primary_key)

    def unique_check(self, columns: Collection[str]) -> UniqueCheck:
        """Return the check of a UNIQUE key; raise NotDeployed if the version in force has none of these columns."""
        check = next((check for check in self.unique if set(check.columns) == set(columns)), None)
        if check is None:
            raise NotDeployed(
                f"{self.table.name} has no UNIQUE ({', '.join(columns)}) any more: deploy the query again"
            )
        return check
