"""Single-row writes of many rows, one after another, for a store that has no better way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from piql.store.row_writes import Cell, RecordChange, SingleRowWrites, StoredRecord, Swap
from piql.store.rows import PreparedEntries, Row


class OneByOne:
    """A mixin that adds the calls for many rows of `SingleRowWrites` to a class that has those for one row.

    Where a store keeps one copy of each row, what is written to it is in all copies.
    """

    def to_all_copies(self: SingleRowWrites) -> SingleRowWrites:
        return self

    def confirm(self, records: PreparedEntries, key: Row) -> None:
        """Do nothing."""

    def find_many(
        self: SingleRowWrites, records: PreparedEntries, keys: Sequence[Row], is_serial: bool = False
    ) -> list[StoredRecord | None]:
        return [self.find(records, key, is_serial) for key in keys]

    def change_many(self: SingleRowWrites, records: PreparedEntries, changes: Sequence[RecordChange]) -> list[bool]:
        return [self.change(records, *change)[0] for change in changes]

    def cells_many(self: SingleRowWrites, groups: Sequence[str], limit: int) -> list[list[Cell]]:
        return [self.cells(group, limit) for group in groups]

    def swap_many(self: SingleRowWrites, swaps: Sequence[Swap]) -> list[bool]:
        return [self.swap(*swap)[0] for swap in swaps]

    def note_many(self: SingleRowWrites, group: str, values: Mapping[str, str | None]) -> None:
        for key, value in values.items():
            self.note(group, key, value)
