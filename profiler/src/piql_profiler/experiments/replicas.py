"""A store of three copies that lag, whose requests take as long as a law says, on a clock that nobody waits for.

    a read           asks as many copies as it waits for: one, or two of three; it takes as long as the slowest of them
    a write          goes to all copies; it waits for two of them, or for all three
    a copy that no write waits for has it later, by up to `LAG_SECONDS`

What a majority has is in the store behind, where writes are decided. With a copy away, a write to all is refused.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from piql.errors import StoreUnavailable
from piql.store.base import Answers, Batch, Consistency
from piql.store.row_writes import SingleRowWrites
from piql.store.stepwise.store import StepwiseStore
from piql.store.testing.copied_writes import Change, CopiedWrites, take
from piql.store.wrapper import StoreWrapper

from piql_profiler.experiments.law import Law
from piql_profiler.measure.clock import VirtualClock

COPIES, MAJORITY = 3, 2
LAG_SECONDS = 0.05


@dataclass
class Copy:
    """One copy of all rows, with the changes that reach it later: the moment and the change."""

    store: StepwiseStore
    late: list[tuple[float, Change]] = field(default_factory=list)
    is_away: bool = False

    def catch_up(self, now: float) -> None:
        """Take what has arrived by now."""
        arrived = [change for due, change in self.late if due <= now]
        self.late = [(due, change) for due, change in self.late if due > now]
        for change in arrived:
            take(self.store, change)


class ReplicatedStore(StoreWrapper):
    """Three copies of the file at `path`; `asked` counts the copies that reads and writes have waited for."""

    def __init__(self, path: Path, law: Law, clock: VirtualClock, seed: int) -> None:
        super().__init__(StepwiseStore(path))
        self.copies = [Copy(StepwiseStore(Path(shutil.copy(path, f"{path}.{number}")))) for number in range(COPIES)]
        self.asked = 0
        self.clock = clock
        self.chance = random.Random(seed)
        self._law = law
        self._random = np.random.default_rng(seed)

    @property
    def row_writes(self) -> SingleRowWrites:
        """Return how rows are written, waiting for a majority."""
        assert self.behind.row_writes is not None
        return CopiedWrites(self, self.behind.row_writes)

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        """Answer from a copy that is there, or from what a majority has."""
        waits_for = 1 if consistency == "eventual" else MAJORITY
        requests = sum(len(batch.arguments) for batch in batches)
        self.wait(waits_for, requests)
        if waits_for > 1:
            return self.behind.read_many(batches, consistency)
        copy = self.chance.choice([copy for copy in self.copies if not copy.is_away])
        copy.catch_up(self.clock.now())
        return copy.store.read_many(batches, consistency)

    def wait(self, copies: int, requests: int = 1) -> None:
        """Let the time pass that requests take which leave together, each as slow as the slowest of its copies."""
        self.asked += copies * requests
        slowest = max((self._law.request_ms(self._random, 1) for _ in range(copies * requests)), default=0.0)
        self.clock.spend(slowest / 1000)

    def ask(self) -> None:
        """Let the time of a request pass that a majority answers."""
        self.wait(MAJORITY)

    def spread(self, change: Change, *, is_to_all: bool) -> None:
        """Send a change to all copies, and wait for a majority or for all; StoreUnavailable where too few are there."""
        waits_for = COPIES if is_to_all else MAJORITY
        times = sorted(
            ((self._law.request_ms(self._random, 1) / 1000, number) for number in range(COPIES)),
            key=lambda entry: (self.copies[entry[1]].is_away, entry[0]),
        )
        now = self.clock.now()
        for place, (seconds, number) in enumerate(times):
            copy = self.copies[number]
            if place < waits_for and not copy.is_away:
                copy.catch_up(now)
                take(copy.store, change)
            else:
                copy.late.append((now + seconds + self.chance.uniform(0.0, LAG_SECONDS), change))
        self.asked += waits_for
        if sum(not copy.is_away for copy in self.copies) < waits_for:
            raise StoreUnavailable("a copy does not answer")
        self.clock.spend(times[waits_for - 1][0])

    def close(self) -> None:
        """Close all copies, too."""
        for copy in self.copies:
            copy.store.close()
        super().close()
