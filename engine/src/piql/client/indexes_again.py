"""Compares the indexes of a table with its rows, beside writers, and mends the entries that differ.

    snapshot:  rows of the table, some at a time  →  the entries that each index should hold  ┐
               entries of each index, some at a time  ─────────────────────────────────────── ┴→  stray entries
    repair:    in a transaction for each entry: what its row now gives it

Memory holds the entries of all rows, or those of a sample of rows. Stores without transactions settle their entries
whenever they are read (docs/decisions/0011), and have no state of one moment: they are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from piql.client.database import Database
from piql.client.entries_again import EntriesAgain, Stray
from piql.client.recounted import MOST_ROUNDS, STEP_ROWS, ShownGroups, StrayEntry, Tell
from piql.client.recounts import steps_of
from piql.client.sample import Sample
from piql.errors import DeployedMeanwhile, NotDeployed, SnapshotUnavailable
from piql.runtime.deployment import Deployment
from piql.runtime.writing.transactional import TableWriter
from piql.schema.catalog import Table
from piql.store.rows import Row


@dataclass(frozen=True, slots=True)
class IndexesAgain:
    """The indexes of a table, compared with `rows` of its rows: all of them unless it `is_sample`.

    `strays` are those of the last comparison, `mended` the entries that were written before it.
    """

    table: str
    rows: int
    indexes: int
    strays: tuple[StrayEntry, ...]
    mended: int = 0
    is_sample: bool = False


def tables_with_indexes(deployment: Deployment) -> list[Table]:
    """Return the tables, without the views, that have an index."""
    return [table for table in deployment.tables.values() if table.view is None and deployment.indexes_of(table)]


def tables_named(deployment: Deployment, names: Sequence[str]) -> list[Table]:
    """Return the tables of these names; raise NotDeployed for one that is not deployed, or is a view."""
    tables = {name: table for name, table in deployment.tables.items() if table.view is None}
    for name in names:
        if name not in tables:
            raise NotDeployed(f"no table {name!r} is deployed; there are: {', '.join(tables) or 'none'}")
    return [tables[name] for name in names]


def compare_indexes(
    db: Database,
    table: Table,
    tell: Tell | None = None,
    step_rows: int = STEP_ROWS,
    most: int | None = None,
    *,
    repair: bool = False,
) -> IndexesAgain:
    """Compare all indexes of a table with its rows, or with a sample of at most `most` rows, drawn anew each time.

    With `repair` the entries that differ are written, until none does; it gives up after MOST_ROUNDS comparisons.

    Raises SnapshotUnavailable where the store cannot show one state for so long, and DeployedMeanwhile.
    """
    if db.store.row_writes is not None:
        raise SnapshotUnavailable(
            f"the indexes of {table.name} are not compared: this store has no state of one moment, and settles its "
            "entries as they are read"
        )
    work = _Comparing(db, table, step_rows, most)
    mended = 0
    for _ in range(MOST_ROUNDS - 1 if repair else 0):
        strays = work.compare(tell)
        if not strays:
            return work.result(strays, mended)
        for stray in strays:
            work.mend(stray)
        mended += len(strays)
    return work.result(work.compare(tell), mended)


class _Comparing:
    """What one table needs for its indexes to be compared."""

    def __init__(self, db: Database, table: Table, step_rows: int, most: int | None) -> None:
        self._deployment, self._store = db.deployment, db.store
        self._table, self._step_rows = table, step_rows
        self._writer = TableWriter(table, db.deployment, db.store)
        self._most = most
        self._shown = ShownGroups(table, db.store)
        self._rows = 0
        self._sample = Sample(most)

    def compare(self, tell: Tell | None) -> tuple[Stray, ...]:
        """Read the rows and the entries of one moment; return what differs."""
        sample = self._sample = Sample(self._most)
        records: dict[Row, Row] = {}
        walked = 0
        with self._store.snapshot():
            self._refuse_others(self._store.version())
            for step in steps_of(self._store, self._table, self._step_rows):
                walked += len(step)
                records.update((key, record) for record in step if sample.holds(key := self._writer.key_of(record)))
                sample.prune(records)
                if tell is not None:
                    tell(self._table.name, walked)
            entries = self._entries()
            for record in records.values():
                entries.add(record)
            strays = tuple(entries.strays(sample))
        self._rows = len(records)
        return strays

    def mend(self, stray: Stray) -> None:
        """Write an entry as its row gives it."""
        with self._store.transaction() as transaction:
            self._refuse_others(transaction.version())
            self._entries().mend(transaction, stray)

    def result(self, strays: Sequence[Stray], mended: int) -> IndexesAgain:
        """Return what the last comparison has found, for people."""
        named = tuple(
            StrayEntry(stray.entries.index.name, self._shown.group(stray.row), stray.is_lacking) for stray in strays
        )
        indexes = len(self._writer.indexes)
        return IndexesAgain(self._table.name, self._rows, indexes, named, mended, not self._sample.is_whole)

    def _entries(self) -> EntriesAgain:
        return EntriesAgain(self._table, self._writer, self._store, self._step_rows)

    def _refuse_others(self, epoch: int) -> None:
        if epoch != self._deployment.epoch:
            raise DeployedMeanwhile("another version was deployed meanwhile: begin again")
