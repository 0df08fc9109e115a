"""Foreign keys on a store without transactions: each side shows what it is about to do, then looks at the other side.

    an insert of a child      shows an entry or a COMING record, then gets the parent      SteppedReference
    a delete of a parent      marks the parent DOUBTFUL, then looks for children           SteppedReferrer

The one that shows last sees the other. An insert that finds the parent marked makes it VISIBLE again; the delete, whose
last step is conditional on its mark, then fails and begins again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from piql.errors import PiqlError
from piql.runtime.deployment import Deployment
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.backoff import Backoff
from piql.runtime.writing.stepped.records import SteppedRecords
from piql.runtime.writing.stepped.slots import Slots
from piql.runtime.writing.stepped.stamps import stamp_of
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.table_rules.constraints import ReferenceCheck, ReferrerCheck, index_for, picker
from piql.runtime.writing.transactional import TableWriter
from piql.store.base import Batch, ReadShape, Store
from piql.store.row_writes import EntryChange, StoredRecord
from piql.store.rows import STATE, Row, State


class NamedRecord(NamedTuple):
    """A record that a foreign key names, with its table and its primary key."""

    table: str
    key: Row
    record: StoredRecord


class SteppedReference:
    """A FOREIGN KEY of a table, from the child's side.

    owners                the slots of the UNIQUE key by which it names the parent; None if it is the primary key
    is_seen_in_records    a delete of the parent looks for the key in the child's records, not in an index
    """

    def __init__(
        self, check: ReferenceCheck, parents: SteppedRecords, owners: Slots | None, is_seen_in_records: bool
    ) -> None:
        self._check = check
        self._parents = parents
        self._owners = owners
        self._named = picker(check.parent, check.referenced)
        self.is_seen_in_records = is_seen_in_records

    @property
    def parent_table(self) -> str:
        """The name of the table that is referenced."""
        return self._check.parent.name

    def violation(self, new: Row) -> PiqlError:
        """Return the error of a record whose parent does not exist."""
        value = self._check.value(new)
        assert value is not None
        return self._check.violation(value)

    def key_named(self, old: Row | None, new: Row) -> Row | None:
        """Return the parent's key that a write newly refers to; None if there is nothing to check.

        Raises ForeignKeyViolation if no parent can have the value.
        """
        value = self._check.value(new)
        if value is None or value == self._check.value(old):
            return None
        key = self._check.as_key(value)
        if key is None:
            raise self._check.violation(value)
        names_itself = self._check.own_key is not None and self._check.own_key(new) == key
        return None if names_itself else key

    def without_parent(self, keys: Sequence[Row]) -> set[Row]:
        """Look up many parents at once; return the keys whose parent is missing, or is being deleted."""
        primaries: list[Row | None] = [*keys] if self._owners is None else self._owners.owners(keys)
        named = [(key, primary) for key, primary in zip(keys, primaries, strict=True) if primary is not None]
        parents = self._parents.find_many([primary for _, primary in named], is_serial=True)
        present: set[Row] = set()
        for (key, _), parent in zip(named, parents, strict=True):
            image = self._parents.image(parent)
            if parent is not None and parent.state is State.VISIBLE and image is not None and self._named(image) == key:
                present.add(key)
        return set(keys) - present

    def check(self, meter: Meter, old: Row | None, new: Row) -> NamedRecord | None:
        """Return the parent that a write newly refers to, without the mark of a delete; None for none.

        Raises ForeignKeyViolation if it does not exist.
        """
        key = self.key_named(old, new)
        if key is None:
            return None
        primary: Row | None = key
        if self._owners is not None:
            meter.step(1)
            primary = self._owners.owner(key)
        meter.step(1)
        parent = self._parents.find_shown(primary, meter) if primary is not None else None
        image = self._parents.image(parent)
        if parent is None or primary is None or image is None or self._named(image) != key:
            raise self.violation(new)
        return NamedRecord(self._check.parent.name, primary, parent)


class SteppedReferrer:
    """A FOREIGN KEY of some table that refers to this one, from the parent's side.

    With `is_counted` its requests are in the bound of a write.
    """

    is_counted = True

    def __init__(self, check: ReferrerCheck, deployment: Deployment, store: Store, identity: WriterIdentity) -> None:
        self._check = check
        self._children = identity.records(deployment.record_of(check.referrer), store)
        self._entries = store.prepare_entries(check.referrer, check.index)
        self._store = store
        self._row_writes = identity.row_writes
        index, table = check.index, check.referrer
        names = tuple(column.name for column in index.columns)
        self._is_on_records = index.is_primary
        shape = ReadShape(table, index, (*names, STATE), len(check.key.columns), sees_coming=index.is_primary)
        self._read = store.prepare(shape)
        self._tail = () if shape.is_get else (2,)
        self._primary_at = tuple(names.index(name) for name in table.primary_key)
        self._names_by = picker(table, names[: len(check.key.columns)])
        self._is_own_table = check.referrer.name == check.table.name

    def is_concerned(self, old: Row, new: Row | None) -> bool:
        """Return whether a change takes a key away that children may name."""
        return self._key_in_question(old, new) is not None

    def _key_in_question(self, old: Row, new: Row | None) -> Row | None:
        """Return the key by which no child may name the record, if it is changed so."""
        return self._check.key_given_up(old, new)

    def _violation(self, old: Row) -> PiqlError:
        """Return the error of a record that is named."""
        return self._check.violation(old)

    def check(self, meter: Meter, backoff: Backoff, old: Row, new: Row | None, own_key: Row) -> None:
        """Raise ForeignKeyViolation if another record refers to this one.

        Writes in progress that may come to refer to it are waited for, and settled once they are out of patience.
        `own_key` is the primary key of this record, which may refer to itself when it is deleted.
        """
        key = self._key_in_question(old, new)
        if key is None:
            return
        meter.step(1)
        while True:
            rows = self._store.read_many([Batch(self._read, [key + self._tail])], "quorum")[0][0]
            if not self._settled(
                meter, backoff, key, rows, own_key if self._is_own_table and new is None else None, old
            ):
                return
            meter.lose(1)

    def _settled(
        self, meter: Meter, backoff: Backoff, key: Row, rows: list[Row], own_key: Row | None, old: Row
    ) -> bool:
        """Look at the entries or records that name `key`; return whether to read them again.

        Raises ForeignKeyViolation at the first child; waits for, or settles, those that are not decided.
        """
        is_waiting = is_changed = False
        looks = 0
        for row in rows:
            primary = tuple(row[at] for at in self._primary_at)
            if primary == own_key:
                continue
            state = row[-1]
            if state == State.VISIBLE:
                raise self._violation(old)
            looks += 1
            child = self._children.find(primary, is_serial=True)
            if self._names(child, key):
                raise self._violation(old)
            if backoff.is_patient(f"{self._check.referrer.name} {primary!r}"):
                is_waiting = True
                continue
            meter.repair(looks + 2)
            looks = 0
            stamps = self._children.stamps
            past = self._children.fence(primary, stamp_of(stamps.write_after(stamp_of(child.write) if child else 0)))
            if self._names(past, key):  # its write was decided just before
                raise self._violation(old)
            if not self._is_on_records:
                at = stamp_of(past.write) + 2
                self._row_writes.change_entries([EntryChange(self._entries, row[:-1], State.GONE, at)])
            is_changed = True
        meter.lose(looks)
        if is_waiting:
            backoff.pause()
        return is_waiting or is_changed

    def _names(self, child: StoredRecord | None, key: Row) -> bool:
        """Return whether a child's record refers to `key`."""
        image = self._children.image(child)
        return image is not None and self._names_by(image) == key


def references_of(
    writer: TableWriter, deployment: Deployment, store: Store, identity: WriterIdentity
) -> list[SteppedReference]:
    """Return the foreign keys of a table."""
    references: list[SteppedReference] = []
    for check in writer.references:
        parents, owners = identity.records(deployment.record_of(check.parent), store), None
        if set(check.referenced) != set(check.parent.primary_key):
            owners = Slots(identity.unique(check, deployment, store), parents, store, identity.row_writes)
        is_seen = index_for(deployment, writer.table, check.key.columns).is_primary
        references.append(SteppedReference(check, parents, owners, is_seen))
    return references


def referrers_to(
    writer: TableWriter, deployment: Deployment, store: Store, identity: WriterIdentity
) -> list[SteppedReferrer]:
    """Return the foreign keys of other tables that name a table."""
    return [SteppedReferrer(check, deployment, store, identity) for check in writer.referrers]
