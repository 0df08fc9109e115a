"""The writes of a store without transactions: single rows and cells, changed one at a time.

`runtime.writing` makes of them writes that are whole in the end (docs/decisions/0011). All that an adapter without
transactions must know stands here:

    record   a row of a primary index, with hidden WRITE and STATE; `change` puts it if its WRITE is the one known
    entry    a row of another index, with hidden STATE; put and deleted without a condition. Of two changes the one
             with the later `at` holds; at the same `at`, a deletion
    cell     a small text of the engine under a group and a key; set by `swap` if the value is the one known, or
             without a condition by `note`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from piql.store.rows import PreparedEntries, Row, State


class StoredRecord(NamedTuple):
    """A record as its last write, named `write`, left it; `row` is its key, then its other columns, as in an entry."""

    write: str
    state: State
    row: Row


class EntryChange(NamedTuple):
    """One entry to put (`row` is the whole of it), or to delete (`row` is its key) where `state` is GONE."""

    entries: PreparedEntries
    row: Row
    state: State
    at: int  # about microseconds since 1970: of two changes of an entry the later holds, in whatever order they arrive


class Cell(NamedTuple):
    """One cell of a group."""

    key: str
    value: str


class RecordChange(NamedTuple):
    """One record to put in a state, if the write that left it is still `known` (None: there is none)."""

    row: Row
    state: State
    write: str
    known: str | None


class Swap(NamedTuple):
    """One cell to set if it holds `known`; None stands for no cell."""

    group: str
    key: str
    known: str | None
    value: str | None


class SingleRowWrites(Protocol):
    """What a store without transactions can do: each change takes effect as a whole, by itself, and is then durable.

    A call that raises StoreUnavailable may have taken effect, or may still do so; all may be repeated as they are.
    """

    @property
    def writers(self) -> int:
        """Return how many records a load may write at the same time to good effect."""
        ...

    def to_all_copies(self) -> SingleRowWrites:
        """Return the same writes, but those where `change` and `change_entries` are done once all copies are changed.

        The changes of many rows at once, cells, and reads are as here. A store with one copy returns itself.
        """
        ...

    def confirm(self, records: PreparedEntries, key: Row) -> None:
        """Return once all copies have a record as it is, of writes to all copies; at once, of all others."""
        ...

    def find(self, records: PreparedEntries, key: Row, is_serial: bool = False) -> StoredRecord | None:
        """Get a record in whatever state; `is_serial` sees every change that was decided before it began."""
        ...

    def change(
        self, records: PreparedEntries, row: Row, state: State, write: str, known: str | None
    ) -> tuple[bool, StoredRecord | None]:
        """Put a record if the write that left it is still `known` (None: there is no record).

        Return whether it was put, and, if not, the record as it is now. A store that had to send its request twice,
        and finds the record left by `write`, returns that it was put.
        """
        ...

    def change_entries(self, changes: Sequence[EntryChange]) -> None:
        """Put and delete entries; those of one call in any order, or at the same time."""
        ...

    def cells(self, group: str, limit: int, after: str = "") -> list[Cell]:
        """Return the cells of a group in the order of their keys, behind `after`; serial where they are swapped."""
        ...

    def cell(self, group: str, key: str) -> str | None:
        """Return what one cell holds, None for no cell; serial. Unlike in `cells`, deleted cells cost nothing."""
        ...

    def swap(self, group: str, key: str, known: str | None, value: str | None) -> tuple[bool, str | None]:
        """Set a cell if it holds `known`; None stands for no cell. Serial.

        Return whether it was set, and, if not, what it holds. A store that had to send its request twice, and finds
        `value` in the cell, returns that it was set.
        """
        ...

    def note(self, group: str, key: str, value: str | None) -> None:
        """Set a cell without a condition; a group is either swapped or noted, never both."""
        ...

    def groups(self, limit: int, after: str | None = None) -> list[str]:
        """Return groups that have cells, in the store's own order, those behind `after`; an empty list is the end."""
        ...

    # The same for many at once, as loads need them. Conditional changes within one partition may be decided together:
    # then all of them are done or none is. A change that was not done, or whose outcome is unknown, is False.

    def find_many(
        self, records: PreparedEntries, keys: Sequence[Row], is_serial: bool = False
    ) -> list[StoredRecord | None]:
        """Return what `find` returns for each key."""
        ...

    def change_many(self, records: PreparedEntries, changes: Sequence[RecordChange]) -> list[bool]:
        """Return of each change whether it is known as done."""
        ...

    def cells_many(self, groups: Sequence[str], limit: int) -> list[list[Cell]]:
        """Return the first cells of each group."""
        ...

    def swap_many(self, swaps: Sequence[Swap]) -> list[bool]:
        """Return of each swap whether it is known as done."""
        ...

    def note_many(self, group: str, values: Mapping[str, str | None]) -> None:
        """Set cells of one group, by key; None removes a cell."""
        ...
