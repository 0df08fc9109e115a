"""A store whose requests can be counted, stopped at any one of them, or made to arrive late."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from piql.store.base import Answers, Batch, Consistency, Store
from piql.store.row_writes import Cell, EntryChange, SingleRowWrites, StoredRecord
from piql.store.rows import PreparedEntries, Row, State
from piql.store.stepwise.one_by_one import OneByOne
from piql.store.wrapper import StoreWrapper


class Killed(BaseException):
    """The process ends here: nothing of it runs on."""


Gate = Callable[[str, Callable[[], Any]], Any]
"""Called for each single request with its name and what makes it."""


class GatedStore(StoreWrapper):
    """Lets every request of the write path and of reads pass a gate; changes of several entries are made one by one."""

    def __init__(self, behind: Store, gate: Gate) -> None:
        super().__init__(behind)
        self._gate = gate
        assert behind.row_writes is not None
        self._gated = GatedRowWrites(behind.row_writes, gate)

    @property
    def row_writes(self) -> SingleRowWrites:
        return self._gated

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        answers: Answers = self._gate("read", lambda: self.behind.read_many(batches, consistency))
        return answers


class GatedRowWrites(OneByOne):
    def __init__(self, behind: SingleRowWrites, gate: Gate) -> None:
        self._behind = behind
        self._gate = gate

    @property
    def writers(self) -> int:
        return self._behind.writers

    def find(self, records: PreparedEntries, key: Row, is_serial: bool = False) -> StoredRecord | None:
        record: StoredRecord | None = self._gate("find", lambda: self._behind.find(records, key, is_serial))
        return record

    def change(
        self, records: PreparedEntries, row: Row, state: State, write: str, known: str | None
    ) -> tuple[bool, StoredRecord | None]:
        result: tuple[bool, StoredRecord | None] = self._gate(
            f"change to {state.name}", lambda: self._behind.change(records, row, state, write, known)
        )
        return result

    def change_entries(self, changes: Sequence[EntryChange]) -> None:
        for change in changes:
            self._gate(f"entry {change.state.name}", lambda change=change: self._behind.change_entries([change]))

    def cells(self, group: str, limit: int, after: str = "") -> list[Cell]:
        cells: list[Cell] = self._gate("cells", lambda: self._behind.cells(group, limit, after))
        return cells

    def cell(self, group: str, key: str) -> str | None:
        value: str | None = self._gate("cells", lambda: self._behind.cell(group, key))
        return value

    def groups(self, limit: int, after: str | None = None) -> list[str]:
        groups: list[str] = self._gate("groups", lambda: self._behind.groups(limit, after))
        return groups

    def swap(self, group: str, key: str, known: str | None, value: str | None) -> tuple[bool, str | None]:
        result: tuple[bool, str | None] = self._gate("swap", lambda: self._behind.swap(group, key, known, value))
        return result

    def note(self, group: str, key: str, value: str | None) -> None:
        self._gate("forget" if value is None else "note", lambda: self._behind.note(group, key, value))


READING = ("find", "cells", "groups", "read")


class Interruption:
    """A gate that lets so many changes pass and stops the process at the next, which arrives `late` if at all."""

    def __init__(self, after: int) -> None:
        self.left = after
        self.late: Callable[[], Any] | None = None
        self.passed: list[str] = []

    def __call__(self, name: str, request: Callable[[], Any]) -> Any:
        if self.late is not None:
            raise Killed
        if name not in READING:
            if self.left == 0:
                self.late = request
                raise Killed
            self.left -= 1
            self.passed.append(name)
        return request()
