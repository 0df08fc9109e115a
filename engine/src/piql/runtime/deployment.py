"""One version of what a store can execute, and what its writers must know of the other versions on the same store.

               queries read    writers keep up    writers hold
in force       its indexes     its indexes        its constraints
before it      —               its indexes        —  (*)             so that a rollback needs no back-fill
coming         —               its indexes        its constraints    once they are being checked

(*) Its constraints, too, for as long as somebody may still read by them: on a store without transactions, a moment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from piql.compiler.result import Compilation
from piql.errors import NotDeployed
from piql.schema.catalog import Index, Table

LOOK_SECONDS = 1.0
"""A process goes on for so long with what it knows of versions before it looks again."""


class Redeployed(Exception):
    """Somebody deployed since this process looked: what was prepared no longer holds."""


@dataclass(frozen=True, slots=True)
class Deployer:
    """Who deploys; `details` are kept with the version as they are given.

    With the id of a version in `seen`, another one in force is refused; an empty one says that nothing was in force.
    """

    name: str = ""
    details: Mapping[str, str] = field(default_factory=dict)
    seen: str | None = None


NOBODY = Deployer()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a version comes from: `id` is of this very deployment, `by` and `details` are of who made it.

    `owners` names, for each query, those who deployed it as it is; a query of a version of an older format has none.
    """

    id: str = ""
    by: str = ""
    details: Mapping[str, str] = field(default_factory=dict)
    owners: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OtherIndex:
    """An index of another version, kept up by writers; `table`, as that version declares it, lays it out.

    `deletes_only`: not every writer knows of it yet, so nobody puts an entry that another one would not delete.
    """

    table: Table
    index: Index
    deletes_only: bool = False


@dataclass(frozen=True, slots=True)
class Deployment:
    """`texts` are the sources by file name; `epoch` counts the changes of what is known of versions.

    `kept` are the tables as they are kept: columns and tables that only other versions know are among them.
    `earlier_numbers` are of the versions before it that had the same texts.
    """

    version: int
    deployed_at: datetime | None
    texts: Mapping[str, str]
    compilation: Compilation
    epoch: int = 0
    kept: Mapping[str, Table] = field(default_factory=dict)
    others: tuple[OtherIndex, ...] = ()
    also_held: Deployment | None = None  # whose constraints writers hold, too: the coming version, or that before
    origin: Origin = field(default_factory=Origin)
    earlier_numbers: tuple[int, ...] = ()

    @property
    def tables(self) -> Mapping[str, Table]:
        return self.compilation.tables

    @property
    def indexes(self) -> Mapping[str, Index]:
        return self.compilation.indexes

    def table(self, name: str) -> Table:
        table = self.tables.get(name)
        if table is None:
            names = ", ".join(self.tables) or "no tables"
            raise NotDeployed(f"no table {name!r} is deployed; there are {names}")
        return table

    def record_of(self, table: Table) -> Table:
        """Return a table as its records are kept: its own columns, then those that only other versions know."""
        kept_table = self.kept.get(table.name)
        if kept_table is None:
            return table
        hidden = tuple(
            replace(column, nullable=True) for column in kept_table.columns if table.column(column.name) is None
        )
        return replace(table, columns=(*table.columns, *hidden)) if hidden else table

    def kept_as_declared(self, name: str) -> Table:
        """Return a table that is kept: as declared, where it is, with what only other versions know of it."""
        return self.record_of(self.tables.get(name, self.kept[name]))

    def keeps(self, table: Table) -> bool:
        """Return whether a table is there already: one that a coming version adds is not."""
        return not self.kept or table.name in self.kept

    def indexes_of(self, table: Table) -> tuple[Index, ...]:
        """Return the secondary indexes of a table that queries may read."""
        return tuple(index for index in self.indexes.values() if index.table == table.name)

    def others_of(self, table: Table) -> tuple[OtherIndex, ...]:
        """Return the indexes of a table that writers keep up for other versions."""
        return tuple(entry for entry in self.others if entry.table.name == table.name)

    def deployed(self, index: Index) -> Index:
        """Return an index of a plan as it is kept: it may hold more than that plan reads."""
        if index.is_primary:
            return index
        deployed_index = self.indexes.get(index.name)
        if (
            deployed_index is None
            or deployed_index.columns != index.columns
            or not set(index.covering) <= deployed_index.held_columns
        ):
            raise NotDeployed(f"the index {index.name} is not deployed: deploy the query that reads it")
        return deployed_index
