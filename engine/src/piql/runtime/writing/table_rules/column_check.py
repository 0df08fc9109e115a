"""A column that becomes NOT NULL or narrower: while the version that says so is being deployed, new values must fit it.

Existing values are checked by `versions/change/checking.py`.
"""

from __future__ import annotations

from piql.errors import ConstraintViolation
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.table_rules.records import keeper
from piql.schema.catalog import Column, Table
from piql.store.base import Reads, Store
from piql.store.rows import Row


class ColumnCheck:
    """The check of one column: `record` is the table as it is stored, `table` as the coming version declares it."""

    def __init__(self, record: Table, table: Table, column: Column, store: Store) -> None:
        names = [stored.name for stored in record.columns]
        self._position = names.index(column.name)
        codec = store.codec(record.columns[self._position].type)
        self._decode = codec.decode if codec else None
        self._keep = keeper(table, column, store)

    def holds(self, record: Row) -> bool:
        """Return whether the column's value in a record fits the coming version."""
        try:
            self._try(record)
        except ConstraintViolation:
            return False
        return True

    def check(self, reads: Reads, meter: Meter, old: Row | None, new: Row) -> None:
        """Raise ConstraintViolation for a new value that does not fit; one that the row had before is let through."""
        if old is None or old[self._position] != new[self._position]:
            self._try(new)

    def _try(self, record: Row) -> None:
        """Convert the value as the coming version would; raise ConstraintViolation if that fails."""
        value = record[self._position]
        self._keep(self._decode(value) if self._decode and value is not None else value)
