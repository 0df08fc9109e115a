"""Replicas that lag: eventual reads are answered by one of several copies of the past, as on a cluster."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from piql.store.base import Answers, Batch, Consistency
from piql.store.embedded.store import EmbeddedStore
from piql.store.wrapper import StoreWrapper


class LaggingStore(StoreWrapper):
    """A store on one file; each replica sees the file as it was when the replica last caught up."""

    def __init__(self, path: Path, replicas: int = 3, seed: int = 1) -> None:
        super().__init__(EmbeddedStore(path))
        self._chance = random.Random(seed)
        self._replicas = [EmbeddedStore(path) for _ in range(replicas)]
        self.eventual_reads = 0
        self._uses = ExitStack()
        for replica in self._replicas:
            self._uses.enter_context(replica.at_work())  # a connection that nobody uses ends the transaction it is in
            self._pin(replica)

    def _pin(self, replica: EmbeddedStore) -> None:
        connection = replica.connection()
        if connection.in_transaction:
            connection.execute("COMMIT")
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()

    def catch_up(self) -> None:
        """Let one replica see the present."""
        self._pin(self._chance.choice(self._replicas))

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        if consistency != "eventual":
            return self.behind.read_many(batches, consistency)
        self.eventual_reads += 1
        return self._chance.choice(self._replicas).read_many(batches, consistency)

    def close(self) -> None:
        self._uses.close()
        for replica in self._replicas:
            replica.close()
        super().close()
