"""What is wrong with a file, by line and column, in words for the one who wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from piql.errors import PiqlError

MOST_PROBLEMS = 20  # that are looked for and shown


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault; `line` counts from 1 and is that of the file, in Parquet that of the row.

    `column` is the file's, `value` as it is written there; None where the fault is not of one column.
    """

    line: int | None
    message: str
    column: str | None = None
    value: str | None = None

    def __str__(self) -> str:
        where = "" if self.line is None else f"line {self.line}"
        if self.column is not None:
            where += f", column {self.column}" if where else f"column {self.column}"
        return f"{where}: {self.message}" if where else self.message


class FileRefused(PiqlError):
    """A file, or rows of it, cannot be taken; `problems` says why, in the order of the lines.

    `is_more` where further faults were not looked for.
    """

    def __init__(self, message: str, problems: Sequence[Problem] = (), *, is_more: bool = False) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
        self.is_more = is_more
