"""How long a write waits for others, and when it takes them for interrupted.

Nothing here is needed for safety: a write that is settled while it is still in progress begins again.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic, sleep

from piql.errors import StoreUnavailable

FIRST_PAUSE = 0.0005  # seconds: about one request to the store
LONGEST_PAUSE = 0.05  # seconds


class Overtaken(StoreUnavailable):
    """Other writers changed the same rows before each try until the deadline; nothing was written."""


@dataclass(frozen=True, slots=True)
class WaitPolicy:
    """The waiting times of a client process, in seconds; tests put a clock of their own in.

    patience    after so long, another write that makes no progress is taken for interrupted
    deadline    after so long, a write that others overtake again and again gives up
    """

    patience: float = 1.0
    deadline: float = 5.0
    clock: Callable[[], float] = monotonic
    sleep: Callable[[float], None] = sleep


@dataclass(slots=True)
class Backoff:
    """The waiting of one write: pauses that double, until the deadline; `seen` has when it first met other writes."""

    wait_policy: WaitPolicy
    began: float = field(init=False)
    pauses: int = 0
    seen: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.began = self.wait_policy.clock()

    def is_patient(self, write: str) -> bool:
        """Return whether another write, by its name, is still given time: it was first met less than `patience` ago."""
        now = self.wait_policy.clock()
        return now - self.seen.setdefault(write, now) < self.wait_policy.patience

    def pause(self) -> None:
        """Sleep, longer each time; raise Overtaken once the deadline has passed."""
        if self.wait_policy.clock() - self.began > self.wait_policy.deadline:
            seconds = self.wait_policy.deadline
            raise Overtaken(
                f"other writers changed the same rows again and again for {seconds:g} s; nothing was written: try again"
            )
        self.pauses += 1
        self.wait_policy.sleep(random.uniform(0.5, 1.0) * min(FIRST_PAUSE * 2**self.pauses, LONGEST_PAUSE))
