"""One try of a unit on a store without transactions: what it has read, and the steps that make it.

    read records, decide        `record`          by statements and LETs; each record is read once
    open the unit's record      `_open`           it names all records: from here on anybody can end the unit
    take slots, entries         `_show`           as one write does, for each record that changes
    hold the records            `_hold`           in the order of their keys, each if it is the one that was read
    look at groups again        `_look`           each has the rows that were found, and whoever adds one waits now
    decide                      `make`            the unit's record changes from open to made
    leave the records           `_leave`          as they were to be, with their entries and slots
    end the unit                `_leave`          its place is free again

A try that meets another writer refuses itself, takes back what it has shown, and the unit begins again.
docs/decisions/0083 tells why the order is safe.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from piql.errors import CardinalityViolation, DuplicateKey, PiqlError, StoreUnavailable
from piql.runtime.deployment import LOOK_SECONDS, Redeployed
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.agreement import Moves
from piql.runtime.writing.stepped.backoff import Backoff
from piql.runtime.writing.stepped.children import Children
from piql.runtime.writing.stepped.contributions import inheriting
from piql.runtime.writing.stepped.notation import text_of
from piql.runtime.writing.stepped.stamps import stamp_of
from piql.runtime.writing.stepped.touched_entries import Touched
from piql.runtime.writing.stepped.unit_record import Held, UnitName, UnitRecord, holding
from piql.runtime.writing.stepped.writer import UNKNOWN, SteppedWriter
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.table_rules.guards import Guards
from piql.store.row_writes import StoredRecord
from piql.store.rows import Row, State

_BESIDE = 3  # requests for a record beside a group: it is read, held and left
CHANGES = (
    "a change of the schema is on its way that checks or counts rows which the unit writes: try again when it is done"
)


class GroupMoved(Exception):
    """Rows came and went while a group was read."""


class StatementRefused(Exception):
    """A limit or a UNIQUE key refuses what a statement, by its number, has written."""

    def __init__(self, number: int, refusal: PiqlError) -> None:
        super().__init__(number, refusal)
        self.number = number
        self.refusal = refusal


@dataclass(slots=True)
class Known:
    """A record that a unit has read: as it was found, its image then, and the one that the unit leaves so far.

    `statement` is the number of the last statement that changed it. One that `is_beside` a group is held since some
    write may put it there: its requests are repairs.
    """

    writer: SteppedWriter
    key: Row
    record: StoredRecord | None
    old: Row | None
    new: Row | None
    statement: int = 0
    is_beside: bool = False


@dataclass(slots=True)
class _Shown:
    """A record that changes: its place in the unit's record, the entries that it touches, and groups."""

    known: Known
    held: Held
    touched: Touched
    entered: Moves
    left: Moves


@dataclass(frozen=True, slots=True)
class _Group:
    """A group that was read: the rows of a table that name the row with a `key`."""

    table: str
    children: Children
    key: Row


class UnitTry:
    """One try; `writer_of` gives the writer of a table by its name."""

    def __init__(self, identity: WriterIdentity, writer_of: Callable[[str], SteppedWriter], backoff: Backoff) -> None:
        self._identity = identity
        self._units = identity.units
        self._writer_of = writer_of
        self._backoff = backoff
        self._records: dict[tuple[str, Row], Known] = {}
        self._groups: dict[tuple[str, tuple[str, ...], Row], _Group] = {}
        self._began = identity.wait_policy.clock()
        self._unit: UnitRecord | None = None
        self._may_be_decided = False

    def record(self, table: str, key: Row, meter: Meter) -> Known:
        """Return a record as the unit has it so far, read once; a write of it under way is given time."""
        known = self._records.get((table, key))
        if known is None:
            writer = self._writer_of(table)
            meter.step(1)
            record = writer.records.find(key)
            while record is not None and record.state in (State.COMING, State.DOUBTFUL):
                if not self._backoff.is_patient(record.write):
                    break
                self._backoff.pause()
                meter.lose(1)
                record = writer.records.find(key)
            image = writer.records.image(record)
            known = self._records[table, key] = Known(writer, key, record, image, image)
        return known

    def group(self, table: str, columns: tuple[str, ...], key: Row, most: int, meter: Meter) -> list[Row]:
        """Return the rows that name one row by a foreign key of these columns, at most `most`, as the unit has them.

        `key` has the values of the columns. The first look at them is counted by the caller. Raises NotDeployed where
        there is no such foreign key any more, and GroupMoved.
        """
        reference = self._writer_of(table).references.by_columns(columns)
        children = reference.children(most)
        group = self._groups.get((table, columns, key))
        parent = reference.parent_key(key)
        if parent is None:
            return []  # no row can be named so
        in_order = dict(zip(columns, key, strict=True))
        if group is None:
            group = _Group(table, children, tuple([in_order[name] for name in children.columns]))
            self.record(reference.parent_table, parent, meter)
            self._read(group, most, meter)
            self._groups[table, columns, key] = group
        images = [known.new for (name, _), known in self._records.items() if name == table]
        return [image for image in images if image is not None and children.is_named_by(image, group.key)]

    def _read(self, group: _Group, most: int, meter: Meter) -> None:
        """Read each record that names the row of a group, at most `most`, and each that a write may let name it.

        The latter are held, too: so their writers wait, or are seen to have been quicker.
        """
        is_member = group.children.is_named_by
        members = sum(
            is_member(known.old, group.key) for (name, _), known in self._records.items() if name == group.table
        )
        for primary, _ in group.children.found(group.key):
            if (group.table, primary) in self._records:
                continue
            counted = Meter()
            known = self.record(group.table, primary, counted)
            meter.lose(counted.lost)
            known.is_beside = not is_member(known.old, group.key)
            if known.is_beside:
                meter.repair(_BESIDE)
                continue
            members += 1
            if members > most:
                raise GroupMoved
            meter.step(1)

    def is_as_read(self, meter: Meter) -> bool:
        """Return whether what was read was there at one moment, so that a refusal that rests on it holds."""
        if self._groups:
            return self._is_as_held(meter)
        if len(self._records) < 2:
            return True
        for known in self._records.values():
            meter.lose(1)
            record = known.writer.records.find_held(known.key)
            if _write_of(record) != _write_of(known.record):
                return False
        return True

    def _is_as_held(self, meter: Meter) -> bool:
        """Return what `is_as_read` does, of groups: all is held at one moment, then left as it was."""
        for known in self._records.values():
            known.new = known.old
        counted = Meter()
        try:
            unit, _ = self._open(counted)
            is_held = unit is not None and self._holds(unit, counted)
        finally:
            with suppress(StoreUnavailable):
                self._withdraw(counted)
            meter.lose(counted.attempts)
        return is_held

    def make(self, meter: Meter) -> bool:
        """Take all steps from the unit's record on; return whether the unit was made.

        Raises StatementRefused, Redeployed, and errors of the store: where these leave unknown
        whether the unit was made, they say so.
        """
        for known in self._records.values():
            if known.old != known.new:
                _refuse_beside_others(known.writer)
        if all(known.old == known.new for known in self._records.values()):
            return self.is_as_read(meter)
        try:
            unit, shown = self._open(meter)
            if unit is None:
                return False
            try:
                self._show(shown, meter)
            except StatementRefused:
                is_as_read = self._holds(unit, meter) if self._groups else self.is_as_read(meter)
                if not is_as_read:
                    return self._withdraw(meter)
                raise
            if not self._holds(unit, meter):
                return self._withdraw(meter)
            self._look_again()
            meter.step(1)
            decided, self._may_be_decided = unit.at("made"), True
            if not self._units.swap(unit, decided)[0]:
                return self._withdraw(meter)
            self._leave(decided, shown, meter)
        except StoreUnavailable as failure:
            if self._may_be_decided and UNKNOWN not in str(failure):
                failure.args = (f"{failure}; {UNKNOWN}",)
            self._take_back(meter)
            raise
        except (PiqlError, Redeployed, StatementRefused):
            self._take_back(meter)
            raise
        return True

    def _take_back(self, meter: Meter) -> None:
        """Take back what a try that fails has shown, unless it may be made: nobody else can make it."""
        if not self._may_be_decided:
            with suppress(StoreUnavailable):
                self._withdraw(meter)

    def _open(self, meter: Meter) -> tuple[UnitRecord | None, list[_Shown]]:
        """Write the unit's record; return it, None where its place was taken away, and what the records change."""
        self._identity.log.announce()
        place, text, number = self._units.take_place()
        name = UnitName(self._identity.stamps.process, place, number)
        ordered = sorted(self._records.items(), key=lambda item: (item[0][0], text_of(item[0][1])))
        held: list[Held] = []
        shown: list[_Shown] = []
        for (table, key), known in ordered:
            held_record = self._held(name, table, key, known)
            held.append(held_record)
            if held_record.is_changed:
                writer = known.writer
                entered, left = writer.agreement.moves(known.old, known.new)
                shown.append(_Shown(known, held_record, writer.entries.touched(known.old, known.new), entered, left))
        columns = {known.writer.writer.table.name: known.writer.columns for known in self._records.values()}
        unit = UnitRecord(name, "open", tuple(held), columns)
        meter.step(1)
        is_open, _ = self._identity.row_writes.swap(name.group, place, text, unit.as_text())
        if not is_open:
            return None, []
        self._unit = unit
        return unit, shown

    def _held(self, name: UnitName, table: str, key: Row, known: Known) -> Held:
        record, stamps = known.record, self._identity.stamps
        write = record.write if record is not None else None
        stamp, hold = stamp_of(write), holding(stamps.write_after(stamp_of(write)), name)
        last = stamps.write_after(stamp, stamp_of(hold))
        is_leaving = record is not None and record.state is State.LEAVING
        state = State.VISIBLE if known.old is not None else State.LEAVING if is_leaving else State.GONE
        names = inheriting(hold, write), inheriting(last, write)
        return Held(table, key, write, state, known.old, known.new, *names)

    def _show(self, shown: list[_Shown], meter: Meter) -> None:
        """Take slots in the groups that records enter, and put all entries that change as DOUBTFUL.

        Slots are taken in the order of the statements, so that the first one that is refused is named.
        """
        row_writes = self._identity.row_writes
        read = {id(known): at for at, known in enumerate(self._records.values())}
        beside = {(change.held.key, change.held.write) for change in shown}
        for change in sorted(shown, key=lambda change: (change.known.statement, read[id(change.known)])):
            for slots, group in change.entered:
                counted = meter if slots in change.known.writer.slots else Meter()
                try:
                    slots.take(group, change.held.key, change.held.write, counted, self._backoff, beside)
                except (CardinalityViolation, DuplicateKey) as refusal:
                    raise StatementRefused(change.known.statement, refusal) from refusal
        entries = [
            entry._replace(at=stamp_of(change.held.write)) for change in shown for entry in change.touched.values()
        ]
        if entries:
            meter.step(sum(change.known.writer.entries.count(change.touched) for change in shown))
            row_writes.change_entries(entries)

    def _holds(self, unit: UnitRecord, meter: Meter) -> bool:
        """Hold all records and look at the groups; return whether all is as it was read."""
        return self._hold(unit, meter) and self._look(meter)

    def _look(self, meter: Meter) -> bool:
        """Return whether each group has no row but those that are held, not even one that may come.

        Nobody waits here, since all records are held.
        """
        for group in self._groups.values():
            meter.step(1)
            rows = group.children.found(group.key)
            if len(rows) >= group.children.most or any((group.table, key) not in self._records for key, _ in rows):
                return False
        return True

    def _hold(self, unit: UnitRecord, meter: Meter) -> bool:
        """Hold all records in the order of their keys; return whether each was the one that was read."""
        for held in unit.held:
            known = self._records[held.table, held.key]
            state = State.DOUBTFUL if held.old is not None else State.COMING
            meter.step(not known.is_beside)
            if not known.writer.records.put(held.key, held.old, state, held.hold, held.known)[0]:
                return False
        return True

    def _look_again(self) -> None:
        """Raise Redeployed if the schema has changed; compare it only if the unit has taken long."""
        if self._identity.wait_policy.clock() - self._began > LOOK_SECONDS:
            for known in self._records.values():
                known.writer.look_again()
                return

    def _leave(self, unit: UnitRecord, shown: list[_Shown], meter: Meter) -> None:
        """Leave each record of a unit that is made, make entries and slots agree, and end the unit."""
        for held in unit.held:
            known = self._records[held.table, held.key]
            writer = known.writer
            gone = State.GONE if held.is_changed else held.state
            meter.step(not known.is_beside)
            writer.records.put(
                held.key, held.new, State.VISIBLE if held.new is not None else gone, held.write, held.hold
            )
        entries = [
            entry
            for change in shown
            for entry in change.known.writer.entries.as_record_says(
                change.touched, change.held.new, stamp_of(change.held.write)
            )
        ]
        if entries:
            meter.step(sum(change.known.writer.entries.count(change.touched) for change in shown))
            self._identity.row_writes.change_entries(entries)
        for change in shown:
            for slots, group in change.left:
                swaps = slots.give_back(group, change.held.key, stamp_of(change.held.write), is_in=False)
                if slots in change.known.writer.slots:
                    meter.step(1)
                    meter.step(min(swaps, 1))
                    meter.lose(max(swaps - 1, 0))  # left by tries of others
        meter.step(1)
        self._units.swap(unit, unit.at("over"))
        self._units.give_place(unit)

    def _withdraw(self, meter: Meter) -> bool:
        """Refuse the unit, if nobody has, and take back what it has shown; return whether it was made after all."""
        unit, self._unit = self._unit, None
        if unit is None:
            return False
        is_made = self._units.settle(unit, meter)
        if is_made is None:  # somebody has ended it, perhaps behind a decision whose answer was lost
            is_made = self._units.was_made(unit.name, meter)
        if is_made is None:
            if self._may_be_decided:
                raise StoreUnavailable(f"the record of the unit is gone; {UNKNOWN}")
            return False
        self._units.give_place(unit.at("made" if is_made else "refused"))
        return is_made


def _refuse_beside_others(writer: SteppedWriter) -> None:
    """Raise StoreUnavailable for a write of a table whose rows another version checks or counts."""
    if writer.views_before:
        views = ", ".join(writer.views_before)
        raise StoreUnavailable(
            f"{writer.writer.table.name} feeds {views} of the version before, which a rollback would bring back, and a "
            "unit keeps no view: it is made again once another version is deployed"
        )
    if writer.writer.guards != Guards() or writer.writer.other_views:
        raise StoreUnavailable(CHANGES)


def _write_of(record: StoredRecord | None) -> str | None:
    return record.write if record is not None else None
