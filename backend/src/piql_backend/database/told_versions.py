"""Which version of something pages were told last: what changes all the time is not read anew all the time.

a change after a rest       →  is told at once
more of them in a row       →  are told together, so many seconds after the last time

An answer that is newer than its version is well: with the next version it is read once more. One that is older is not.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass

_MOST_KEPT = 10_000


@dataclass(frozen=True, slots=True)
class _Told:
    version: str
    at: float
    seconds: float


class ToldVersions:
    """Versions by what they are of; safe to use from several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._told: dict[Hashable, _Told] = {}
        self._telling = threading.Lock()

    def told(self, subject: Hashable, current: str, seconds: float | None = None) -> str:
        """The present version, or the one that was told last, if that was less than `seconds` ago.

        `current` was worked out before that of which it is the version is read. Without `seconds`, those of the last
        time hold.
        """
        with self._telling:
            last, at = self._told.get(subject), self._clock()
            if last is not None:
                seconds = last.seconds if seconds is None else seconds
                if current == last.version:
                    if seconds != last.seconds:
                        self._told[subject] = _Told(current, last.at, seconds)
                    return current
                if at - last.at < seconds:
                    return last.version
            elif len(self._told) >= _MOST_KEPT:
                self._told.clear()
            self._told[subject] = _Told(current, at, seconds or 0.0)
            return current

    def is_held(self, subject: Hashable) -> bool:
        """Whether another version would not be told now."""
        with self._telling:
            last = self._told.get(subject)
            return last is not None and self._clock() - last.at < last.seconds
