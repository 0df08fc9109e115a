"""How often somebody may try to log in: by name, and by the client that tries.

An attempt is counted before its password is looked at, so that many at once are counted, too. One that succeeds is
given back. What is kept, in memory, is the moment at which all attempts are free again, as in `web/rates.py`.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

_MOST_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class Allowance:
    """`at_once` attempts after a rest, then one in `seconds`."""

    at_once: int
    seconds: float


BY_NAME = Allowance(at_once=10, seconds=30.0)
BY_CLIENT = Allowance(at_once=30, seconds=10.0)


class Attempts:
    """The attempts to log in of all names and clients, on the event loop alone."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._free_at: OrderedDict[tuple[str, str], float] = OrderedDict()

    def take(self, name: str, client: str) -> float:
        """Count an attempt, and return 0; or count none, and return the seconds until one is free."""
        now = self._clock()
        wait = 0.0
        for key, allowance in _keys(name, client):
            until = max(self._free_at.get(key, now), now) + allowance.seconds
            wait = max(wait, until - now - allowance.at_once * allowance.seconds)
        if wait > 1e-9:
            return wait
        for key, allowance in _keys(name, client):
            self._free_at[key] = max(self._free_at.get(key, now), now) + allowance.seconds
            self._free_at.move_to_end(key)
        while len(self._free_at) > _MOST_KEPT:
            self._free_at.popitem(last=False)
        return 0.0

    def give_back(self, name: str, client: str) -> None:
        """Count an attempt as none: it succeeded."""
        for key, allowance in _keys(name, client):
            if key in self._free_at:
                self._free_at[key] -= allowance.seconds


def _keys(name: str, client: str) -> tuple[tuple[tuple[str, str], Allowance], ...]:
    return (("name", name), BY_NAME), (("client", client), BY_CLIENT)
