"""Units of any process that hold records: waited for, then closed by whoever is out of patience.

A unit that is open is refused: its record changes once, so its writer cannot make it any more. One that is made is
ended: its records become what they were to be. Both are steps that repeat harmlessly.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from piql.errors import NotDeployed, StoreUnavailable
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.backoff import Backoff, WaitPolicy
from piql.runtime.writing.stepped.contributions import inheriting
from piql.runtime.writing.stepped.stamps import stamp_of
from piql.runtime.writing.stepped.unit_record import Held, UnitName, UnitRecord, unit_from, unit_of
from piql.store.row_writes import SingleRowWrites, StoredRecord
from piql.store.rows import Row, State

if TYPE_CHECKING:
    from piql.runtime.writing.stepped.records import SteppedRecords
    from piql.runtime.writing.stepped.writer import SteppedWriter


class OpenUnits:
    """What one client process does about units, its own and those of others; used by all of its threads.

    `writer_of` gives the writer of a table by its name; who has no deployment has none, and can only wait.
    """

    def __init__(self, row_writes: SingleRowWrites, wait_policy: WaitPolicy) -> None:
        self._row_writes = row_writes
        self._wait_policy = wait_policy
        self._counting = threading.local()
        self.writer_of: Callable[[str], SteppedWriter] | None = None
        self.renew()

    def renew(self) -> None:
        """Begin without any place: those that were used so far are of a parent process."""
        self._lock = threading.Lock()
        self._free: list[tuple[str, str | None]] = []  # places, and what their cells hold
        self._places = 0
        self._number = 0

    def take_place(self) -> tuple[str, str | None, str]:
        """Return a place for a unit that no other thread has, what its cell holds, and a number for the unit."""
        with self._lock:
            self._number += 1
            if not self._free:
                self._places += 1
                self._free.append((f"{self._places:x}", None))
            place, text = self._free.pop()
            return place, text, f"{self._number:x}"

    def give_place(self, unit: UnitRecord) -> None:
        """Let another unit have the place of one that was made or refused, and is over."""
        with self._lock:
            self._free.append((unit.name.place, unit.at("over").as_text()))

    @contextmanager
    def counted_by(self, meter: Meter) -> Iterator[None]:
        """Count what this thread does about units inside the context as lost requests of a write."""
        before = self._meter
        self._counting.meter = meter
        try:
            yield
        finally:
            self._counting.meter = before

    @property
    def _meter(self) -> Meter:
        meter: Meter | None = getattr(self._counting, "meter", None)
        return meter or Meter()

    def passed(self, records: SteppedRecords, key: Row, record: StoredRecord | None) -> StoredRecord | None:
        """Return a record once no unit holds it: its unit is given time, then it is closed.

        Raises errors of the store.
        """
        backoff: Backoff | None = None
        while record is not None and (name := unit_of(record.write)) is not None:
            backoff = backoff or Backoff(self._wait_policy)
            if backoff.is_patient(record.write):
                backoff.pause()
            else:
                self._close(records, key, record, name)
            self._meter.lose(1)
            record = records.find_held(key)
        return record

    def _close(self, records: SteppedRecords, key: Row, record: StoredRecord, name: UnitName) -> None:
        meter = self._meter
        meter.lose(1)
        unit = self.unit(name)
        if unit is not None:
            self.settle(unit, meter)
            return
        meter.lose(1)  # the unit is over: the step that held the record came late
        image = records.image(record)
        state = State.VISIBLE if image is not None else State.GONE
        records.put(key, image, state, _after(records, record.write, record.write), record.write)

    def unit(self, name: UnitName) -> UnitRecord | None:
        """Return a unit under way; None if it is over."""
        unit = self._last(name)
        return unit if unit is not None and unit.stage != "over" else None

    def was_made(self, name: UnitName, meter: Meter) -> bool | None:
        """Return whether a unit was made that somebody has ended; None where nothing is there that says so."""
        meter.lose(1)
        unit = self._last(name)
        return unit.was_made if unit is not None else None

    def _last(self, name: UnitName) -> UnitRecord | None:
        """Return a unit, also one that is over; None where its place has another one, or none."""
        text = self._row_writes.cell(name.group, name.place)
        unit = unit_from(name.process, name.place, text) if text is not None else None
        return unit if unit is not None and unit.name == name else None

    def settle(self, unit: UnitRecord, meter: Meter) -> bool | None:
        """End a unit that may have been interrupted; return whether it was made, None if somebody has ended it.

        Safe at any time, by anybody: a writer that is still at work finds it refused and begins again. The requests are
        counted as lost. Raises StoreUnavailable where a table of it is not deployed.
        """
        writers = {held.table: self._writer(held.table) for held in unit.held}
        while unit.stage == "open":
            meter.lose(1)
            refused = unit.at("refused")
            is_set, text = self.swap(unit, refused)
            if is_set:
                unit = refused
            else:
                current = unit_from(unit.name.process, unit.name.place, text) if text is not None else None
                if current is None or current.name != unit.name or current.stage == "over":
                    return None
                unit = current
        for held in unit.held:
            self._leave(writers[held.table], unit, held, meter)
        meter.lose(1)
        self.swap(unit, unit.at("over"))
        return unit.stage == "made"

    def swap(self, unit: UnitRecord, after: UnitRecord) -> tuple[bool, str | None]:
        """Change the record of a unit, if it is as it is known; return whether it was changed, and what is there."""
        return self._row_writes.swap(unit.name.group, unit.name.place, unit.as_text(), after.as_text())

    def _writer(self, table: str) -> SteppedWriter:
        try:
            if self.writer_of is not None:
                return self.writer_of(table)
        except NotDeployed:
            pass
        raise StoreUnavailable(f"a unit holds a row of it, and writes {table}, which is not deployed here: try again")

    def _leave(self, writer: SteppedWriter, unit: UnitRecord, held: Held, meter: Meter) -> None:
        """Leave one record of a decided unit as it was to be, or as it was, with its entries and slots."""
        records, is_made, stamp = writer.records, unit.stage == "made", stamp_of(held.write)
        columns = unit.columns[held.table]
        old, new = (
            None if image is None else writer.agreement.as_now(columns, image) for image in (held.old, held.new)
        )
        left = new if is_made else old
        while True:
            meter.lose(1)
            record = records.find_held(held.key)
            if (record is None or record.write != held.hold) and not is_made and held.is_changed:
                record = records.fence(held.key, stamp, held.hold, meter)  # it may still be on its way to be held
            if record is None or record.write != held.hold:
                image = records.image(record)
                break
            write = held.write if is_made else _after(records, held.write, held.known)
            gone = State.GONE if is_made and held.is_changed else held.state
            meter.lose(1)
            if records.put(held.key, left, State.VISIBLE if left is not None else gone, write, held.hold)[0]:
                image, record = left, StoredRecord(write, State.VISIBLE, ())
                break
        if held.is_changed:
            images = [image for image in (old, new) if image is not None]
            stamp = stamp_of(record.write) if record is not None else stamp
            writer.agreement.restore(held.key, images, image, stamp, meter)


def _after(records: SteppedRecords, write: str, known: str | None) -> str:
    """Return the name of a write behind another one, which adds nothing to views."""
    return inheriting(records.stamps.write_after(stamp_of(write)), known)
