"""A client process as a store without transactions knows it: its name, stamps, intent log and waiting times."""

from __future__ import annotations

from piql.errors import NotDeployed
from piql.forking import renew_in_children
from piql.runtime.deployment import Deployment
from piql.runtime.writing.stepped.backoff import WaitPolicy
from piql.runtime.writing.stepped.intents import IntentLog
from piql.runtime.writing.stepped.open_units import OpenUnits
from piql.runtime.writing.stepped.records import SteppedRecords
from piql.runtime.writing.stepped.stamps import Stamps
from piql.runtime.writing.table_rules.constraints import ReferenceCheck, UniqueCheck
from piql.schema.catalog import Table
from piql.store.base import Store
from piql.store.row_writes import SingleRowWrites


class WriterIdentity:
    """Who writes: one for each connection to a store. A forked child takes a name and a log of its own."""

    def __init__(
        self, row_writes: SingleRowWrites, stamps: Stamps | None = None, wait_policy: WaitPolicy | None = None
    ) -> None:
        self.row_writes = row_writes
        self.stamps = stamps or Stamps()
        self.wait_policy = wait_policy or WaitPolicy()
        self.log = IntentLog(row_writes, self.stamps)
        self.units = OpenUnits(row_writes, self.wait_policy)
        renew_in_children(self, WriterIdentity._renew)

    def _renew(self) -> None:
        """Take a new name and log, in a forked child: two processes with one log overwrite each other's intents."""
        self.stamps.rename()
        self.log = IntentLog(self.row_writes, self.stamps)
        self.units.renew()

    def records(self, table: Table, store: Store, is_of_groups: bool = False) -> SteppedRecords:
        """Return the records of a table, or the groups of a view, to be changed under this identity."""
        return SteppedRecords(table, store, self.row_writes, self.stamps, self.units, is_of_groups)

    def unique(self, reference: ReferenceCheck, deployment: Deployment, store: Store) -> UniqueCheck:
        """Return the UNIQUE key of the parent by which a foreign key names it; raise NotDeployed if there is none."""
        referenced = set(reference.referenced)
        for key in reference.parent.unique_keys:
            if set(key.columns) == referenced:
                return UniqueCheck(reference.parent, key, deployment, store)
        raise NotDeployed(f"{', '.join(reference.referenced)} is no key of {reference.parent.name}")
