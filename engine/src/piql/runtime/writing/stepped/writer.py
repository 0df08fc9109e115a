"""The write path of one table on a store without transactions. The record decides; all else is derived from it.

    find the record, decide            `write`, `_try`
    note the intent                    `_note`        from here on any process can settle the write
    take slots in the groups entered   `_secure`
    show the entries as DOUBTFUL       `_secure`
    mark the record, check references  `_secure`      COMING or DOUBTFUL, where a foreign key needs it
    put the record                     `_try`         on the condition that nobody changed it: the write is decided
    make entries VISIBLE or GONE       `_finish`
    give slots back, forget intent     `_finish`

A try that another writer overtook begins again at the first step. docs/decisions/0011 tells why the order is safe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from piql.errors import (
    CardinalityViolation,
    ConstraintViolation,
    DuplicateKey,
    ForeignKeyViolation,
    PiqlError,
    StoreFull,
    StoreUnavailable,
)
from piql.runtime.deployment import LOOK_SECONDS, Deployment, Redeployed
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.backoff import Backoff, Overtaken
from piql.runtime.writing.stepped.intents import Intent
from piql.runtime.writing.stepped.references import SteppedReference, SteppedReferrer
from piql.runtime.writing.stepped.slots import Slots
from piql.runtime.writing.stepped.stamps import stamp_of
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.table_rules.constraints import GroupCount, UniqueCheck, index_for
from piql.runtime.writing.table_rules.guards import Guards
from piql.runtime.writing.transactional import TableWriter
from piql.store.base import Store
from piql.store.row_writes import EntryChange, StoredRecord
from piql.store.rows import Row, State

UNKNOWN = "whether the row was written is not known: read it before you write it again"
HALF_WAY = "the disk of the store became full half-way: make room"

Decide = Callable[[Row | None], Row | None]
"""From the record as it is to the record as it shall be, None for none; may raise to refuse the write."""


@dataclass(slots=True)
class _Work:
    """One write, over all of its tries.

    looked_at       when the schema's version was last compared, by the clock of the wait policy
    images          the records, before and after each try, whose entries and slots were touched
    intent          noted in the log; None while nothing but the record changes
    mark            the write by which this one showed the record as COMING or DOUBTFUL
    last            the write that left the record as this try knows it
    is_under_way    a step was sent that others may see
    """

    key: Row
    backoff: Backoff
    looked_at: float
    images: list[Row] = field(default_factory=list)
    intent: Intent | None = None
    mark: str | None = None
    last: str | None = None
    is_under_way: bool = False


@dataclass(frozen=True, slots=True)
class _Change:
    """What one try changes: the old image, the new one, and the name of the write that puts it."""

    old: Row | None
    new: Row | None
    write: str


def _tightest(all_slots: Iterable[Slots]) -> dict[str, Slots]:
    """Return by their names the slots with the lowest limit: limits on the same columns share the cells of a group."""
    tightest: dict[str, Slots] = {}
    for slots in all_slots:
        if slots.name not in tightest or slots.limit < tightest[slots.name].limit:
            tightest[slots.name] = slots
    return tightest


class SteppedWriter:
    """Writes one table of a deployment by single-row writes; used by all threads of a client process."""

    def __init__(self, writer: TableWriter, deployment: Deployment, store: Store, identity: WriterIdentity) -> None:
        table, record = writer.table, deployment.record_of(writer.table)
        self.writer = writer
        self.records = identity.records(record, store)
        self._identity = identity
        self._store = store
        self._row_writes = identity.row_writes
        self._indexes = [*writer.indexes, *writer.others]
        self._counted = len(writer.indexes)  # entries for other versions, behind these, are outside the bound
        self._deletes_only = {self._counted + at for at, deletes_only in enumerate(writer.deletes_only) if deletes_only}
        self._epoch = deployment.epoch
        self.columns = tuple(column.name for column in record.columns)
        guards = writer.guards

        def slots_of(checks: Sequence[UniqueCheck | GroupCount]) -> list[Slots]:
            return [Slots(check, self.records, store, identity.row_writes) for check in checks]

        coming = _tightest([*slots_of(guards.unique), *slots_of(guards.limits)])
        limited_slots = [*slots_of(writer.unique), *_tightest(slots_of(writer.limits)).values()]
        self.slots = [_tightest([coming.pop(slots.name, slots), slots])[slots.name] for slots in limited_slots]
        self._other_slots = list(coming.values())
        self.references: list[SteppedReference] = []
        for reference in writer.references:
            parents, owners = identity.records(deployment.record_of(reference.parent), store), None
            if set(reference.referenced) != set(reference.parent.primary_key):
                owners = Slots(identity.unique(reference, deployment, store), parents, store, identity.row_writes)
            is_seen = index_for(deployment, table, reference.key.columns).is_primary
            self.references.append(SteppedReference(reference, parents, owners, is_seen))
        self._referrers = [
            SteppedReferrer(
                check,
                identity.records(deployment.record_of(check.referrer), store),
                store.prepare_entries(check.referrer, check.index),
                store,
                identity.row_writes,
            )
            for check in writer.referrers
        ]

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
        work = _Work(key, self.backoff(), self._identity.wait_policy.clock())
        meter.step(1)
        record = self.records.find(key)
        try:
            while True:
                record = self._after_others(work, meter, record)
                is_done, record = self._try(work, meter, record, decide)
                if is_done:
                    return
                meter.begin_again()
                meter.step(1)
                work.backoff.pause()
        except Overtaken:
            self._withdraw(work, meter)
            raise
        except StoreUnavailable as failure:  # it is unknown how far it came: the intent stays, to be settled later
            if work.is_under_way:
                failure.args = (f"{HALF_WAY if isinstance(failure, StoreFull) else failure}; {UNKNOWN}",)
            raise
        except (PiqlError, Redeployed):
            with suppress(StoreUnavailable):
                self._withdraw(work, meter)
            raise

    def load(self, image: Row) -> None:
        """Put a record of a bulk load, whose requests have no bound."""
        self.write(self.writer.key_of(image), lambda old: self.writer.keep_hidden(old, image), Meter())

    def _after_others(self, work: _Work, meter: Meter, record: StoredRecord | None) -> StoredRecord | None:
        """Wait, within the patience, while another write of the record is about to be decided; return the record."""
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
        self, work: _Work, meter: Meter, record: StoredRecord | None, decide: Decide
    ) -> tuple[bool, StoredRecord | None]:
        """Take all steps of the write once, from the record as it is known.

        Return whether the write is done, and, if another writer was quicker, the record that is there.
        """
        old = self.records.image(record)
        new = decide(old)
        if new == old:
            if work.intent is not None:
                self.settle(work.intent, meter)
            return True, None
        if new is not None:
            self.writer.check_values(new)
        known_stamp = stamp_of(record.write) if record is not None else 0
        comes = old is None and new is not None and self.is_looked_for(new)
        goes = old is not None and any(referrer.is_concerned(old, new) for referrer in self._referrers)
        mark = self._identity.stamps.write_after(known_stamp) if comes or goes else None
        change = _Change(old, new, self._identity.stamps.write_after(known_stamp))
        is_repair = bool(work.images)
        touched = self.touched(old, new)
        entered, left = self.moves(old, new)
        if touched or entered or left:
            work.images += [image for image in (old, new) if image is not None and image not in work.images]
        is_counted = bool(self._count(touched)) or any(slots in self.slots for slots, _ in (*entered, *left))
        if work.images:
            self._note(work, meter if is_counted else Meter(), change)
        work.last = record.write if record is not None else None
        work.is_under_way = True
        try:
            is_put, current = self._secure(work, meter, change, entered, touched, mark)
        except (CardinalityViolation, DuplicateKey, ForeignKeyViolation, ConstraintViolation):
            meter.lose(1)
            current = self.records.find(work.key, is_serial=True)
            if (current.write if current is not None else None) == work.last:
                raise
            is_put = False  # the record has changed, so the refusal may not hold any more: begin again
        if not is_put:
            return False, current
        meter.step(1)
        is_put, current = self.records.put(
            work.key, new, State.VISIBLE if new is not None else State.GONE, change.write, work.last
        )
        if not is_put:
            return False, current
        work.mark = None
        if is_repair:
            assert work.intent is not None
            self._clear(work.intent, new, stamp_of(change.write), meter)
            return True, None
        self._finish(work, meter, change, touched, left, is_counted)
        return True, None

    def _look_again(self, work: _Work) -> None:
        """Raise Redeployed if the schema has changed; compare it only if the last comparison is long ago.

        A change of the schema waits so long for writes that began before it.
        """
        clock = self._identity.wait_policy.clock
        if clock() - work.looked_at > LOOK_SECONDS:
            self.look_again()
            work.looked_at = clock()

    def look_again(self) -> None:
        """Raise Redeployed if the schema has changed since this writer was prepared."""
        if self._store.version() != self._epoch:
            raise Redeployed

    def _secure(
        self,
        work: _Work,
        meter: Meter,
        change: _Change,
        entered: list[tuple[Slots, Row]],
        touched: dict[tuple[int, Row], EntryChange],
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
            meter.step(self._count(touched))
            at = stamp_of(change.write)
            self._row_writes.change_entries([entry._replace(at=at) for entry in touched.values()])
        with meter.within("ReferenceCheck"):
            if mark is not None:
                image, state = (change.new, State.COMING) if change.old is None else (change.old, State.DOUBTFUL)
                meter.step(1)
                is_put, current = self.records.put(work.key, image, state, mark, work.last)
                if not is_put:
                    return False, current
                work.mark = work.last = mark
            self._check_references(work, meter, change)
        self._look_again(work)
        return True, None

    def _count(self, touched: dict[tuple[int, Row], EntryChange]) -> int:
        """Return how many of the entries count towards the bound."""
        return sum(number < self._counted for number, _ in touched)

    def is_looked_for(self, new: Row) -> bool:
        """Return whether a deletion of the record's parent would look for the record itself, not for an index entry."""
        return any(
            reference.is_seen_in_records and reference.key_named(None, new) is not None for reference in self.references
        )

    def touched(self, old: Row | None, new: Row | None) -> dict[tuple[int, Row], EntryChange]:
        """Return the changes that make a write's entries DOUBTFUL, by number of the index and key of the entry."""
        changes: dict[tuple[int, Row], EntryChange] = {}
        for number, entries in enumerate(self._indexes):
            before, after = entries.by_key(old), entries.by_key(new)
            for key, entry in (before if number in self._deletes_only else {**before, **after}).items():
                if before.get(key) != after.get(key):
                    changes[number, key] = EntryChange(entries.prepared, entry, State.DOUBTFUL, 0)
        return changes

    def moves(self, old: Row | None, new: Row | None) -> tuple[list[tuple[Slots, Row]], list[tuple[Slots, Row]]]:
        """Return the groups that a record enters, then those that it leaves, each with the slots of its constraint."""
        entered: list[tuple[Slots, Row]] = []
        left: list[tuple[Slots, Row]] = []
        for slots in (*self.slots, *self._other_slots):
            before, after = slots.groups(old), slots.groups(new)
            entered += [(slots, group) for group in after - before]
            left += [(slots, group) for group in before - after]
        return entered, left

    def _note(self, work: _Work, meter: Meter, change: _Change) -> None:
        """Write the intent of this try into the log, over that of an earlier try."""
        log = self._identity.log
        number = work.intent.number if work.intent is not None else log.next_number()
        work.intent = Intent(
            log.group, number, self.writer.table.name, change.write, work.key, self.columns, tuple(work.images)
        )
        meter.step(1)
        log.note(work.intent)

    def _check_references(self, work: _Work, meter: Meter, change: _Change) -> None:
        """Raise ForeignKeyViolation, or another violation of constraints that another version has."""
        if self.writer.guards != Guards():
            with self._store.transaction() as transaction:
                self.writer.check_guards(transaction, change.old, change.new, with_groups=False)
        if change.new is not None:
            for reference in self.references:
                reference.check(meter, change.old, change.new)
        if change.old is not None:
            for referrer in self._referrers:
                referrer.check(meter, work.backoff, change.old, change.new, work.key)

    def _finish(
        self,
        work: _Work,
        meter: Meter,
        change: _Change,
        touched: dict[tuple[int, Row], EntryChange],
        left: list[tuple[Slots, Row]],
        is_counted: bool,
    ) -> None:
        """Make entries and slots agree with the record that was put, and forget the intent."""
        stamp = stamp_of(change.write)
        if touched:
            meter.step(self._count(touched))
            self._row_writes.change_entries(self.as_record_says(touched, change.new, stamp))
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

    def as_record_says(
        self, touched: dict[tuple[int, Row], EntryChange], image: Row | None, stamp: int
    ) -> list[EntryChange]:
        """Return the changes that make touched entries agree with a record that a write with this stamp left.

        An entry that the record has becomes VISIBLE, any other GONE.
        """
        entries_by_index = [entries.by_key(image) for entries in self._indexes]
        changes: list[EntryChange] = []
        for (number, key), change in touched.items():
            entry = entries_by_index[number].get(key)
            if entry is None:
                changes.append(EntryChange(change.entries, key, State.GONE, stamp + 2))
            elif number not in self._deletes_only:
                changes.append(EntryChange(change.entries, entry, State.VISIBLE, stamp + 1))
        return changes

    def _withdraw(self, work: _Work, meter: Meter) -> None:
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
        record = self.records.fence(intent.key, stamp_of(intent.write), intent.write, meter)
        self._clear(intent, self.records.image(record), stamp_of(record.write), meter)
        return record.write == intent.write

    def _clear(self, intent: Intent, image: Row | None, stamp: int, meter: Meter) -> None:
        """Make all entries and slots that an intent may have touched agree with the record, and forget the intent.

        `image` is the record as a write with this stamp left it.
        """
        images = [self._as_now(intent.columns, touched_image) for touched_image in intent.images]
        touched: dict[tuple[int, Row], EntryChange] = {}
        for number, entries in enumerate(self._indexes):
            for touched_image in images:
                for key, entry in entries.by_key(touched_image).items():
                    touched[number, key] = EntryChange(entries.prepared, entry, State.DOUBTFUL, 0)
        changes = self.as_record_says(touched, image, stamp)
        meter.lose(len(changes))
        self._row_writes.change_entries(changes)
        for slots in (*self.slots, *self._other_slots):
            now = slots.groups(image)
            for group in set().union(*(slots.groups(touched_image) for touched_image in images)):
                meter.lose(1 + slots.give_back(group, intent.key, stamp, is_in=group in now))
        meter.lose(1)
        self._identity.log.forget(intent)

    def _as_now(self, columns: tuple[str, ...], image: Row) -> Row:
        """Return an image that was noted with other columns, in the columns that the table has now."""
        if columns == self.columns:
            return image
        values = dict(zip(columns, image, strict=True))
        return tuple([values.get(name) for name in self.columns])
