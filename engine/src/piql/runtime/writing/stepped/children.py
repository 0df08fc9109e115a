"""The rows of a table that name one row by a foreign key, found while others write them.

    entry or record of a child    VISIBLE                it names the row
                                  COMING, DOUBTFUL       its record says; where it does not name the row, its writer may
                                                         be about to change that

Who reads them must have shown first what an insert of a child looks for: a mark on the row, or a unit that holds it.
"""

from __future__ import annotations

from piql.runtime.deployment import Deployment
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.backoff import Backoff
from piql.runtime.writing.stepped.stamps import stamp_of
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.table_rules.constraints import index_for, leading, picker
from piql.schema.catalog import ForeignKey, Table
from piql.store.base import Batch, ReadShape, Store
from piql.store.row_writes import EntryChange, StoredRecord
from piql.store.rows import STATE, Row, State


class Children:
    """The rows of `table` by a foreign key; a read returns at most `most` entries or records.

    `columns` are those of the foreign key, in the order in which a key has their values.
    """

    def __init__(
        self, table: Table, key: ForeignKey, deployment: Deployment, store: Store, identity: WriterIdentity, most: int
    ) -> None:
        index = index_for(deployment, table, key.columns)
        names = tuple(column.name for column in index.columns)
        self.columns = leading(index, len(key.columns))
        self.most = most
        self._table = table
        self._records = identity.records(deployment.record_of(table), store)
        self._entries = store.prepare_entries(table, index)
        self._store = store
        self._row_writes = identity.row_writes
        self._is_on_records = index.is_primary
        shape = ReadShape(table, index, (*names, STATE), len(key.columns), sees_coming=index.is_primary)
        self._read = store.prepare(shape)
        self._tail = () if shape.is_get else (most,)
        self._primary_at = tuple(names.index(name) for name in table.primary_key)
        self._names_by = picker(table, self.columns)

    def found(self, key: Row) -> list[tuple[Row, Row]]:
        """Return the primary key of each row that names `key`, or may come to name it, with its entry and state."""
        rows = self._store.read_many([Batch(self._read, [key + self._tail])], "quorum")[0][0]
        return [(tuple([row[at] for at in self._primary_at]), row) for row in rows]

    def is_any(self, meter: Meter, backoff: Backoff, key: Row, itself: Row | None = None) -> bool:
        """Return whether any row but the one `itself` names `key`, once this is decided for all that may.

        The first request is counted by the caller.
        """
        while True:
            is_named = self._is_any(meter, backoff, key, itself)
            if is_named is not None:
                return is_named
            meter.lose(1)

    def _is_any(self, meter: Meter, backoff: Backoff, key: Row, itself: Row | None) -> bool | None:
        """Return whether a row names `key`; None where they must be read again.

        Writes under way that may come to name it are waited for, and settled once they are out of patience.
        """
        is_waiting = is_changed = False
        looks = 0
        for primary, row in self.found(key):
            if primary == itself:
                continue
            if row[-1] == State.VISIBLE:
                return True
            looks += 1
            child = self._records.find(primary, is_serial=True)
            if self.names(child, key):
                return True
            if backoff.is_patient(f"{self._table.name} {primary!r}"):
                is_waiting = True
                continue
            meter.repair(looks + 2)
            looks = 0
            stamps = self._records.stamps
            past = self._records.fence(primary, stamp_of(stamps.write_after(stamp_of(child.write) if child else 0)))
            if self.names(past, key):  # its write was decided just before
                return True
            if not self._is_on_records:
                at = stamp_of(past.write) + 2
                self._row_writes.change_entries([EntryChange(self._entries, row[:-1], State.GONE, at)])
            is_changed = True
        meter.lose(looks)
        if is_waiting:
            backoff.pause()
        return None if is_waiting or is_changed else False

    def names(self, child: StoredRecord | None, key: Row) -> bool:
        """Return whether a child's record refers to `key`."""
        return self.is_named_by(self._records.image(child), key)

    def is_named_by(self, image: Row | None, key: Row) -> bool:
        """Return whether the image of a record refers to `key`."""
        return image is not None and self._names_by(image) == key
