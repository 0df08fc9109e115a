"""One version of what a store can execute, and what its writers must know of the other versions on the same store.

               queries read    writers keep up    writers hold
in force       its indexes     its indexes        its constraints
before it      —               its indexes        —  (*)             so that a rollback needs no back-fill
coming         —               its indexes        its constraints    once they are being checked

(*) Its constraints, too, for as long as somebody may still read by them: on a store without transactions, a moment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, TypeAlias

from piql.compiler.result import Compilation
from piql.errors import ConstraintViolation, NotDeployed
from piql.schema.catalog import Index, Table
from piql.store.base import Transaction
from piql.store.rows import Row

LOOK_SECONDS = 1.0
"""How long a process relies on what it knows of the versions on a store before it looks again."""


Counting: TypeAlias = Literal["not yet", "if it can", "always"]
"""Whether a view counts new rows, on a store without transactions. While it is filled, it leaves out what it cannot
hold, and rows that its writers have written before all of them knew of it.
"""


class Redeployed(Exception):
    """Another process deployed since this one looked, so its prepared queries and writers are out of date."""


@dataclass(frozen=True, slots=True)
class Deployer:
    """Who deploys. `details` are kept with the version, unread.

    `seen` is the id of the version that the user saw in force, or empty if there was none. If another one is in force
    by now, the deployment is refused. None deploys over any version.
    """

    name: str = ""
    details: Mapping[str, str] = field(default_factory=dict)
    seen: str | None = None


NOBODY = Deployer()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a version comes from: the id of its deployment, and the `name` and `details` of its Deployer.

    `owners` names for each query those who deployed it as it is now; versions of an older format have no owners.
    """

    id: str = ""
    by: str = ""
    details: Mapping[str, str] = field(default_factory=dict)
    owners: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OtherIndex:
    """An index of another version, which writers keep up to date; `table` is as that version declares it.

    With `deletes_only` writers delete its entries and put none: a writer that does not know the index yet would leave
    them behind.
    """

    table: Table
    index: Index
    deletes_only: bool = False


@dataclass(frozen=True, slots=True)
class OtherView:
    """A view of another version, which writers keep up to date; its table is declared in `deployment`.

    `is_filled` tells, inside a transaction, whether existing rows up to a primary key are counted in it already; None
    where all are. `refuse` makes writers leave the view to itself, in the transaction of a write that it cannot hold,
    which it is given in words: a coming version is refused, and a later one fills the view of the version before anew.
    Without transactions, `counts` says what is counted, and neither of the two is called.
    """

    table: Table
    deployment: Deployment
    refuse: Callable[[Transaction, str], None]
    is_filled: Callable[[], Callable[[Row], bool]] | None = None
    counts: Counting = "always"


@dataclass(frozen=True, slots=True)
class Deployment:
    """A version, compiled, with what its writers must do for other versions. Frozen: a change makes another one.

    texts              the sources, by file name
    epoch              counts the changes of the set of versions on the store
    kept               the tables as the store keeps them, with the columns that only other versions know
    others             indexes of other versions that writers keep up to date
    other_views        views of other versions that writers keep up to date
    also_held          another version whose constraints writers check, too: the coming one, or the one before
    earlier_numbers    versions before it with the same texts
    counted_from       the mark from which rows are counted by the views that were added to a table, by their names
    last_filling       the highest mark that any view has ever had
    by_units           the tables whose records units hold, of this version and of others that are alive
    """

    version: int
    deployed_at: datetime | None
    texts: Mapping[str, str]
    compilation: Compilation
    epoch: int = 0
    kept: Mapping[str, Table] = field(default_factory=dict)
    others: tuple[OtherIndex, ...] = ()
    other_views: tuple[OtherView, ...] = ()
    also_held: Deployment | None = None
    origin: Origin = field(default_factory=Origin)
    earlier_numbers: tuple[int, ...] = ()
    counted_from: Mapping[str, int] = field(default_factory=dict)
    last_filling: int = 0
    by_units: frozenset[str] = frozenset()

    @property
    def tables(self) -> Mapping[str, Table]:
        return self.compilation.tables

    @property
    def indexes(self) -> Mapping[str, Index]:
        return self.compilation.indexes

    def table(self, name: str) -> Table:
        """Return a table of this version; raise NotDeployed if it has none of this name."""
        table = self.tables.get(name) if isinstance(name, str) else None  # a list cannot even be looked up
        if table is None:
            names = ", ".join(self.tables) or "no tables"
            raise NotDeployed(f"no table {name!r} is deployed; there are {names}")
        return table

    def written_table(self, name: str) -> Table:
        """Return a table whose rows may be written; raise as `table`, and ConstraintViolation for a view."""
        table = self.table(name)
        if table.view is not None:
            raise ConstraintViolation(
                f"{name} is a view: its rows follow from those of {' and '.join(dict.fromkeys(table.view.tables))}, "
                "write those"
            )
        return table

    def views_of(self, table: Table) -> tuple[Table, ...]:
        """Return the views of a table that queries may read."""
        return self.compilation.catalog.views_of(table.name)

    def other_views_of(self, table: Table) -> tuple[OtherView, ...]:
        """Return the views of a table that writers keep up for other versions."""
        return tuple(
            view for view in self.other_views if view.table.view is not None and table.name in view.table.view.tables
        )

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
        """Return a kept table: as this version declares it, if it does, with the columns that only others know."""
        return self.record_of(self.tables.get(name, self.kept[name]))

    def keeps(self, table: Table) -> bool:
        """Return whether the store has a table; one that a coming version adds is not there yet."""
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
