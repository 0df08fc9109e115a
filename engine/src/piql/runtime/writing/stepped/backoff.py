"""How long a write waits for others, and when it takes them for dead; neither is needed for safety."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic, sleep

from piql.errors import StoreUnavailable

FIRST_PAUSE = 0.0005
LONGEST_PAUSE = 0.05


class Overtaken(StoreUnavailable):
    """Other writers of the same rows were quicker until the deadline; nothing was written."""


@dataclass(frozen=True, slots=True)
class Manners:
    """`patience`: seconds before a write in progress is taken for interrupted; `deadline`: before a write gives up."""

    patience: float = 1.0
    deadline: float = 5.0
    clock: Callable[[], float] = monotonic
    sleep: Callable[[float], None] = sleep


@dataclass(slots=True)
class Backoff:
    """How one write waits for others: pauses that double, until the deadline; then Overtaken is raised."""

    manners: Manners
    began: float = field(init=False)
    pauses: int = 0
    seen: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.began = self.manners.clock()

    def is_patient(self, write: str) -> bool:
        """Return whether a write of somebody else, first seen a moment ago, may still be at work."""
        now = self.manners.clock()
        return now - self.seen.setdefault(write, now) < self.manners.patience

    def pause(self) -> None:
        """Sleep, longer each time; raise Overtaken once the deadline has passed."""
        if self.manners.clock() - self.began > self.manners.deadline:
            seconds = self.manners.deadline
            raise Overtaken(
                f"other writers changed the same rows again and again for {seconds:g} s; nothing was written: try again"
            )
        self.pauses += 1
        self.manners.sleep(random.uniform(0.5, 1.0) * min(FIRST_PAUSE * 2**self.pauses, LONGEST_PAUSE))
