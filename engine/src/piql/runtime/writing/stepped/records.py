"""The records of one table on a store without transactions: found, put on a condition, fenced against late writers.

Every put is conditional on the write that left the record as the caller knows it. So a writer that was overtaken
notices, and begins again.
"""

from __future__ import annotations

from collections.abc import Sequence

from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.contributions import inheriting
from piql.runtime.writing.stepped.open_units import OpenUnits
from piql.runtime.writing.stepped.stamps import Stamps, stamp_of
from piql.runtime.writing.table_rules.constraints import Picker, picker
from piql.runtime.writing.table_rules.entries import IndexEntries
from piql.schema.catalog import Table
from piql.store.base import Store
from piql.store.row_writes import RecordChange, SingleRowWrites, StoredRecord
from piql.store.rows import HOLDS, Row, State


class SteppedRecords:
    """Reads and changes records by their primary keys.

    An image is a record in the order of the table's columns, as the write path has it; a row of the store has the key
    columns first. `stamps` names the writes of this client process. The groups of a view (`is_of_groups`) have images
    while they are LEAVING, too.
    """

    def __init__(
        self,
        table: Table,
        store: Store,
        row_writes: SingleRowWrites,
        stamps: Stamps,
        units: OpenUnits,
        is_of_groups: bool = False,
    ) -> None:
        self.table = table
        self._units = units
        self._hidden = (State.COMING, State.GONE) if is_of_groups else (State.COMING, State.GONE, State.LEAVING)
        self._row_writes = row_writes
        self.stamps = stamps
        primary = table.primary_index()
        self.prepared = IndexEntries(table, primary, store).prepared
        stored_columns = (*(column.name for column in primary.columns), *primary.covering)
        self.key_of: Picker = picker(table, table.primary_key)
        self._row_of: Picker = picker(table, stored_columns)
        at = {name: position for position, name in enumerate(stored_columns)}
        self._positions = tuple(at[column.name] for column in table.columns)
        self._nothing = (None,) * len(primary.covering)

    def find(self, key: Row, is_serial: bool = False) -> StoredRecord | None:
        """Return the record with a key; a serial read also completes a conditional write that is under way.

        Where a unit holds it, that one is waited for, or closed.
        """
        return self.free(key, self._row_writes.find(self.prepared, key, is_serial))

    def find_held(self, key: Row) -> StoredRecord | None:
        """Return the record with a key, whether a unit holds it or not."""
        return self._row_writes.find(self.prepared, key, True)

    def free(self, key: Row, record: StoredRecord | None) -> StoredRecord | None:
        """Return a record that was found once no unit holds it."""
        return record if record is None or HOLDS not in record.write else self._units.passed(self, key, record)

    def confirm(self, key: Row) -> None:
        """Return once all copies have the record of a key as it is, where the identity writes to all copies."""
        self._row_writes.confirm(self.prepared, key)

    def find_many(self, keys: Sequence[Row], is_serial: bool = False) -> list[StoredRecord | None]:
        """Return the record of each key, None where there is none, once no unit holds it."""
        records = self._row_writes.find_many(self.prepared, keys, is_serial)
        return [self.free(key, record) for key, record in zip(keys, records, strict=True)]

    def find_shown(self, key: Row, meter: Meter) -> StoredRecord | None:
        """Return a record without the mark of a write that looks for references, so that it has to look again.

        None where there is no record. The request that finds it is counted by the caller, further ones are repairs.
        """
        while True:
            record = self.find(key, is_serial=True)
            image = self.image(record)
            if record is None or image is None or record.state is State.VISIBLE:
                return record if image is not None else None
            meter.repair(1)
            write = inheriting(self.stamps.write_after(stamp_of(record.write)), record.write)
            if self.put(key, image, State.VISIBLE, write, record.write)[0]:
                return StoredRecord(write, State.VISIBLE, record.row)
            meter.repair(1)

    def put_many(self, puts: Sequence[tuple[Row, State, str, str | None]]) -> list[bool]:
        """Put records, each given as image, state, write, and the write that is known to have left it (None: nobody).

        Return for each whether it is known to have been put.
        """
        changes = [RecordChange(self._row_of(image), state, write, known) for image, state, write, known in puts]
        return self._row_writes.change_many(self.prepared, changes)

    def image(self, record: StoredRecord | None) -> Row | None:
        """Return the image of a record; None for one that is deleted or not decided yet (COMING)."""
        if record is None or record.state in self._hidden:
            return None
        row = record.row
        return tuple([row[position] for position in self._positions])

    def put(
        self, key: Row, image: Row | None, state: State, write: str, known: str | None
    ) -> tuple[bool, StoredRecord | None]:
        """Put a record, or without an image a deleted one, if `known` is the write that left it (None: nobody).

        Return whether it was put, and, if not, the record that is there.
        """
        row = self._row_of(image) if image is not None else key + self._nothing
        is_done, record = self._row_writes.change(self.prepared, row, state, write, known)
        return is_done or (record is not None and record.write == write), record

    def forget(self, key: Row, record: StoredRecord) -> bool:
        """Let a LEAVING record go, unless it was changed; return whether it is gone."""
        write = self.stamps.write_after(stamp_of(record.write))
        return self.put(key, None, State.GONE, write, record.write)[0]

    def fence(self, key: Row, stamp: int, own_write: str | None = None, meter: Meter | None = None) -> StoredRecord:
        """Return the record once no write up to a stamp can change it any more.

        A record that an older write left is put again, unchanged, by a later write: the conditions of all writes that
        knew the older one then fail. A record that `own_write` left is returned as it is. A meter counts the requests
        as lost.
        """
        meter = meter or Meter()
        while True:
            meter.lose(1)
            record = self.find_held(key)
            if record is not None and (record.write == own_write or stamp_of(record.write) > stamp):
                return record
            record = self.free(key, record)
            known = record.write if record is not None else None
            write = inheriting(self.stamps.write_after(stamp, stamp_of(known)), known)
            image = self.image(record)
            state = State.VISIBLE if image is not None else State.GONE
            if record is not None and record.state is State.LEAVING:
                state = State.LEAVING
            meter.lose(1)
            if self.put(key, image, state, write, known)[0]:
                row = self._row_of(image) if image is not None else key + self._nothing
                return StoredRecord(write, state, row)
