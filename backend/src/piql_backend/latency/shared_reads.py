"""Gives one answer to all who ask the same within a moment, as long as pages are told no other version of the database.

Many pages follow one dashboard, and each answer takes a dozen statements. Who asks while an answer is worked out waits
for it, and takes it unless there is another version since that began.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

SECONDS_KEPT = 10.0  # the window of an answer ends when it is worked out; a page takes one of half a minute ago for new
_MOST_KEPT = 64

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class _Kept(Generic[Answer]):
    version: str  # of the database, before it was worked out
    made_at: float
    answer: Answer


class SharedReads(Generic[Answer]):
    """Answers by what was asked; `version` gives that of the database that they are worked out from."""

    def __init__(self, version: Callable[[], str], clock: Callable[[], float] = time.monotonic) -> None:
        self._version = version
        self._clock = clock
        self._kept: dict[Hashable, _Kept[Answer]] = {}
        self._changing = threading.Lock()
        self._turns: defaultdict[Hashable, threading.Lock] = defaultdict(threading.Lock)

    def read(self, asked: Hashable, work_out: Callable[[], Answer]) -> Answer:
        """The answer that is kept, if it still holds; else it is worked out and kept."""
        with self._changing:
            if len(self._turns) >= _MOST_KEPT:  # who waits for a turn that is forgotten works it out once more
                self._turns.clear()
                self._kept.clear()
            turn = self._turns[asked]
        with turn:
            kept = self._kept.get(asked)
            version, began_at = self._version(), self._clock()
            if kept is not None and kept.version == version and began_at - kept.made_at < SECONDS_KEPT:
                return kept.answer
            answer = work_out()
            with self._changing:
                self._kept[asked] = _Kept(version, began_at, answer)
            return answer
