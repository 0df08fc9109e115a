"""The write path of one table on a store without transactions. The record decides; all else is derived from it.

    find the record, decide            `write`, `_try`
    note the intent                    `_note`        from here on any process can settle the write
    take slots in the groups entered   `_secure`
    show the entries as DOUBTFUL       `_secure`
    mark the record, check references  `_secure`      COMING or DOUBTFUL, where a foreign key needs it
    put the record                     `_try`         on the condition that nobody changed it: the write is decided
    make entries VISIBLE or GONE       `_finish`
    add it to the groups of views      `upkeep`       each counts it once (`folding`)
    give slots back, forget intent     `_finish`

A try that another writer overtook begins again at the first step. docs/decisions/0011 tells why the order is safe.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from piql.errors import (
    CardinalityViolation,
    ConstraintViolation,
    DuplicateKey,
    ForeignKeyViolation,
    PiqlError,
    StoreFull,
    StoreUnavailable,
)
from piql.runtime.deployment import LOOK_SECONDS, Counting, Deployment, Redeployed
from piql.runtime.writing.kept_view import KeptView
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.agreement import Agreement, Moves
from piql.runtime.writing.stepped.backoff import Backoff, Overtaken
from piql.runtime.writing.stepped.contributions import contributing, inheriting, mark_of
from piql.runtime.writing.stepped.folding import Gains, GroupRows, SteppedView, SteppedViews, joined_of
from piql.runtime.writing.stepped.held_rows import holds
from piql.runtime.writing.stepped.intents import Intent
from piql.runtime.writing.stepped.named_rows import NamedRows, NamedTable
from piql.runtime.writing.stepped.reference_checks import ReferenceChecks
from piql.runtime.writing.stepped.slots import Slots, tightest
from piql.runtime.writing.stepped.stamps import stamp_of
from piql.runtime.writing.stepped.touched_entries import Touched, TouchedEntries
from piql.runtime.writing.stepped.upkeep import Upkeep
from piql.runtime.writing.stepped.work import Change, Work
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.table_rules.constraints import GroupCount, UniqueCheck
from piql.runtime.writing.transactional import TableWriter
from piql.schema.catalog import Table
from piql.store.base import Store
from piql.store.row_writes import StoredRecord
from piql.store.rows import Row, State

UNKNOWN = "whether the row was written is not known: read it before you write it again"
HALF_WAY = "the disk of the store became full half-way: make room"

Decide = Callable[[Row | None], Row | None]
"""From the record as it is to the record as it shall be, None for none; may raise to refuse the write."""


class SteppedWriter:
    """Writes one table of a deployment by single-row writes; used by all threads of a client process.

    With `groups` it writes a view: a group without rows is LEAVING, and has no index entries.
    """

    def __init__(
        self,
        writer: TableWriter,
        deployment: Deployment,
        store: Store,
        identity: WriterIdentity,
        groups: GroupRows | None = None,
    ) -> None:
        record = deployment.record_of(writer.table)
        self.writer = writer
        self._groups = groups
        self.records = identity.records(record, store, is_of_groups=groups is not None)
        self.views = _views_of(writer, deployment, store, identity)
        others = deployment.other_views_of(writer.table)
        self.views_before = [view.table.name for view in others if view.deployment.version < deployment.version]
        self._upkeep = Upkeep(self.views, self.records, identity)
        self._identity = identity
        self._store = store
        self._row_writes = identity.row_writes
        self.entries = TouchedEntries(writer, groups)
        self._epoch = deployment.epoch
        self._last_filling = deployment.last_filling
        self.columns = tuple(column.name for column in record.columns)
        guards = writer.guards

        def slots_of(checks: Sequence[UniqueCheck | GroupCount]) -> list[Slots]:
            return [Slots(check, self.records, store, identity.row_writes) for check in checks]

        coming = tightest([*slots_of(guards.unique), *slots_of(guards.limits)])
        limited_slots = [*slots_of(writer.unique), *tightest(slots_of(writer.limits)).values()]
        self.slots = [tightest([coming.pop(slots.name, slots), slots])[slots.name] for slots in limited_slots]
        all_slots = [*self.slots, *coming.values()]
        self.agreement = Agreement(self.entries, all_slots, self.columns, identity.row_writes)
        self.references = ReferenceChecks(writer, deployment, store, identity)

    def backoff(self) -> Backoff:
        """Return the waiting of a new write."""
        return Backoff(self._identity.wait_policy)

    def slots_of(self, unique: UniqueCheck) -> Slots:
        """Return the slots of a UNIQUE key of this table."""
        return self.slots[self.writer.unique.index(unique)]

    def write(self, key: Row, decide: Decide, meter: Meter) -> None:
        """Change the record of a key by a decision; begin again whenever another writer changed it first.

        Raises ConstraintViolation, what `decide` raises, Overtaken, Redeployed, and errors of the store, after some of
        which it is unknown whether the record was changed: the message then says so.
        """
        meter.step(1)
        with self._identity.units.counted_by(meter):
            record = self.records.find(key)
        self._write(key, decide, meter, record)

    def write_group(
        self, key: Row, decide: Decide, meter: Meter, known: StoredRecord | None, *, is_known: bool
    ) -> None:
        """Change a group of a view, beginning with the record as it is known, if it is; raises as `write`."""
        if is_known:
            self._write(key, decide, meter, known, find_again=meter.lose)  # that it was found is counted already
        else:
            self.write(key, decide, meter)

    def _write(
        self,
        key: Row,
        decide: Decide,
        meter: Meter,
        record: StoredRecord | None,
        find_again: Callable[[int], None] | None = None,
    ) -> None:
        """Change a record that was found; `find_again` counts how the tries behind the first one find it."""
        self._take(Work(key, self.backoff(), self._identity.wait_policy.clock()), meter, record, decide, find_again)

    def _take(
        self,
        work: Work,
        meter: Meter,
        record: StoredRecord | None,
        decide: Decide,
        find_again: Callable[[int], None] | None = None,
    ) -> None:
        """Take the steps of a write, again and again, until it is done."""
        with self._identity.units.counted_by(meter):
            self._take_counted(work, meter, record, decide, find_again or meter.step)

    def _take_counted(
        self, work: Work, meter: Meter, record: StoredRecord | None, decide: Decide, count: Callable[[int], None]
    ) -> None:
        try:
            while True:
                record = self._after_others(work, meter, record)
                is_done, record = self._try(work, meter, record, decide)
                if is_done:
                    return
                meter.begin_again()
                count(1)
                work.backoff.pause()
        except Overtaken:
            self._withdraw(work, meter)
            raise
        except StoreUnavailable as failure:  # it is unknown how far it came: the intent stays, to be settled later
            if work.is_under_way and UNKNOWN not in str(failure):
                failure.args = (f"{HALF_WAY if isinstance(failure, StoreFull) else failure}; {UNKNOWN}",)
            raise
        except (PiqlError, Redeployed):
            with suppress(StoreUnavailable):
                self._withdraw(work, meter)
            raise

    def count(self, key: Row) -> None:
        """Have all views count a record as it is, if there is one that a view leaves out; raise as `write`."""
        record = self.records.find(key)
        image = self.records.image(record)
        if record is not None and image is not None and self.views.leave_out(image, record.write):
            self._count(key, record, self.views.mark)

    def give_mark(self, key: Row, mark: int) -> None:
        """Give a record a mark, if there is one without it, and have all views count it; raise as `write`.

        The mark may be of a view that this writer counts nothing in yet: somebody else, who does, has given it before.
        """
        record = self.records.find(key)
        if record is not None and self.records.image(record) is not None and mark_of(record.write) < mark:
            self._count(key, record, mark)

    def _count(self, key: Row, record: StoredRecord, mark: int) -> None:
        work = Work(key, self.backoff(), self._identity.wait_policy.clock(), is_counting=True, least_mark=mark)
        self._take(work, Meter(), record, lambda image: image)

    def load(self, image: Row) -> None:
        """Put a record of a bulk load, whose requests have no bound."""
        self.write(self.writer.key_of(image), lambda old: self.writer.keep_hidden(old, image), Meter())

    def _after_others(self, work: Work, meter: Meter, record: StoredRecord | None) -> StoredRecord | None:
        """Wait, within the patience, while another write of the record is about to be decided; return the record."""
        record = self.records.free(work.key, record)
        while (
            record is not None
            and record.state in (State.COMING, State.DOUBTFUL)
            and record.write != work.mark
            and work.backoff.is_patient(record.write)
        ):
            work.backoff.pause()
            meter.lose(1)
            record = self.records.find(work.key)
        return record

    def _try(
        self, work: Work, meter: Meter, record: StoredRecord | None, decide: Decide
    ) -> tuple[bool, StoredRecord | None]:
        """Take all steps of the write once, from the record as it is known.

        Return whether the write is done, and, if another writer was quicker, the record that is there.
        """
        old = self.records.image(record)
        new = decide(old)
        known = record.write if record is not None else None
        self._refuse_later_marks(known)
        marks = self._upkeep.marks(work, old, known)
        if new == old and (old is None or not work.is_counting or marks[0] == marks[1]):
            if work.intent is not None:
                self.settle(work.intent, meter)
            self.records.confirm(work.key)  # what is there already may be in a majority of the copies only
            return True, None
        if new is not None and not work.is_counting:
            self.writer.check_values(new)
        taken = self.views.find(meter, old, new, marks)
        gains = self.views.gains(old, new, marks, joined_of(taken)) if self.views else {}
        if record is not None and (gains or new is None or record.state is State.LEAVING):
            counted = meter if self.views.concern(gains) else Meter()
            settled = self._upkeep.after_others(work, counted, record, self.settle)
            if settled is None or settled.write != known:
                return False, settled
        try:
            marks, gains, looks = self._upkeep.look_at(work, meter, old, new, marks, gains, taken)
        except ConstraintViolation as violation:
            return False, self._changed(work, meter, known, violation)
        if self.views and work.intent is not None:
            work.number = None  # somebody may be about to forget the intent of the try before
        mark = self._name(known) if self.references.need_mark(old, new) else None
        change = Change(old, new, self._name(known, work if gains else None, marks[1]), gains, looks, marks[0], taken)
        is_repair = bool(work.images)
        touched = self.entries.touched(old, new)
        entered, left = self.agreement.moves(old, new)
        if touched or entered or left or gains:
            work.images += [image for image in (old, new) if image is not None and image not in work.images]
        is_counted = bool(self.entries.count(touched)) or any(slots in self.slots for slots, _ in (*entered, *left))
        is_counted |= self.views.counts(gains)
        if work.images:
            self._note(work, meter if is_counted else Meter(), change)
        work.last = known
        work.is_under_way = True
        try:
            is_put, current = self._secure(work, meter, change, entered, touched, mark)
        except (CardinalityViolation, DuplicateKey, ForeignKeyViolation, ConstraintViolation) as violation:
            is_put, current = False, self._changed(work, meter, work.last, violation)
        if not is_put:
            return False, current
        meter.step(1)
        is_put, current = self.records.put(
            work.key, new, self._state(new, is_contribution=bool(gains)), change.write, work.last
        )
        if not is_put:
            return False, current
        work.mark = None
        emptied = self._upkeep.fold(work, meter, change)
        if is_repair:
            assert work.intent is not None
            self._clear(work.intent, new, stamp_of(change.write), meter)
        else:
            self._finish(work, meter, change, touched, left, is_counted)
        self.views.remove_empty(emptied, meter)
        return True, None

    def _changed(self, work: Work, meter: Meter, known: str | None, violation: PiqlError) -> StoredRecord | None:
        """Return the record that is there, if it has changed: then a refusal may not hold. Otherwise raise it."""
        meter.lose(1)
        current = self.records.find(work.key, is_serial=True)
        if (current.write if current is not None else None) == known:
            raise violation
        return current

    def _refuse_later_marks(self, write: str | None) -> None:
        """Raise Redeployed for a record or an intent with a mark of a view that this writer does not know of."""
        if mark_of(write) > self._last_filling:
            raise Redeployed

    def _name(self, known: str | None, contributing_work: Work | None = None, mark: int | None = None) -> str:
        """Return the name of a new write in place of a known one; `contributing_work` adds something to views."""
        name = self._identity.stamps.write_after(stamp_of(known))
        if contributing_work is None:
            return inheriting(name, known, mark)
        return contributing(name, self._identity.stamps.process, self._number(contributing_work), mark or 0)

    def _number(self, work: Work) -> str:
        """Return the number of the intent of a write, which is noted next."""
        if work.number is None:
            work.number = self._identity.log.next_number()
        return work.number

    def _state(self, new: Row | None, *, is_contribution: bool) -> State:
        """Return the state in which a record or group is left."""
        if new is None:
            return State.LEAVING if is_contribution else State.GONE
        return State.VISIBLE if self._groups is None or self._groups.is_shown(new) else State.LEAVING

    def _look_again(self, work: Work) -> None:
        """Raise Redeployed if the schema has changed; compare it only if the last comparison is long ago.

        A change of the schema waits so long for writes that began before it. A group changes by a write that is decided
        already, whatever the schema is now.
        """
        clock = self._identity.wait_policy.clock
        if self._groups is None and clock() - work.looked_at > LOOK_SECONDS:
            self.look_again()
            work.looked_at = clock()

    def look_again(self) -> None:
        """Raise Redeployed if the schema has changed since this writer was prepared."""
        if self._store.version() != self._epoch:
            raise Redeployed

    def _secure(
        self,
        work: Work,
        meter: Meter,
        change: Change,
        entered: Moves,
        touched: Touched,
        mark: str | None,
    ) -> tuple[bool, StoredRecord | None]:
        """Take all steps between the intent and the record: slots, entries, the mark, references.

        Return whether the record can be put, and, if another writer changed it first, the record that is there.
        """
        with meter.within("LimitCheck"):
            for slots, group in entered:
                counted = meter if slots in self.slots else Meter()
                slots.take(group, work.key, change.write, counted, work.backoff)
        if touched:
            meter.step(self.entries.count(touched))
            at = stamp_of(change.write)
            self._row_writes.change_entries([entry._replace(at=at) for entry in touched.values()])
        with meter.within("ReferenceCheck"):
            if mark is not None:
                image, state = (change.new, State.COMING) if change.old is None else (change.old, State.DOUBTFUL)
                self.references.meter_of_mark(meter, change).step(1)
                is_put, current = self.records.put(work.key, image, state, mark, work.last)
                if not is_put:
                    return False, current
                work.mark = work.last = mark
            if not (work.is_counting or self.references.hold(work, meter, change, self.views)):
                meter.lose(1)
                return False, self.records.find(work.key, is_serial=True)
        self._look_again(work)
        return True, None

    def _note(self, work: Work, meter: Meter, change: Change) -> None:
        """Write the intent of this try into the log, over that of an earlier try, or before that one goes."""
        log, images, earlier = self._identity.log, work.images, work.intent
        both = change.old, change.new
        positions = tuple(images.index(image) if change.gains and image is not None else None for image in both)
        work.intent = Intent(
            log.group,
            self._number(work),
            self.writer.table.name,
            change.write,
            work.key,
            self.columns,
            tuple(images),
            (positions[0], positions[1]),
            change.mark,
            joined_of(change.taken) if change.gains else {},
        )
        meter.step(1)
        log.note(work.intent)
        if earlier is not None and earlier.number != work.intent.number:
            meter.lose(1)
            log.forget(earlier)

    def _finish(
        self,
        work: Work,
        meter: Meter,
        change: Change,
        touched: Touched,
        left: Moves,
        is_counted: bool,
    ) -> None:
        """Make entries and slots agree with the record that was put, and forget the intent."""
        stamp = stamp_of(change.write)
        if touched:
            meter.step(self.entries.count(touched))
            self._row_writes.change_entries(self.entries.as_record_says(touched, change.new, stamp))
        with meter.within("LimitCheck"):
            for slots, group in left:
                swaps = slots.give_back(group, work.key, stamp, is_in=False)
                if slots in self.slots:
                    meter.step()
                    meter.step(min(swaps, 1))
                    meter.lose(max(swaps - 1, 0))  # left by tries of others
        if work.intent is not None:
            if is_counted:
                meter.step(1)
            self._identity.log.forget(work.intent)

    def _withdraw(self, work: Work, meter: Meter) -> None:
        """Take back what a refused write has shown; its requests are counted as lost."""
        if work.intent is not None:
            self.settle(work.intent, meter)
        elif work.mark is not None:
            self.records.fence(work.key, stamp_of(work.mark), meter=meter)

    def settle(self, intent: Intent, meter: Meter | None = None) -> bool:
        """Complete or undo a write that may have been interrupted; return whether its record had been changed.

        Safe at any time, by anybody: a writer that is still at work finds that it must begin again. A meter counts the
        requests as lost.
        """
        meter = meter or Meter()
        self._refuse_later_marks(intent.write)
        record = self.records.fence(intent.key, stamp_of(intent.write), intent.write, meter)
        emptied = self._upkeep.fold_again(intent, record, self.gains_of(intent), meter)
        self._clear(intent, self.records.image(record), stamp_of(record.write), meter)
        self.views.remove_empty(emptied, meter)
        return record.write == intent.write

    def gains_of(self, intent: Intent) -> Mapping[int, Gains]:
        """Return what the groups of each view gain by a write in progress, if its record is put."""
        old, new = (
            self.agreement.as_now(intent.columns, intent.images[position]) if position is not None else None
            for position in intent.change
        )
        return self.views.gains(old, new, (intent.mark, mark_of(intent.write)), intent.joined)

    def _clear(self, intent: Intent, image: Row | None, stamp: int, meter: Meter) -> None:
        """Make all entries and slots that an intent may have touched agree with the record, and forget the intent.

        `image` is the record as a write with this stamp left it.
        """
        images = [self.agreement.as_now(intent.columns, touched_image) for touched_image in intent.images]
        self.agreement.restore(intent.key, images, image, stamp, meter)
        meter.lose(1)
        self._identity.log.forget(intent)


def group_writer(view: Table, deployment: Deployment, store: Store, identity: WriterIdentity) -> SteppedWriter:
    """Return the writer of the groups of a view."""
    return SteppedWriter(TableWriter(view, deployment, store), deployment, store, identity, GroupRows(view, deployment))


def _views_of(writer: TableWriter, deployment: Deployment, store: Store, identity: WriterIdentity) -> SteppedViews:
    """Return the views that the writes of a table keep, for this version and for others."""

    def from_mark(kept: KeptView) -> int:
        return deployment.counted_from.get(kept.table.name, 0)

    def stepped(kept: KeptView, declared_in: Deployment, counts: Counting = "always") -> SteppedView:
        groups, rows = group_writer(kept.table, declared_in, store, identity), GroupRows(kept.table, declared_in)
        names = None
        if kept.joins is not None:
            tables = {table.name: named_table(table.name) for table in kept.joins.rows.tables}
            names = NamedRows(kept.joins, tables, from_mark(kept))
        return SteppedView(kept, groups, rows, identity, from_mark(kept), counts, names)

    def named_table(name: str) -> NamedTable:
        table = deployment.kept_as_declared(name)

        def give_mark(key: Row, mark: int) -> None:
            SteppedWriter(TableWriter(table, deployment, store), deployment, store, identity).give_mark(key, mark)

        return NamedTable(identity.records(table, store), give_mark)

    others = list(zip(writer.other_views, deployment.other_views_of(writer.table), strict=True))
    return SteppedViews(
        [stepped(view, deployment) for view in writer.views if not holds(view)],
        [stepped(view, declared.deployment, declared.counts) for view, declared in others if not holds(view)],
        [
            *((from_mark(view), "always") for view in writer.views if holds(view)),
            *((from_mark(view), declared.counts) for view, declared in others if holds(view)),
        ],
    )
