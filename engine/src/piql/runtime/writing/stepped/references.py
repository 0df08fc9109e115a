"""Foreign keys on a store without transactions: each side shows what it is about to do, then looks at the other side.

    an insert of a child      shows an entry or a COMING record, then gets the parent      SteppedReference
    a delete of a parent      marks the parent DOUBTFUL, then looks for children           SteppedReferrer

The one that shows last sees the other. An insert that finds the parent marked makes it VISIBLE again; the delete, whose
last step is conditional on its mark, then fails and begins again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from piql.errors import PiqlError
from piql.runtime.deployment import Deployment
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.backoff import Backoff
from piql.runtime.writing.stepped.children import Children
from piql.runtime.writing.stepped.records import SteppedRecords
from piql.runtime.writing.stepped.slots import Slots
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.table_rules.constraints import ReferenceCheck, ReferrerCheck, index_for, picker
from piql.runtime.writing.transactional import TableWriter
from piql.store.base import Store
from piql.store.row_writes import StoredRecord
from piql.store.rows import Row, State

_LEFT = 8  # entries beside those of the rows of a group that are read with them


class NamedRecord(NamedTuple):
    """A record that a foreign key names, with its table and its primary key."""

    table: str
    key: Row
    record: StoredRecord


class SteppedReference:
    """A FOREIGN KEY of a table, from the child's side.

    owners                the slots of the UNIQUE key by which it names the parent; None if it is the primary key
    is_seen_in_records    a delete of the parent looks for the key in the child's records, not in an index
    children              makes what finds the rows that name one parent, read so many at a time
    """

    def __init__(
        self,
        check: ReferenceCheck,
        parents: SteppedRecords,
        owners: Slots | None,
        is_seen_in_records: bool,
        children: Callable[[int], Children],
    ) -> None:
        self._check = check
        self._children_of = children
        self._children: dict[int, Children] = {}
        self._parents = parents
        self._owners = owners
        self._named = picker(check.parent, check.referenced)
        self.is_seen_in_records = is_seen_in_records

    @property
    def parent_table(self) -> str:
        """The name of the table that is referenced."""
        return self._check.parent.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the foreign key, in its order."""
        return self._check.key.columns

    def children(self, most: int) -> Children:
        """Return what finds the rows that name one parent, of which there are `most` once all writes are done."""
        children = self._children.get(most)
        if children is None:
            # A row that is being changed has two entries, and some may be left by writes that were interrupted.
            children = self._children[most] = self._children_of(2 * most + _LEFT)
        return children

    def parent_key(self, values: Row) -> Row | None:
        """Return the parent's key that values of `columns` name; None where no parent can have it."""
        if None in values:
            return None
        by_name = dict(zip(self.columns, values, strict=True))
        return self._check.as_key(tuple([by_name[name] for name in self._check.columns]))

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
        self._children = Children(check.referrer, check.key, deployment, store, identity, 2)
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
        if self._children.is_any(meter, backoff, key, own_key if self._is_own_table and new is None else None):
            raise self._violation(old)


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
        children = partial(Children, writer.table, check.key, deployment, store, identity)
        references.append(SteppedReference(check, parents, owners, is_seen, children))
    return references


def referrers_to(
    writer: TableWriter, deployment: Deployment, store: Store, identity: WriterIdentity
) -> list[SteppedReferrer]:
    """Return the foreign keys of other tables that name a table."""
    return [SteppedReferrer(check, deployment, store, identity) for check in writer.referrers]
