"""The log of writes in progress: one cell for each, in a group of the server that makes it.

An intent names the record, all that its entries and places may come from (the record before and after, of every try),
and the last write that was tried. Whoever finds it can settle it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from piql.store.base import Row, Steps
from piql.writing.notation import text_of, values_of
from piql.writing.stamps import Stamps

SERVERS = "servers"
_PAGE = 100
_ANNOUNCED_FOR_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Intent:
    """`images` are records in stored form, in the order of `columns`."""

    group: str
    number: str
    table: str
    write: str
    key: Row
    columns: tuple[str, ...]
    images: tuple[Row, ...]

    def as_text(self) -> str:
        return json.dumps(
            {
                "table": self.table,
                "write": self.write,
                "key": text_of(self.key),
                "columns": self.columns,
                "images": [text_of(image) for image in self.images],
            },
            ensure_ascii=False,
        )


def intent_from(group: str, number: str, text: str) -> Intent:
    noted = json.loads(text)
    return Intent(
        group,
        number,
        noted["table"],
        noted["write"],
        values_of(noted["key"]),
        tuple(noted["columns"]),
        tuple(values_of(image) for image in noted["images"]),
    )


def group_of(server: str) -> str:
    return f"intents of {server}"


class IntentLog:
    """The log of one server."""

    def __init__(self, steps: Steps, stamps: Stamps) -> None:
        self._steps = steps
        self._server = stamps.server
        self._seconds = stamps.seconds
        self.group = group_of(stamps.server)
        self._number = 0
        self._lock = threading.Lock()
        self._announced_at = 0.0

    def next_number(self) -> str:
        with self._lock:
            self._number += 1
            return f"{self._number:012x}"

    def note(self, intent: Intent) -> None:
        """Write an intent, or the next try of the same write over it."""
        self._announce()
        self._steps.note(self.group, intent.number, intent.as_text())

    def note_many(self, intents: Sequence[Intent]) -> None:
        """Write the intents of writes that are made together."""
        self._announce()
        self._steps.note_many(self.group, {each.number: each.as_text() for each in intents})

    def _announce(self) -> None:
        now = self._seconds()
        if now - self._announced_at > _ANNOUNCED_FOR_SECONDS:  # else nobody would look into this log
            self._steps.note(SERVERS, self._server, str(int(now)))
            self._announced_at = now

    def forget(self, intent: Intent) -> None:
        self._steps.note(intent.group, intent.number, None)

    def forget_many(self, intents: Sequence[Intent]) -> None:
        """Take intents out of this server's own log."""
        self._steps.note_many(self.group, dict.fromkeys((each.number for each in intents), None))


def servers(steps: Steps) -> dict[str, int]:
    """Give the servers that have written, and when (seconds since 1970) they last said so."""
    found: dict[str, int] = {}
    last = ""
    while cells := steps.cells(SERVERS, _PAGE, last):
        found.update((cell.key, int(cell.value)) for cell in cells)
        last = cells[-1].key
    return found


def intents_of(steps: Steps, server: str) -> Iterator[Intent]:
    group, last = group_of(server), ""
    while cells := steps.cells(group, _PAGE, last):
        for cell in cells:
            yield intent_from(group, cell.key, cell.value)
        last = cells[-1].key
