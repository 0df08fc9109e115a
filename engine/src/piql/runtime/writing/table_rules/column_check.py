"""A column that becomes NOT NULL or narrower: its values must fit while the version that says so is on its way."""

from __future__ import annotations

from piql.errors import ConstraintViolation
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.table_rules.records import keeper
from piql.schema.catalog import Column, Table
from piql.store.base import Reads, Row, Store


class ColumnCheck:
    """`record` is the table as it is kept, `table` as the coming version declares it."""

    def __init__(self, record: Table, table: Table, column: Column, store: Store) -> None:
        names = [stored.name for stored in record.columns]
        self._place = names.index(column.name)
        codec = store.codec(record.columns[self._place].type)
        self._decode = codec.decode if codec else None
        self._keep = keeper(table, column, store)

    def holds(self, record: Row) -> bool:
        try:
            self._try(record)
        except ConstraintViolation:
            return False
        return True

    def check(self, reads: Reads, meter: Meter, old: Row | None, new: Row) -> None:
        """Refuse a value that does not fit, unless the row had it before: that one is counted elsewhere."""
        if old is None or old[self._place] != new[self._place]:
            self._try(new)

    def _try(self, record: Row) -> None:
        value = record[self._place]
        self._keep(self._decode(value) if self._decode and value is not None else value)
