"""The rows of an UPDATE or DELETE that changes several: their primary keys, read before the first is changed.

DELETE FROM line WHERE cart = [cart]    →    the keys of at most as many rows as the limit on cart says

What a row looks like is decided when it is written: one that does not pass WHERE any more stays as it is. The values
that an INSERT reads first are read in the same way, as one row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

from piql.compiler.bounds.queries import bound_of
from piql.compiler.bounds.writes import SECTION
from piql.compiler.physical.operators import PhysicalNode
from piql.runtime.execution.execution import Execution
from piql.runtime.execution.observation import OperatorTiming
from piql.runtime.execution.operators import prepare
from piql.runtime.execution.preparation import Preparation
from piql.runtime.execution.settling import RecordsOf, RowMoved, SettledStore
from piql.runtime.execution.strategy import Timings, Work, drive, exceeded
from piql.runtime.writing.meter import Meter
from piql.schema.catalog import Index
from piql.store.base import Store
from piql.store.rows import Row


class PreparedSection:
    """The read of a section, ready to run. `rows` and `bound` are the most rows that it finds, and their requests."""

    def __init__(
        self,
        plan: PhysicalNode,
        store: Store,
        slots: Mapping[str, int],
        deployed: Callable[[Index], Index],
        records_of: RecordsOf = lambda table: None,
    ) -> None:
        bound = bound_of(plan)
        self.rows, self.bound, self._fetched = bound.rows, bound.operations, bound.rows_fetched
        self._store = store
        self._settled = SettledStore(store, records_of) if store.row_writes is not None else None
        self._top = prepare(plan, Preparation(self._settled or store, slots, deployed), SECTION)

    def read(self, parameters: list[Any], meter: Meter) -> tuple[list[Row], tuple[OperatorTiming, ...]]:
        """Return the primary key of each row, in the order of ORDER BY, or the row of values, and how long it took.

        Inside a transaction of this thread it sees what that sees. Raises RepairPending, and errors of the store.
        """
        timings = Timings() if meter.clock is not None else None
        execution = Execution(parameters)
        if self._settled is None:
            work = self._run(execution, self._store, timings, meter)
        else:
            session = self._settled.session(self.bound, self._fetched)
            while True:
                try:
                    work = self._run(execution, session, timings, meter)
                    break
                except RowMoved:
                    session.begin_again()
                    execution.begin_again()
            meter.repair(session.repair_operations)
        meter.spend(work.operations)
        meter.round_trips += work.round_trips
        meter.keep()
        keys = list(dict.fromkeys(work.rows))
        if len(keys) > self.rows:
            raise exceeded(self.rows, len(keys))
        return keys, timings.by_operator() if timings is not None else ()

    def _run(self, execution: Execution, store: Store, timings: Timings | None, meter: Meter) -> Work:
        timed = timings.add if timings is not None else None
        return drive(self._top.run(execution), store, self.bound, "parallel", timed, None, meter.clock or perf_counter)
