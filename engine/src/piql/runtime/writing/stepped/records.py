"""The records of one table on a store without transactions: found, put on a condition, closed to late writers."""

from __future__ import annotations

from collections.abc import Sequence

from piql.runtime.writing.stepped.stamps import Stamps, stamp_of
from piql.runtime.writing.table_rules.constraints import Picker, picker
from piql.runtime.writing.table_rules.entries import IndexEntries
from piql.schema.catalog import Table
from piql.store.base import Found, RecordChange, Row, SingleRowWrites, State, Store


class SteppedRecords:
    """`image`: a record in the order of the table's columns, as the write path has it; `row`: as the store has it."""

    def __init__(self, table: Table, store: Store, row_writes: SingleRowWrites, stamps: Stamps) -> None:
        self.table = table
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

    def find(self, key: Row, is_serial: bool = False) -> Found | None:
        return self._row_writes.find(self.prepared, key, is_serial)

    def find_many(self, keys: Sequence[Row], is_serial: bool = False) -> list[Found | None]:
        return self._row_writes.find_many(self.prepared, keys, is_serial)

    def put_many(self, puts: Sequence[tuple[Row, State, str, str | None]]) -> list[bool]:
        """Put images in a state, each by a write, if the known one left the record; say which are known as done."""
        changes = [RecordChange(self._row_of(image), state, write, known) for image, state, write, known in puts]
        return self._row_writes.change_many(self.prepared, changes)

    def image(self, record: Found | None) -> Row | None:
        """Return the record as the write path has it; None for a record that is deleted or not there yet."""
        if record is None or record.state in (State.COMING, State.GONE):
            return None
        row = record.row
        return tuple([row[position] for position in self._positions])

    def put(
        self, key: Row, image: Row | None, state: State, write: str, known: str | None
    ) -> tuple[bool, Found | None]:
        """Put a record (or, without an image, what stands for none), if the write that left it is the known one."""
        row = self._row_of(image) if image is not None else key + self._nothing
        is_done, record = self._row_writes.change(self.prepared, row, state, write, known)
        return is_done or (record is not None and record.write == write), record

    def past(self, key: Row, stamp: int, own_write: str | None = None) -> Found:
        """Return the record once no write up to a stamp can change it any more, `own_write` excepted if it has.

        A record that is older is put as it is by a write that is later: whoever knew the older one finds another.
        """
        while True:
            record = self.find(key, is_serial=True)
            if record is not None and (record.write == own_write or stamp_of(record.write) > stamp):
                return record
            write = self.stamps.write_after(stamp, stamp_of(record.write) if record else 0)
            image = self.image(record)
            state = State.VISIBLE if image is not None else State.GONE
            known = record.write if record is not None else None
            if self.put(key, image, state, write, known)[0]:
                row = self._row_of(image) if image is not None else key + self._nothing
                return Found(write, state, row)
