"""Records that units hold, as readers see them: as they were until the unit is made, then as it leaves them.

    read the record ──held──▶ look at the unit ──open, refused──▶ the record as it is
                                               ──made──────────▶ the record as the unit names it
                                               ──over──────────▶ read the record again

So nobody sees a part of a unit and then begins a read that does not see the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from piql.runtime.writing.stepped.unit_record import UnitName, UnitRecord, unit_from, unit_of
from piql.schema.catalog import Table
from piql.store.base import ReadShape, Store
from piql.store.row_writes import SingleRowWrites
from piql.store.rows import STATE, WRITE, PreparedRead, Row, State


def held_records(store: Store, tables: Collection[str]) -> Callable[[Table], HeldRecords | None]:
    """Return a function from a table to what settles its records; to None for those that are not among `tables`."""
    return lambda table: HeldRecords(table, store) if table.name in tables else None


class HeldRecords:
    """The records of one table that units write; `read` gets one, with its WRITE and its State behind all columns."""

    def __init__(self, table: Table, store: Store) -> None:
        self._table = table
        self._names = tuple(column.name for column in table.columns)
        columns, length = (*self._names, WRITE, STATE), len(table.primary_key)
        self.read: PreparedRead = store.prepare(
            ReadShape(table, table.primary_index(), columns, length, sees_coming=True)
        )
        row_writes = store.row_writes
        assert row_writes is not None
        self._row_writes: SingleRowWrites = row_writes

    def free(
        self,
        keys: Sequence[Row],
        answers: Sequence[list[Row]],
        read_again: Callable[[Row], list[Row]],
        count: Callable[[], None],
    ) -> list[list[Row]]:
        """Return the records of `answers` to gets of `keys`, without WRITE and State; none for one that is not there.

        `count` is called before each request, and may raise; `read_again` counts for itself.
        """
        units: dict[UnitName, UnitRecord | None] = {}
        records: list[list[Row]] = []
        for key, rows in zip(keys, answers, strict=True):
            while rows and (name := unit_of(rows[0][-2])) is not None:
                if name not in units:
                    count()
                    units[name] = self._unit(name)
                unit = units[name]
                if unit is not None:
                    image = self._image(unit, key, rows[0])
                    rows = [] if image is None else [(*image, None, State.VISIBLE)]
                    break
                rows = read_again(key)
            records.append([row[:-2] for row in rows if row[-1] != State.COMING])
        return records

    def _unit(self, name: UnitName) -> UnitRecord | None:
        text = self._row_writes.cell(name.group, name.place)
        unit = unit_from(name.process, name.place, text) if text is not None else None
        return unit if unit is not None and unit.name == name and unit.stage != "over" else None

    def _image(self, unit: UnitRecord, key: Row, row: Row) -> Row | None:
        """Return a record that a unit holds, as readers see it."""
        if unit.stage != "made":
            return None if row[-1] == State.COMING else row[:-2]
        held = next(held for held in unit.held if (held.table, held.key) == (self._table.name, tuple(key)))
        if held.new is None:
            return None
        values = dict(zip(unit.columns[held.table], held.new, strict=True))
        return tuple([values.get(name) for name in self._names])
