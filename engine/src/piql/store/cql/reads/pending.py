"""Requests of the engine on their way to their rows: most need one statement, some several, one after another.

A request needs another statement if a resumed page has several ranges, and the first of them has too few rows, or if
hidden rows (COMING and GONE records) took places under the LIMIT. `rounds` keeps many requests going side by side.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from piql.store.base import Batch
from piql.store.cql.reads.grouping import Request, RowsByRequest
from piql.store.cql.reads.reads import CqlRead
from piql.store.rows import Row

Requests = list[Request]
"""Statements with their values, to be sent at the same time."""


class PendingRead:
    """One request of the engine, until it has its rows.

    rows       those that it has so far
    at         the number of the statement to send next
    missing    how many rows it still needs;  asked   how many the next statement asks for
    """

    __slots__ = ("arguments", "asked", "at", "missing", "read", "rows")

    def __init__(self, read: CqlRead, arguments: tuple[Any, ...]) -> None:
        self.read, self.arguments = read, arguments
        self.rows: list[Row] = []
        self.at = 0
        self.missing = self.asked = 1 if read.is_get else int(arguments[-1])

    def request(self) -> Request | None:
        """Return the next request, None when there is none left to make."""
        statements = self.read.statements
        while self.at < len(statements):
            statement = statements[self.at]
            arguments = self.arguments
            if not self.read.is_get and self.asked != arguments[-1]:
                arguments = (*arguments[:-1], self.asked)
            values = statement.bind(arguments)
            if values is not None:
                return statement, values
            self.at += 1
        return None

    def ask_for_more(self) -> None:
        """Double how many rows the next statement asks for: hidden rows took places under the LIMIT."""
        self.asked *= 2

    def answered(self, raw_rows: list[Row]) -> bool:
        """Take the rows of one answer; return whether the request is done."""
        finish = self.read.finish
        rows = finish(raw_rows) if finish else raw_rows
        if self.read.is_get:
            self.rows = rows
            return True
        if len(raw_rows) >= self.asked and len(rows) < self.missing:
            self.ask_for_more()
            return False
        self.rows += rows[: self.missing]
        self.missing -= len(rows)
        self.asked = self.missing
        self.at += 1
        return self.missing <= 0 or self.at >= len(self.read.statements)


def pending_reads(batches: Sequence[Batch]) -> list[list[PendingRead]]:
    """Return the requests of each batch, without rows yet."""
    return [[PendingRead(batch.read, arguments) for arguments in batch.arguments] for batch in batches]


def rounds(waiting: list[PendingRead]) -> Generator[Requests, RowsByRequest, None]:
    """Yield the next request of every read that is not complete, and be sent their rows, until all are complete."""
    while waiting:
        asked = [(pending_read, request) for pending_read in waiting if (request := pending_read.request()) is not None]
        if not asked:
            break
        answers = yield [request for _, request in asked]
        waiting = [pending for (pending, _), rows in zip(asked, answers, strict=True) if not pending.answered(rows)]
