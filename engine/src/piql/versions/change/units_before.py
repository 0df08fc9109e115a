"""Ends units that began before a change was known, on a store without transactions.

The writer of such a unit keeps no entries of coming indexes. If it was killed behind the decision, its records still
lie there as they were before it, and a walk would take them for the present ones.
"""

from __future__ import annotations

from contextlib import suppress

from piql.errors import NotDeployed, StoreUnavailable
from piql.runtime.deployment import Deployment
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.intents import processes
from piql.runtime.writing.stepped.unit_record import units_under_way
from piql.runtime.writing.stepped.writer import SteppedWriter
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.transactional import TableWriter
from piql.store.base import Store


def end_units(store: Store, deployment: Deployment, table: str) -> None:
    """End each unit that holds a row of a table: one that is open is refused, and its writer begins again."""
    row_writes = store.row_writes
    if row_writes is None:
        return
    identity = WriterIdentity(row_writes)

    def writer_of(name: str) -> SteppedWriter:
        if name not in deployment.tables:
            raise NotDeployed(name)
        return SteppedWriter(TableWriter(deployment.tables[name], deployment, store), deployment, store, identity)

    identity.units.writer_of = writer_of
    for process in processes(row_writes):
        for unit in units_under_way(row_writes, process):
            if any(held.table == table for held in unit.held):
                with suppress(StoreUnavailable):  # a table of it is not deployed
                    identity.units.settle(unit, Meter())
