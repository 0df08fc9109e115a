"""Records that units hold, as readers see them: as they were until the unit is made, then as it leaves them.

    read the record ──held──▶ look at the unit ──open, refused──▶ the record as it is
                                               ──made──────────▶ the record as the unit names it
                                               ──over, refused─▶ the record as it is
                                               ──over, made────▶ read the record again
                                               ──gone──────────▶ read the record again; if the same step holds it,
                                                                 the record as it is

So nobody sees a part of a unit and then begins a read that does not see the rest.

A step that holds a record may arrive when its unit is over, and so after all its records were left. A step that held
one before has its condition no more: the write that it knew is not there again. So a record that is held when its unit
is over was not held when that was decided, and the unit, which holds all records first, was refused. The step puts the
record as it was, on the condition that nobody has changed it. So what the record says is what holds. Where the unit's
place says nothing of it any more, only a record that was read behind that look is known to be such a one: the first
read may have come before a decision. The next write of the record puts it as its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from piql.runtime.execution.settling import MADE
from piql.runtime.writing.stepped.unit_record import UnitName, UnitRecord, unit_from, unit_of
from piql.schema.catalog import Table
from piql.store.base import ReadShape, Store
from piql.store.row_writes import SingleRowWrites
from piql.store.rows import STATE, WRITE, PreparedRead, Row, State

_NOBODY = "nobody"  # has written a record that is not there


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
    ) -> tuple[list[list[Row]], list[str | None]]:
        """Return the records of `answers` to gets of `keys`, without WRITE and State; none for one that is not there.

        The second list has what has changed each, a write or a unit that is made; None where a unit holds it that is
        not made. `count` is called before each request, and may raise; `read_again` counts for itself.
        """
        units: dict[UnitName, UnitRecord | None] = {}
        records: list[list[Row]] = []
        changes: list[str | None] = []
        for key, rows in zip(keys, answers, strict=True):
            changed_by: str | None = _NOBODY
            while rows and (name := unit_of(rows[0][-2])) is not None:
                if name not in units:
                    count()
                    units[name] = self._unit(name)
                unit, before = units[name], rows[0]
                if unit is None or (unit.stage == "over" and unit.was_made):
                    rows = read_again(key)
                    if unit is not None or not rows or rows[0][-2] != before[-2]:
                        continue
                image = self._image(unit, key, rows[0])
                changed_by = f"{MADE}{'.'.join(name)}" if unit is not None and unit.stage == "made" else None
                rows = [] if image is None else [(*image, None, State.VISIBLE)]
            if rows and rows[0][-2] is not None:
                changed_by = rows[0][-2]
            records.append([row[:-2] for row in rows if row[-1] != State.COMING])
            changes.append(changed_by)
        return records, changes

    def _unit(self, name: UnitName) -> UnitRecord | None:
        """Return a unit, also one that is over; None where its place has another one, or none."""
        text = self._row_writes.cell(name.group, name.place)
        unit = unit_from(name.process, name.place, text) if text is not None else None
        return unit if unit is not None and unit.name == name else None

    def _image(self, unit: UnitRecord | None, key: Row, row: Row) -> Row | None:
        """Return a record that a unit holds, as readers see it; None for the unit says that it is gone."""
        if unit is None or unit.stage != "made":
            return None if row[-1] == State.COMING else row[:-2]
        held = next(held for held in unit.held if (held.table, held.key) == (self._table.name, tuple(key)))
        if held.new is None:
            return None
        values = dict(zip(unit.columns[held.table], held.new, strict=True))
        return tuple([values.get(name) for name in self._names])
