"""The embedded store with stated service times: its rows are real, the time they take passes on a virtual clock."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from piql.catalog import Column
from piql.store.base import Answers, Batch, Consistency, PreparedRead, ReadShape, Store
from piql.store.wrapper import StoreWrapper

from piql_profiler.clock import VirtualClock
from piql_profiler.known_truth.service_times import Call, ServiceTimes, Values
from piql_profiler.predictor.cardinalities import bytes_of


class KnownTruthStore(StoreWrapper):
    """Answers as the store behind it does, after a time drawn from a seed; `calls` lists what was asked."""

    def __init__(self, behind: Store, times: ServiceTimes, clock: VirtualClock, seed: int) -> None:
        super().__init__(behind)
        self.calls: list[Call] = []
        self._reads: dict[int, tuple[PreparedRead, int]] = {}  # by identity: with the bytes of a row, as declared
        self._times = times
        self._clock = clock
        self._random = np.random.default_rng(seed)
        self._cause: Values = self._random.standard_normal(1, dtype=np.float32)
        self._looked_at = clock.now()

    def prepare(self, shape: ReadShape) -> PreparedRead:
        columns: dict[str, Column] = {each.name: each for each in shape.table.columns}
        row_bytes = sum(bytes_of(columns[name].type) for name in shape.columns if name in columns)
        read = self.behind.prepare(shape)
        self._reads[id(read)] = (read, row_bytes)
        return read

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        answers = self.behind.read_many(batches, consistency)
        rows = [sum(map(len, found)) for found in answers]
        call = Call(
            sum(len(each.arguments) for each in batches),
            sum(rows),
            sum(count * self._reads[id(each.read)][1] for count, each in zip(rows, batches, strict=True)),
        )
        self.calls.append(call)
        self._pass(call)
        return answers

    def _pass(self, call: Call) -> None:
        now = self._clock.now()
        elapsed_us = np.array([(now - self._looked_at) * 1e6], dtype=np.float32)
        self._cause = self._times.causes(self._cause, elapsed_us, self._random)
        self._looked_at = now
        self._clock.spend(float(self._times.took_us(call, self._cause, self._random)[0]) / 1e6)
