"""Row writes in front of others that hand each change on to copies, for stores of several copies that lag.

write  ──▶  behind, which decides it  ──▶  Copies.spread: when each copy has it, and what a missing one means
read   ──▶  behind, after Copies.ask
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias

from piql.store.row_writes import Cell, EntryChange, SingleRowWrites, StoredRecord
from piql.store.rows import PreparedEntries, Row, State
from piql.store.stepwise.one_by_one import OneByOne

_MOMENT = 16  # leading characters of a write, which say when it was


class RecordPut(NamedTuple):
    """A record as a write left it."""

    records: PreparedEntries
    row: Row
    state: State
    write: str


Change: TypeAlias = RecordPut | EntryChange


class Copies(Protocol):
    """What hands changes on."""

    def ask(self) -> None:
        """Wait as long as a request takes that changes no row of a table."""
        ...

    def spread(self, change: Change, *, is_to_all: bool) -> None:
        """Hand a change on, to all copies before this returns or to some; raise StoreUnavailable without enough."""
        ...


def take(copy: SingleRowWrites, change: Change) -> None:
    """Apply a change to a copy, unless a later one of the same row is there: it may come late and out of order."""
    if isinstance(change, EntryChange):
        copy.change_entries([change])
        return
    known = copy.find(change.records, change.row[: change.records.key_length])
    if known is None or known.write[:_MOMENT] < change.write[:_MOMENT]:
        copy.change(change.records, change.row, change.state, change.write, None if known is None else known.write)


class CopiedWrites(OneByOne):
    """Writes that the store behind decides, and that go to copies from there."""

    def __init__(self, copies: Copies, behind: SingleRowWrites, *, is_to_all: bool = False) -> None:
        self._copies = copies
        self._behind = behind
        self._is_to_all = is_to_all

    @property
    def writers(self) -> int:
        return self._behind.writers

    def to_all_copies(self) -> SingleRowWrites:
        return CopiedWrites(self._copies, self._behind, is_to_all=True)

    def confirm(self, records: PreparedEntries, key: Row) -> None:
        record = self._behind.find(records, key)
        if self._is_to_all and record is not None:
            self._spread(RecordPut(records, record.row, record.state, record.write))

    def find(self, records: PreparedEntries, key: Row, is_serial: bool = False) -> StoredRecord | None:
        self._copies.ask()
        return self._behind.find(records, key, is_serial)

    def change(
        self, records: PreparedEntries, row: Row, state: State, write: str, known: str | None
    ) -> tuple[bool, StoredRecord | None]:
        is_made, record = self._behind.change(records, row, state, write, known)
        if is_made:
            self._spread(RecordPut(records, row, state, write))
        else:
            self._copies.ask()
        return is_made, record

    def change_entries(self, changes: Sequence[EntryChange]) -> None:
        self._behind.change_entries(changes)
        for change in changes:
            self._spread(change)

    def _spread(self, change: Change) -> None:
        self._copies.spread(change, is_to_all=self._is_to_all)

    def cells(self, group: str, limit: int, after: str = "") -> list[Cell]:
        self._copies.ask()
        return self._behind.cells(group, limit, after)

    def cell(self, group: str, key: str) -> str | None:
        self._copies.ask()
        return self._behind.cell(group, key)

    def swap(self, group: str, key: str, known: str | None, value: str | None) -> tuple[bool, str | None]:
        self._copies.ask()
        return self._behind.swap(group, key, known, value)

    def note(self, group: str, key: str, value: str | None) -> None:
        self._copies.ask()
        self._behind.note(group, key, value)

    def groups(self, limit: int, after: str | None = None) -> list[str]:
        self._copies.ask()
        return self._behind.groups(limit, after)
