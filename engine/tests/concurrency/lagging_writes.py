"""Replicas of a store without transactions, each with the rows that have reached it, in any order.

`majority` is what a quorum has: writes are decided there. Each replica gets a change at once, where it goes to all
copies, or when it catches up. A replica that is away gets nothing, and a change to all copies then raises.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

from piql.errors import StoreUnavailable
from piql.store.base import Answers, Batch, Consistency
from piql.store.row_writes import SingleRowWrites
from piql.store.stepwise.store import StepwiseStore
from piql.store.testing.copied_writes import Change, CopiedWrites, take
from piql.store.wrapper import StoreWrapper


class Replica:
    """One copy of all rows; changes may reach it late, twice and out of order."""

    def __init__(self, path: Path) -> None:
        self.store = StepwiseStore(path)
        self.late: list[Change] = []
        self.is_away = False


class ReplicatedStore(StoreWrapper):
    """A store in front of the file at `path`, with copies of it; each eventual read asks one of these."""

    def __init__(self, path: Path, replicas: int = 3, seed: int = 1) -> None:
        super().__init__(StepwiseStore(path))
        self.chance = random.Random(seed)
        self.replicas = [Replica(Path(shutil.copy(path, f"{path}.{number}"))) for number in range(replicas)]
        self.eventual_reads = 0

    @property
    def row_writes(self) -> SingleRowWrites:
        assert self.behind.row_writes is not None
        return CopiedWrites(self, self.behind.row_writes)

    def ask(self) -> None:
        """Wait for nothing: no time passes here."""

    def spread(self, change: Change, *, is_to_all: bool) -> None:
        for replica in self.replicas:
            if is_to_all and not replica.is_away:
                take(replica.store, change)
            else:
                replica.late.append(change)
        if is_to_all and any(replica.is_away for replica in self.replicas):
            raise StoreUnavailable("a copy does not answer")

    def catch_up(self) -> None:
        """Let one replica get some of the changes that it lacks, in any order."""
        replica = self.chance.choice(self.replicas)
        self.chance.shuffle(replica.late)
        for _ in range(self.chance.randrange(len(replica.late) + 1)):
            take(replica.store, replica.late.pop())

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        if consistency != "eventual":
            return self.behind.read_many(batches, consistency)
        self.eventual_reads += 1
        return self.chance.choice(self.replicas).store.read_many(batches, consistency)

    def close(self) -> None:
        for replica in self.replicas:
            replica.store.close()
        super().close()
