"""The embedded store with stated service times: its rows are real, the time they take passes on a virtual clock."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from piql.schema.catalog import Column, Index, Table
from piql.store.base import Answers, Batch, Consistency, ReadShape, Store
from piql.store.row_writes import SingleRowWrites
from piql.store.rows import PreparedEntries, PreparedRead
from piql.store.wrapper import StoreWrapper

from piql_profiler.measure.clock import VirtualClock
from piql_profiler.predictor.cardinalities import bytes_of
from piql_profiler.validation.known_truth.service_times import Call, ServiceTimes, Values
from piql_profiler.validation.known_truth.writes import KnownTruthSteps, timed_transaction


class KnownTruthStore(StoreWrapper):
    """Answers as the store behind it does, after a time drawn from a seed; `calls` lists the calls that were made."""

    def __init__(self, behind: Store, times: ServiceTimes, clock: VirtualClock, seed: int) -> None:
        super().__init__(behind)
        self.calls: list[Call] = []
        self._prepared: dict[
            int, tuple[object, int]
        ] = {}  # by id(): the object, to keep it, and a row's declared bytes
        self._row_writes = (
            None if behind.row_writes is None else KnownTruthSteps(behind.row_writes, self.spend, self.bytes_of)
        )
        self._times = times
        self._clock = clock
        self._random = np.random.default_rng(seed)
        self._cause: Values = self._random.standard_normal(1, dtype=np.float32)
        self._looked_at = clock.now()

    def prepare(self, shape: ReadShape) -> PreparedRead:
        read = self.behind.prepare(shape)
        self._keep(read, shape.table, shape.columns)
        return read

    def prepare_entries(self, table: Table, index: Index) -> PreparedEntries:
        entries = self.behind.prepare_entries(table, index)
        self._keep(entries, table, (*(column.name for column in index.columns), *index.covering))
        return entries

    def _keep(self, prepared: object, table: Table, names: Sequence[str]) -> None:
        columns: dict[str, Column] = {column.name: column for column in table.columns}
        row_bytes = sum(bytes_of(columns[name].type) for name in names if name in columns)
        self._prepared[id(prepared)] = (prepared, row_bytes)

    def bytes_of(self, prepared: object) -> int:
        """The declared bytes of a row of a read, or of entries, that this store has prepared."""
        return self._prepared[id(prepared)][1]

    @property
    def row_writes(self) -> SingleRowWrites | None:
        return self._row_writes

    def transaction(self) -> AbstractContextManager[Any]:
        return timed_transaction(self.behind.transaction(), self.spend, self.bytes_of)

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        answers = self.behind.read_many(batches, consistency)
        rows = [sum(map(len, rows_of_batch)) for rows_of_batch in answers]
        call = Call(
            sum(len(batch.arguments) for batch in batches),
            sum(rows),
            sum(count * self.bytes_of(batch.read) for count, batch in zip(rows, batches, strict=True)),
        )
        self.spend(call)
        return answers

    def spend(self, call: Call) -> None:
        """Draw the time of a call, and let it pass on the clock."""
        self.calls.append(call)
        now = self._clock.now()
        elapsed_us = np.array([(now - self._looked_at) * 1e6], dtype=np.float32)
        self._cause = self._times.causes(self._cause, elapsed_us, self._random)
        self._looked_at = now
        self._clock.spend(float(self._times.took_us(call, self._cause, self._random)[0]) / 1e6)
