"""What one process is to a store without transactions: its name in the log, its stamps, its manners."""

from __future__ import annotations

from piql.errors import NotDeployed
from piql.forking import renew_in_children
from piql.runtime.deployment import Deployment
from piql.runtime.writing.stepped.backoff import Manners
from piql.runtime.writing.stepped.intents import IntentLog
from piql.runtime.writing.stepped.records import SteppedRecords
from piql.runtime.writing.stepped.stamps import Stamps
from piql.runtime.writing.table_rules.constraints import ReferenceCheck, UniqueCheck
from piql.schema.catalog import Table
from piql.store.base import SingleRowWrites, Store


class WriterIdentity:
    """Made once for a connection to a store."""

    def __init__(
        self, row_writes: SingleRowWrites, stamps: Stamps | None = None, manners: Manners | None = None
    ) -> None:
        self.row_writes = row_writes
        self.stamps = stamps or Stamps()
        self.manners = manners or Manners()
        self.log = IntentLog(row_writes, self.stamps)
        renew_in_children(self, WriterIdentity._renew)

    def _renew(self) -> None:
        """Be a server of its own, with its own log: two that wrote into one would overwrite each other's intents."""
        self.stamps.rename()
        self.log = IntentLog(self.row_writes, self.stamps)

    def records(self, table: Table, store: Store) -> SteppedRecords:
        return SteppedRecords(table, store, self.row_writes, self.stamps)

    def unique(self, reference: ReferenceCheck, deployment: Deployment, store: Store) -> UniqueCheck:
        """Return the UNIQUE key of the parent by which a foreign key names it."""
        wanted = set(reference.referenced)
        for key in reference.parent.unique_keys:
            if set(key.columns) == wanted:
                return UniqueCheck(reference.parent, key, deployment, store)
        raise NotDeployed(f"{', '.join(reference.referenced)} is no key of {reference.parent.name}")
