"""How often something may be done: so often at once after a rest, then once in some seconds.

What is kept of a key is the moment at which its allowance is whole again: the generic cell rate algorithm (GCRA). A key
whose allowance is whole by now refuses nothing, and is not kept.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

MOST_KEYS = 20_000
_ROUNDING_SECONDS = 1e-9

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Allowance:
    """`at_once` after a rest, then one in `seconds`."""

    at_once: float
    seconds: float


class Allowances(Generic[Key]):
    """What each key has used; beyond MOST_KEYS the one that was not used for the longest time is dropped."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._whole_at: OrderedDict[Key, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._whole_at)

    def wait(self, key: Key, allowance: Allowance) -> float:
        """The seconds until the key may do it once more; 0 where it may now."""
        now = self._clock()
        wait = self._next(key, allowance, now) - now - allowance.at_once * allowance.seconds
        return wait if wait > _ROUNDING_SECONDS else 0.0

    def take(self, wanted: Mapping[Key, Allowance]) -> float:
        """Count one for all keys, and return 0; or none for any, and return the seconds until all of them may."""
        wait = max(self.wait(key, allowance) for key, allowance in wanted.items())
        if not wait:
            for key, allowance in wanted.items():
                self.count(key, allowance)
        return wait

    def count(self, key: Key, allowance: Allowance) -> None:
        """Count one for a key, whose allowance is used up at most."""
        now = self._clock()
        used_up_at = now + max(allowance.at_once, 1.0) * allowance.seconds
        self._whole_at[key] = min(self._next(key, allowance, now), used_up_at)
        self._whole_at.move_to_end(key)
        while self._whole_at and (len(self._whole_at) > MOST_KEYS or self._oldest_is_whole(now)):
            self._whole_at.popitem(last=False)

    def give_back(self, key: Key, allowance: Allowance) -> None:
        """Count one less for a key."""
        if key in self._whole_at:
            self._whole_at[key] -= allowance.seconds

    def _next(self, key: Key, allowance: Allowance, now: float) -> float:
        return max(self._whole_at.get(key, now), now) + allowance.seconds

    def _oldest_is_whole(self, now: float) -> bool:
        return next(iter(self._whole_at.values())) <= now
