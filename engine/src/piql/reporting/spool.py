"""The folder where shipments wait until the workbench has taken them, one file for each.

    9f3c…-9.cells            being counted (`journal.py`)
    9f3c…-7.json.gz          to be sent
    9f3c…-8.json.gz.part     being written
    9f3c…-6.json.gz.refused  the workbench will never take it; a person may look at it

Files of processes that are gone are sent by whoever looks next. Several may send one file at the same time: the
workbench counts a shipment once. Where the folder cannot be written, shipments wait in memory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import time

from piql.reporting.journal import END, abandoned, read_journal
from piql.reporting.shipment import shipments

MOST_BYTES = 64_000_000  # of one folder; beyond, the oldest shipments are dropped
MOST_BYTES_IN_MEMORY = 4_000_000
_STRANGERS_AFTER_SECONDS = 60.0  # how old a file of another process is before it is sent for it
_JOURNAL = re.compile(r"([0-9a-f]{32})-([0-9]+)\.cells")
_NAME = re.compile(r"[0-9a-f]{32}-[0-9]+\.json\.gz")


@dataclass(slots=True)
class Spool:
    """Shipments of one report address; `dropped` counts those for which there was no room."""

    folder: Path
    most_bytes: int = MOST_BYTES
    problem: str | None = None
    dropped: int = 0
    _in_memory: dict[str, bytes] = field(default_factory=dict)

    def put(self, client: str, sequence: int, shipment: bytes) -> None:
        """Keep a shipment: on disk when this returns, so that a kill of this process does not lose it."""
        name = f"{client}-{sequence}.json.gz"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            part = self.folder / f"{name}.part"
            with part.open("wb") as file:
                file.write(shipment)
            part.replace(self.folder / name)
            self.problem = None
        except OSError as error:
            self.problem = f"{self.folder} cannot be written: {error.strerror or error}"
            self._in_memory[name] = shipment
        self._make_room()

    def waiting(self, client: str) -> Iterator[tuple[str, bytes]]:
        """Yield the shipments of this client, and those that other processes left, the oldest first."""
        yield from list(self._in_memory.items())
        for _, path in self._files():
            is_own = path.name.startswith(client)
            with suppress(OSError):  # another process may have sent it meanwhile
                if is_own or time() - path.stat().st_mtime > _STRANGERS_AFTER_SECONDS:
                    yield path.name, path.read_bytes()

    def put_journal(self, journal: Path) -> bool:
        """Keep the shipment that a journal becomes; return whether it is on disk, so that the journal may go."""
        match = _JOURNAL.fullmatch(journal.name)
        assert match is not None
        try:
            folded, operators = read_journal(journal)
        except OSError as error:
            self.problem = f"{journal} cannot be read: {error.strerror or error}"
            return False
        for shipment in shipments(folded, match[1], int(match[2]), operators):
            self.put(match[1], int(match[2]), shipment)
        return self.problem is None

    def take_over(self) -> None:
        """Make the shipments of journals whose processes were killed."""
        with suppress(OSError):
            for entry in list(os.scandir(self.folder)):
                if not _JOURNAL.fullmatch(entry.name) or time() - entry.stat().st_mtime <= _STRANGERS_AFTER_SECONDS:
                    continue
                with abandoned(Path(entry.path)) as is_abandoned:
                    if is_abandoned and self.put_journal(Path(entry.path)):
                        os.utime(self.folder / entry.name.replace(END, ".json.gz"), (1, 1))  # it waited long enough
                        Path(entry.path).unlink()

    def is_empty(self, client: str) -> bool:
        """Whether nothing of this client waits."""
        return not self._in_memory and not any(path.name.startswith(client) for _, path in self._files())

    def remove(self, name: str) -> None:
        """Forget a shipment that was taken."""
        self._in_memory.pop(name, None)
        with suppress(OSError):
            (self.folder / name).unlink(missing_ok=True)

    def set_aside(self, name: str) -> None:
        """Keep a shipment that was refused for good, and send it no more."""
        self._in_memory.pop(name, None)
        with suppress(OSError):
            (self.folder / name).rename(self.folder / f"{name}.refused")

    def forget_memory(self) -> None:
        """Forget what waits in memory: in a forked process it is the parent's."""
        self._in_memory.clear()

    def _files(self) -> list[tuple[float, Path]]:
        """The shipments on disk with their times, the oldest first."""
        files = []
        with suppress(OSError):
            for entry in os.scandir(self.folder):
                if _NAME.fullmatch(entry.name):
                    with suppress(OSError):
                        files.append((entry.stat().st_mtime, Path(entry.path)))
        return sorted(files)

    def _make_room(self) -> None:
        """Drop the oldest shipments beyond the limits."""
        while len(self._in_memory) > 1 and sum(map(len, self._in_memory.values())) > MOST_BYTES_IN_MEMORY:
            self._in_memory.pop(next(iter(self._in_memory)))
            self.dropped += 1
        sizes = []
        for _, path in self._files():
            with suppress(OSError):
                sizes.append((path, path.stat().st_size))
        surplus = sum(size for _, size in sizes) - self.most_bytes
        for path, size in sizes:
            if surplus <= 0:
                break
            with suppress(OSError):
                path.unlink()
                self.dropped += 1
            surplus -= size
