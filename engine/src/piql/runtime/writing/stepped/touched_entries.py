"""Which index entries a write touches, and what becomes of them: DOUBTFUL before the record is put, then as it says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from piql.runtime.writing.stepped.folding import GroupRows
from piql.runtime.writing.table_rules.entries import Entries, IndexEntries
from piql.runtime.writing.transactional import TableWriter
from piql.store.row_writes import EntryChange
from piql.store.rows import Row, State

Touched: TypeAlias = dict[tuple[int, Row], EntryChange]
"""The changes that make entries DOUBTFUL, by number of the index and key of the entry."""


class TouchedEntries:
    """The entries of the records of one table, or of the groups of a view: one without rows has none."""

    def __init__(self, writer: TableWriter, groups: GroupRows | None) -> None:
        self._groups = groups
        self._indexes = [*writer.indexes, *writer.others]
        self._counted = len(writer.indexes)  # entries for other versions, behind these, are outside the bound
        self._deletes_only = {self._counted + at for at, deletes_only in enumerate(writer.deletes_only) if deletes_only}

    def touched(self, old: Row | None, new: Row | None) -> Touched:
        """Return the changes for a write that makes one image of a record of another."""
        changes: Touched = {}
        for number, entries in enumerate(self._indexes):
            before, after = self._entries_of(entries, old), self._entries_of(entries, new)
            for key, entry in (before if number in self._deletes_only else {**before, **after}).items():
                if before.get(key) != after.get(key):
                    changes[number, key] = EntryChange(entries.prepared, entry, State.DOUBTFUL, 0)
        return changes

    def of_all(self, images: Iterable[Row]) -> Touched:
        """Return the changes for all entries that any image of a record has."""
        changes: Touched = {}
        for number, entries in enumerate(self._indexes):
            for image in images:
                for key, entry in self._entries_of(entries, image).items():
                    changes[number, key] = EntryChange(entries.prepared, entry, State.DOUBTFUL, 0)
        return changes

    def count(self, touched: Touched) -> int:
        """Return how many of the entries count towards the bound."""
        return sum(number < self._counted for number, _ in touched)

    def as_record_says(self, touched: Touched, image: Row | None, stamp: int) -> list[EntryChange]:
        """Return the changes that make touched entries agree with a record that a write with this stamp left.

        An entry that the record has becomes VISIBLE, any other GONE.
        """
        entries_by_index = [self._entries_of(entries, image) for entries in self._indexes]
        changes: list[EntryChange] = []
        for (number, key), change in touched.items():
            entry = entries_by_index[number].get(key)
            if entry is None:
                changes.append(EntryChange(change.entries, key, State.GONE, stamp + 2))
            elif number not in self._deletes_only:
                changes.append(EntryChange(change.entries, entry, State.VISIBLE, stamp + 1))
        return changes

    def _entries_of(self, entries: IndexEntries, image: Row | None) -> Entries:
        """Return the entries that an index has of a record or a group."""
        is_hidden = image is not None and self._groups is not None and not self._groups.is_shown(image)
        return entries.by_key(None if is_hidden else image)
