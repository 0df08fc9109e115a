"""The write path of one table on a store without transactions: the steps of docs/decisions/0011."""

from __future__ import annotations

from collections.abc import Callable
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
from piql.store.base import EntryChange, Found, Row, State, Store

UNKNOWN = "whether the row was written is not known: read it before you write it again"
HALF_WAY = "the disk of the store became full half-way: make room"

Decide = Callable[[Row | None], Row | None]
"""From the record as it is to the record as it shall be, None for none; may refuse."""


@dataclass(slots=True)
class _Work:
    """One write, over all of its tries."""

    key: Row
    backoff: Backoff
    looked_at: float
    images: list[Row] = field(default_factory=list)  # all records whose entries and slots earlier tries touched
    intent: Intent | None = None
    mark: str | None = None  # the write by which this one showed the record as COMING or DOUBTFUL
    last: str | None = None  # the write that left the record as this try knows it
    is_under_way: bool = False  # something of it was sent that may show the record


@dataclass(frozen=True, slots=True)
class _Change:
    """What one try puts in place of what it found."""

    found: Found | None
    old: Row | None
    new: Row | None
    write: str


class SteppedWriter:
    """Writes one table of a deployment by single-row writes."""

    def __init__(self, writer: TableWriter, deployment: Deployment, store: Store, identity: WriterIdentity) -> None:
        table, record = writer.table, deployment.record_of(writer.table)
        self.writer = writer
        self.records = identity.records(record, store)
        self._identity = identity
        self._store = store
        self._row_writes = identity.row_writes
        self._indexes = [*writer.indexes, *writer.others]
        self._counted = len(writer.indexes)  # what other versions need is outside the bound
        self._deletes_only = {self._counted + at for at, is_so in enumerate(writer.deletes_only) if is_so}
        self._epoch = deployment.epoch
        self.columns = tuple(column.name for column in record.columns)
        checks: list[UniqueCheck | GroupCount] = [*writer.unique, *writer.limits]
        coming_checks: list[UniqueCheck | GroupCount] = [*writer.guards.unique, *writer.guards.limits]
        coming_slots = [Slots(check, self.records, store, identity.row_writes) for check in coming_checks]
        tighter = {slots.name: slots for slots in coming_slots}  # the same slots, and fewer of them
        own_slots = [Slots(check, self.records, store, identity.row_writes) for check in checks]
        self.slots = [tighter.pop(slots.name, slots) for slots in own_slots]
        self._other_slots = list(tighter.values())
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

    def write(self, key: Row, decide: Decide, meter: Meter) -> None:
        """Change the record of a key; begin again whenever another writer was quicker."""
        work = _Work(key, Backoff(self._identity.manners), self._identity.manners.clock())
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
            self._withdraw(work)
            raise
        except StoreUnavailable as failure:  # nobody knows how far it came: the intent stays, to be settled later
            if work.is_under_way:
                failure.args = (f"{HALF_WAY if isinstance(failure, StoreFull) else failure}; {UNKNOWN}",)
            raise
        except (PiqlError, Redeployed):
            with suppress(StoreUnavailable):
                self._withdraw(work)
            raise

    def load(self, image: Row) -> None:
        """Put a record for a load, whose requests no bound counts."""
        self.write(self.writer.key_of(image), lambda old: self.writer.keep_hidden(old, image), Meter())

    def _after_others(self, work: _Work, meter: Meter, record: Found | None) -> Found | None:
        """Wait while somebody else's write of the record is about to be decided; not longer than is polite."""
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

    def _try(self, work: _Work, meter: Meter, record: Found | None, decide: Decide) -> tuple[bool, Found | None]:
        old = self.records.image(record)
        new = decide(old)
        if new == old:
            if work.intent is not None:
                self.settle(work.intent)
            return True, None
        known_stamp = stamp_of(record.write) if record is not None else 0
        comes = old is None and new is not None and self.is_looked_for(new)
        goes = old is not None and any(referrer.is_concerned(old, new) for referrer in self._referrers)
        mark = self._identity.stamps.write_after(known_stamp) if comes or goes else None
        change = _Change(record, old, new, self._identity.stamps.write_after(known_stamp))
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
            is_put, now = self._secure(work, meter, change, entered, touched, mark)
        except (CardinalityViolation, DuplicateKey, ForeignKeyViolation, ConstraintViolation):
            meter.lose(1)
            now = self.records.find(work.key, is_serial=True)
            if (now.write if now is not None else None) == work.last:
                raise
            is_put = False  # what was refused is not what is there any more
        if not is_put:
            return False, now
        meter.step(1)
        is_put, now = self.records.put(
            work.key, new, State.VISIBLE if new is not None else State.GONE, change.write, work.last
        )
        if not is_put:
            return False, now
        work.mark = None
        if is_repair:
            assert work.intent is not None
            self._clear(work.intent, new, stamp_of(change.write))
            return True, None
        self._finish(work, meter, change, touched, left, is_counted)
        return True, None

    def _look_again(self, work: _Work) -> None:
        """Decide no write by what was known long ago: a change of the schema waits for those that began before it."""
        clock = self._identity.manners.clock
        if clock() - work.looked_at > LOOK_SECONDS:
            self.look_again()
            work.looked_at = clock()

    def look_again(self) -> None:
        """Raise Redeployed where the schema has changed since this was prepared."""
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
    ) -> tuple[bool, Found | None]:
        """Take slots, show what is coming and look at references: what may refuse a change, or must stand before."""
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
                is_put, now = self.records.put(work.key, image, state, mark, work.last)
                if not is_put:
                    return False, now
                work.mark = work.last = mark
            self._check_references(work, meter, change)
        self._look_again(work)
        return True, None

    def _count(self, touched: dict[tuple[int, Row], EntryChange]) -> int:
        return sum(number < self._counted for number, _ in touched)

    def is_looked_for(self, new: Row) -> bool:
        """Return whether a deletion of the record's parent would look for the record itself, not for an index entry."""
        return any(
            reference.is_seen_in_records and reference.key_named(None, new) is not None for reference in self.references
        )

    def touched(self, old: Row | None, new: Row | None) -> dict[tuple[int, Row], EntryChange]:
        """Return the entries that a write changes, as they stand while it is in progress: by index and key."""
        changes: dict[tuple[int, Row], EntryChange] = {}
        for number, entries in enumerate(self._indexes):
            before, after = entries.by_key(old), entries.by_key(new)
            for key, entry in (before if number in self._deletes_only else {**before, **after}).items():
                if before.get(key) != after.get(key):
                    changes[number, key] = EntryChange(entries.prepared, entry, State.DOUBTFUL, 0)
        return changes

    def moves(self, old: Row | None, new: Row | None) -> tuple[list[tuple[Slots, Row]], list[tuple[Slots, Row]]]:
        """Return the groups that a record enters and those that it leaves."""
        entered: list[tuple[Slots, Row]] = []
        left: list[tuple[Slots, Row]] = []
        for slots in (*self.slots, *self._other_slots):
            before, after = slots.groups(old), slots.groups(new)
            entered += [(slots, group) for group in after - before]
            left += [(slots, group) for group in before - after]
        return entered, left

    def _note(self, work: _Work, meter: Meter, change: _Change) -> None:
        log = self._identity.log
        number = work.intent.number if work.intent is not None else log.next_number()
        work.intent = Intent(
            log.group, number, self.writer.table.name, change.write, work.key, self.columns, tuple(work.images)
        )
        meter.step(1)
        log.note(work.intent)

    def _check_references(self, work: _Work, meter: Meter, change: _Change) -> None:
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
        """The record is changed: let everything else say so."""
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
        held = [entries.by_key(image) for entries in self._indexes]
        changes: list[EntryChange] = []
        for (number, key), change in touched.items():
            entry = held[number].get(key)
            if entry is None:
                changes.append(EntryChange(change.entries, key, State.GONE, stamp + 2))
            elif number not in self._deletes_only:
                changes.append(EntryChange(change.entries, entry, State.VISIBLE, stamp + 1))
        return changes

    def _withdraw(self, work: _Work) -> None:
        """Take back what a refused write has shown."""
        if work.intent is not None:
            self.settle(work.intent)
        elif work.mark is not None:
            self.records.past(work.key, stamp_of(work.mark))

    def settle(self, intent: Intent) -> bool:
        """Complete or undo a write that may have been interrupted; return whether its record had been changed.

        Safe at any time, by anybody: a writer that is still at work finds that it must begin again.
        """
        record = self.records.past(intent.key, stamp_of(intent.write), intent.write)
        self._clear(intent, self.records.image(record), stamp_of(record.write))
        return record.write == intent.write

    def _clear(self, intent: Intent, image: Row | None, stamp: int) -> None:
        """Make the entries and slots that an intent may have touched what the record, as left at a stamp, says."""
        images = [self._as_now(intent.columns, touched_image) for touched_image in intent.images]
        touched: dict[tuple[int, Row], EntryChange] = {}
        for number, entries in enumerate(self._indexes):
            for touched_image in images:
                for key, entry in entries.by_key(touched_image).items():
                    touched[number, key] = EntryChange(entries.prepared, entry, State.DOUBTFUL, 0)
        self._row_writes.change_entries(self.as_record_says(touched, image, stamp))
        for slots in (*self.slots, *self._other_slots):
            now = slots.groups(image)
            for group in set().union(*(slots.groups(touched_image) for touched_image in images)):
                slots.give_back(group, intent.key, stamp, is_in=group in now)
        self._identity.log.forget(intent)

    def _as_now(self, columns: tuple[str, ...], image: Row) -> Row:
        """Return a record as noted in the columns that the table has now."""
        if columns == self.columns:
            return image
        noted = dict(zip(columns, image, strict=True))
        return tuple([noted.get(name) for name in self.columns])
