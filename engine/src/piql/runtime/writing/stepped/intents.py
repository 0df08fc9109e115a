"""The log of writes in progress: one cell for each, in a group of the client process that makes it.

    group "intents of 9f3a11c2"    00000000001f  {"table": "users", "write": "0005f2c9…", "key": …, "images": […]}
    group "servers"                9f3a11c2      1790000000 00000000001a    (seconds when announced; its intents follow)

An intent names the record, its images before and after of every try, from which its entries and slots follow, and the
last write that was tried. Any process that reads it can settle the write.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from piql.runtime.writing.stepped.notation import text_of, values_of
from piql.runtime.writing.stepped.stamps import Stamps
from piql.store.row_writes import SingleRowWrites
from piql.store.rows import Row

PROCESSES = "servers"  # the stored name of the group that lists the client processes
_PAGE = 100  # cells read at a time
_ANNOUNCED_FOR_SECONDS = 600  # a process announces itself again after so long,
_ANNOUNCED_FOR_NUMBERS = 500  # or after so many intents
_ABANDONED_AFTER_SECONDS = 600  # an intent open for longer is of a write that failed


class Joined(NamedTuple):
    """The rows of a view of several tables that a record is in, before a write and after it; None for none.

    They are laid out by `columns`, which are called `0.id`, `1.price`: by the number of their table in the view.
    """

    columns: tuple[str, ...]
    before: Row | None
    after: Row | None


@dataclass(frozen=True, slots=True)
class Intent:
    """A write in progress; `images`, laid out by `columns`, are the records it may have made entries of.

    `number` is the key of its cell, in hexadecimal. `change` has the positions in `images` of the record before and
    after the last try, None where there is none: what this try adds to views follows from them. `mark` is that of the
    record before it (see `contributions`). `joined` has the rows of each view of several tables, by its name: the rows
    that the record named may be others by the time when the write is settled.
    """

    group: str
    number: str
    table: str
    write: str
    key: Row
    columns: tuple[str, ...]
    images: tuple[Row, ...]
    change: tuple[int | None, int | None] = (None, None)
    mark: int = 0
    joined: Mapping[str, Joined] = field(default_factory=dict)

    def as_text(self) -> str:
        """Return the value of the intent's cell; `intent_from` reads it."""
        return json.dumps(
            {
                "table": self.table,
                "write": self.write,
                "key": text_of(self.key),
                "columns": self.columns,
                "images": [text_of(image) for image in self.images],
                **({"change": self.change} if self.change != (None, None) else {}),
                **({"mark": self.mark} if self.mark else {}),
                **({"joined": {name: _noted(joined) for name, joined in self.joined.items()}} if self.joined else {}),
            },
            ensure_ascii=False,
        )


def intent_from(group: str, number: str, text: str) -> Intent:
    """Return the intent of a cell."""
    content = json.loads(text)
    return Intent(
        group,
        number,
        content["table"],
        content["write"],
        values_of(content["key"]),
        tuple(content["columns"]),
        tuple(values_of(image) for image in content["images"]),
        tuple(content.get("change", (None, None))),
        content.get("mark", 0),
        {name: _joined(joined) for name, joined in content.get("joined", {}).items()},
    )


def _noted(joined: Joined) -> list[Any]:
    columns, *rows = joined
    return [columns, *(None if row is None else text_of(row) for row in rows)]


def _joined(noted: list[Any]) -> Joined:
    columns, *rows = noted
    before, after = (None if row is None else values_of(row) for row in rows)
    return Joined(tuple(columns), before, after)


def group_of(process: str) -> str:
    """Return the name of the group that holds the intents of a client process."""
    return f"intents of {process}"


def _number_text(number: int) -> str:
    """Return a number as the key of a cell: 12 hexadecimal digits, so that keys sort as numbers do."""
    return f"{number:012x}"


class IntentLog:
    """The log of one client process, used by all of its threads."""

    def __init__(self, row_writes: SingleRowWrites, stamps: Stamps) -> None:
        self._row_writes = row_writes
        self._process = stamps.process
        self._seconds = stamps.seconds
        self.group = group_of(stamps.process)
        self._number = 0
        self._open: dict[int, float] = {}  # numbers that may be in the log → when given out, in seconds
        self._lock = threading.Lock()
        self._announced_at = 0.0
        self._announced_number = 0

    def next_number(self) -> str:
        """Return the number of a new intent, which is open until it is forgotten."""
        now = self._seconds()
        with self._lock:
            self._number += 1
            self._open[self._number] = now
            return _number_text(self._number)

    def is_open(self, number: str) -> bool:
        """Return whether an intent of this process may still be in the log."""
        with self._lock:
            return int(number, 16) in self._open

    def note(self, intent: Intent) -> None:
        """Write an intent, or the next try of the same write over it."""
        self.announce()
        self._row_writes.note(self.group, intent.number, intent.as_text())

    def note_many(self, intents: Sequence[Intent]) -> None:
        """Write the intents of writes that are made together."""
        self.announce()
        self._row_writes.note_many(self.group, {intent.number: intent.as_text() for intent in intents})

    def announce(self) -> None:
        """Note, every now and then, that this process writes, and the number behind which its intents begin.

        Sweeps look only into the logs that are announced. They begin at that number because some stores keep deleted
        cells for days, and reading over them is slow.
        """
        now, number = self._seconds(), self._number
        if (
            now - self._announced_at > _ANNOUNCED_FOR_SECONDS
            or number - self._announced_number > _ANNOUNCED_FOR_NUMBERS
        ):
            self._row_writes.note(PROCESSES, self._process, f"{int(now)} {_number_text(self._done_up_to(now))}")
            self._announced_at, self._announced_number = now, number  # only now: no intent may be noted before

    def _done_up_to(self, now: float) -> int:
        """Return a number up to which there are no intents any more; `now` is in seconds."""
        with self._lock:
            oldest = min(self._open, default=self._number + 1)
            is_abandoned = oldest in self._open and now - self._open[oldest] > _ABANDONED_AFTER_SECONDS
        if is_abandoned:  # another process may have settled it: ask the log what is left
            left = self._row_writes.cells(self.group, 1, _number_text(oldest - 1))
            with self._lock:
                first = int(left[0].key, 16) if left else self._number + 1
                for number, since in list(self._open.items()):
                    if number < first and now - since > _ABANDONED_AFTER_SECONDS:
                        del self._open[number]
                oldest = min(self._open, default=self._number + 1)
        return oldest - 1

    def forget(self, intent: Intent) -> None:
        """Take an intent out of its log, which may be that of another process."""
        self._row_writes.note(intent.group, intent.number, None)
        if intent.group == self.group:
            self._close([intent])

    def forget_many(self, intents: Sequence[Intent]) -> None:
        """Take intents out of this process's own log."""
        self._row_writes.note_many(self.group, dict.fromkeys((intent.number for intent in intents), None))
        self._close(intents)

    def _close(self, intents: Sequence[Intent]) -> None:
        with self._lock:
            for intent in intents:
                self._open.pop(int(intent.number, 16), None)


class Announced(NamedTuple):
    """When a client process last wrote (seconds since 1970), and the number behind which its intents are."""

    at: int
    behind: str


def processes(row_writes: SingleRowWrites) -> dict[str, Announced]:
    """Return the client processes that have written, by name."""
    announcements: dict[str, Announced] = {}
    last = ""
    while cells := row_writes.cells(PROCESSES, _PAGE, last):
        for cell in cells:
            at, _, behind = cell.value.partition(" ")
            announcements[cell.key] = Announced(int(at), behind)
        last = cells[-1].key
    return announcements


def intent_at(row_writes: SingleRowWrites, group: str, number: str) -> Intent | None:
    """Return the intent of a number in a log; None if it is not there any more."""
    text = row_writes.cell(group, number)
    return intent_from(group, number, text) if text is not None else None


def intents_of(row_writes: SingleRowWrites, process: str, behind: str = "") -> Iterator[Intent]:
    """Read the intents of a client process, in order: those with numbers above `behind`."""
    group, last = group_of(process), behind
    while cells := row_writes.cells(group, _PAGE, last):
        for cell in cells:
            yield intent_from(group, cell.key, cell.value)
        last = cells[-1].key
