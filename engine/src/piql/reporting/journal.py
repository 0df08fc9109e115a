"""Counts that are not a shipment yet, on disk a second after they were made: a line for each second.

    9f3c…-8.cells    {"lost": 0, "cells": [[29404121, "findUser", 3, "ok", …, 1], …]}
                     {"lost": 0, "cells": […                                          ← cut by a kill: it is not there

The process that writes a journal holds a lock on it. So whoever gets the lock knows that the process is gone, and makes
the shipment of that name in its place. Should both make it, it is counted once, and has the same counts.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from piql.reporting.cells import Cell, Folded, Sums
from piql.reporting.operator_cells import OperatorCell, OperatorCells, OperatorSums, join
from piql.reporting.shipment import MOST_CELLS_SENT

if sys.platform != "win32":
    import fcntl

END = ".cells"


class Journal:
    """The journal of one shipment, which is made when the first counts are appended."""

    def __init__(self, folder: Path, name: str) -> None:
        self.path = folder / f"{name}{END}"
        self.cells = 0
        self._file: int | None = None

    @property
    def room(self) -> int:
        """How many cells go into it before the shipment is full."""
        return MOST_CELLS_SENT - self.cells

    @property
    def is_begun(self) -> bool:
        """Whether anything was appended."""
        return self._file is not None

    def append(
        self,
        cells: Sequence[tuple[Cell, Sums]],
        lost: int,
        operators: Mapping[OperatorCell, OperatorSums] | None = None,
    ) -> None:
        """Append counts: when this returns, a kill of this process does not lose them. OSError where that fails."""
        if self._file is None:
            self._file = _created(self.path)
        values = [(*cell, *sums.values()) for cell, sums in cells]
        content: dict[str, object] = {"lost": lost, "cells": values}
        if operators:
            content["operators"] = [(*cell, *sums.values()) for cell, sums in operators.items()]
        line = json.dumps(content, separators=(",", ":")).encode() + b"\n"
        length = os.fstat(self._file).st_size
        written = 0
        try:
            while written < len(line):
                written += os.write(self._file, line[written:])
        except OSError:
            os.ftruncate(self._file, length)  # what is counted again must not be there in part
            raise
        self.cells += len(cells)

    def remove(self) -> None:
        """Forget it, because its shipment is in the spool."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
        self.leave()

    def leave(self) -> None:
        """Leave it to another process: in a forked one it is the parent's."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def read_journal(path: Path) -> tuple[Folded, OperatorCells]:
    """The counts of a journal, those that are alike together, and where the time of samples went."""
    folded, operators = Folded(), OperatorCells()
    for line in path.read_bytes().split(b"\n"):
        try:
            content: Mapping[str, object] = json.loads(line)
        except ValueError:
            continue  # the last line, cut by a kill, and what is behind the last end of a line
        lost, cells = content["lost"], content["cells"]
        assert isinstance(lost, int)
        assert isinstance(cells, list)
        folded.lost += lost
        for values in cells:
            cell = Cell._make(values[: len(Cell._fields)])
            sums = folded.cells.setdefault(cell, Sums())
            sums.join(Sums(*values[len(Cell._fields) :]))
        samples = content.get("operators", [])
        assert isinstance(samples, list)
        width = len(OperatorCell._fields)
        for values in samples:
            join(operators, {OperatorCell._make(values[:width]): OperatorSums(*values[width:])})
    return folded, operators


@contextmanager
def abandoned(path: Path) -> Iterator[bool]:
    """Whether the process that wrote a journal is gone; until the end of the `with`, nobody else is told so."""
    try:
        file = os.open(path, os.O_RDWR)
    except OSError:
        yield False
        return
    try:
        yield _locked(file) and os.fstat(file).st_nlink > 0
    finally:
        os.close(file)


def _created(path: Path) -> int:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
    if not _locked(file):
        os.close(file)
        raise OSError(f"{path} is locked by another process")
    return file


def _locked(file: int) -> bool:
    if sys.platform == "win32":
        return True  # a file that is open cannot be removed there, and a journal without changes for a minute is read
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
