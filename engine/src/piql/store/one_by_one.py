"""Many steps made one after another, for a store that has no better way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from piql.store.base import Cell, Found, PreparedEntries, RecordChange, Row, State, Swap


class OneByOne:
    """The steps for many, made of those for one."""

    def find(self, records: PreparedEntries, key: Row, is_serial: bool = False) -> Found | None:
        raise NotImplementedError

    def change(
        self, records: PreparedEntries, row: Row, state: State, write: str, known: str | None
    ) -> tuple[bool, Found | None]:
        raise NotImplementedError

    def cells(self, group: str, limit: int, after: str = "") -> list[Cell]:
        raise NotImplementedError

    def swap(self, group: str, key: str, known: str | None, value: str | None) -> tuple[bool, str | None]:
        raise NotImplementedError

    def note(self, group: str, key: str, value: str | None) -> None:
        raise NotImplementedError

    def find_many(self, records: PreparedEntries, keys: Sequence[Row], is_serial: bool = False) -> list[Found | None]:
        return [self.find(records, key, is_serial) for key in keys]

    def change_many(self, records: PreparedEntries, changes: Sequence[RecordChange]) -> list[bool]:
        return [self.change(records, *each)[0] for each in changes]

    def cells_many(self, groups: Sequence[str], limit: int) -> list[list[Cell]]:
        return [self.cells(group, limit) for group in groups]

    def swap_many(self, swaps: Sequence[Swap]) -> list[bool]:
        return [self.swap(*each)[0] for each in swaps]

    def note_many(self, group: str, values: Mapping[str, str | None]) -> None:
        for key, value in values.items():
            self.note(group, key, value)
