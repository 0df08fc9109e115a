"""Counts the rows of a view again, beside writers, and writes what its table gives where the view holds something else.

    snapshot:  rows of the table, some at a time  →  numbers of each group  ┐
               rows of the view, some at a time   ────────────────────────  ┴→  differences
    repair:    in a transaction for each group, if it still holds what it held: the row that its table gives

A write changes a group by what its row adds. So a group that is unchanged since the snapshot still differs by the same,
unless it was emptied and came back as it was. Then the next recount tells: a repair ends with one. The indexes of the
view are compared with its rows (`entries_again`). Memory holds the numbers of all groups of a view, and its entries, or
those of a sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from piql.client.database import Database
from piql.client.entries_again import EntriesAgain, Stray
from piql.client.recounted import MOST_ROUNDS, STEP_ROWS, Recount, ShownGroups, StoreReads, StrayEntry, Tell
from piql.client.sample import Sample
from piql.client.stepped_recounts import SteppedRecounting, repair_by_steps
from piql.errors import ConstraintViolation, DeployedMeanwhile, NotDeployed
from piql.runtime.deployment import Deployment
from piql.runtime.writing.kept_view import CountedView
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.transactional import TableWriter
from piql.schema.catalog import Table
from piql.schema.view_joins import walked_table
from piql.store.base import Batch, ReadShape, Store
from piql.store.rows import Row


def views_named(deployment: Deployment, names: Sequence[str]) -> list[Table]:
    """Return the views of these names, all without a name; raise NotDeployed for a name of no view."""
    views = {name: table for name, table in deployment.tables.items() if table.view is not None}
    for name in names:
        if name not in views:
            known = ", ".join(views) or "none"
            raise NotDeployed(f"no view {name!r} is deployed; there are: {known}")
    return [views[name] for name in names] if names else list(views.values())


def recount(
    db: Database, view: Table, tell: Tell | None = None, step_rows: int = STEP_ROWS, most: int | None = None
) -> Recount:
    """Count a view again, by reads of `step_rows` rows, of one state where the store has transactions.

    With `most`, only so many of its groups, drawn anew each time, are counted and compared.

    Raises SnapshotUnavailable where the store cannot show one state for so long, and DeployedMeanwhile.
    """
    if db.store.row_writes is not None:
        return SteppedRecounting(db, view, step_rows, most).compare(tell).recount
    return _Recounting(db, view, step_rows, most).compare(tell).recount


def repair(
    db: Database, view: Table, tell: Tell | None = None, step_rows: int = STEP_ROWS, most: int | None = None
) -> Recount:
    """Count a view again and write the groups that differ, until none does; give up after MOST_ROUNDS recounts.

    With `most`, each recount is of another sample.

    Raises as `recount`, and ConstraintViolation for a group whose sum its column cannot hold.
    """
    if db.store.row_writes is not None:
        return repair_by_steps(db, view, tell, step_rows, most)
    work = _Recounting(db, view, step_rows, most)
    repaired = mended = 0
    for _ in range(MOST_ROUNDS - 1):
        comparison = work.compare(tell)
        if comparison.recount.is_right:
            return replace(comparison.recount, repaired=repaired, mended=mended)
        repaired += sum(work.write(key, held, gives) for key, held, gives in comparison.differing)
        mended += len(comparison.strays)
        for stray in comparison.strays:
            work.mend(stray)
    return replace(work.compare(tell).recount, repaired=repaired, mended=mended)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A recount, and for each difference its key with the two rows as they are stored, and the stray entries."""

    recount: Recount
    differing: tuple[tuple[Row, Row | None, Row | None], ...]
    strays: tuple[Stray, ...]


class _Recounting:
    """What one view needs to be counted again."""

    def __init__(self, db: Database, view: Table, step_rows: int, most: int | None) -> None:
        assert view.view is not None
        self._deployment = db.deployment
        self._store = db.store
        self._step_rows = step_rows
        self._most = most
        self._view = view
        self._base = self._deployment.kept_as_declared(walked_table(view.view, self._deployment.tables))
        self._writer = TableWriter(view, self._deployment, self._store)
        self._counted = CountedView(view, self._base, self._deployment, self._store, self._writer)
        self._kept = self._counted.view
        self._reads = StoreReads(self._store)
        self._shown = ShownGroups(view, self._store)

    def compare(self, tell: Tell | None) -> _Comparison:
        """Count the rows of the table, and compare each group with the view, as both are at one moment."""
        sample = Sample(self._most)
        groups: dict[Row, list[Any]] = {}
        rows = 0
        differing: list[tuple[Row, Row | None, Row | None]] = []
        with self._store.snapshot():
            self._refuse_others(self._store.version())
            for step in steps_of(self._store, self._base, self._step_rows):
                rows += len(step)
                for record in step:
                    for row in self._counted.rows(self._reads, record):
                        self._kept.count(groups, row)
                sample.prune(groups)
                if tell is not None:
                    tell(self._view.name, rows)
            number = len(groups)
            entries = self._entries()
            for step in steps_of(self._store, self._view, self._step_rows):
                for held in step:
                    key = self._kept.key_of(held)
                    if not sample.holds(key):
                        continue
                    entries.add(held)
                    gives = self._row(key, groups.pop(key, None))
                    if held != gives:
                        differing.append((key, held, gives))
            strays = tuple(entries.strays(sample))
        differing += [(key, None, self._row(key, numbers)) for key, numbers in groups.items()]
        shown = tuple(self._shown.difference(*difference) for difference in differing)
        named = tuple(
            StrayEntry(stray.entries.index.name, self._shown.group(stray.row), stray.is_lacking) for stray in strays
        )
        result = Recount(self._view.name, rows, number, shown, strays=named, is_sample=not sample.is_whole)
        return _Comparison(result, tuple(differing), strays)

    def _entries(self) -> EntriesAgain:
        return EntriesAgain(self._view, self._writer, self._store, self._step_rows)

    def mend(self, stray: Stray) -> None:
        """Write an entry as the row of its group gives it."""
        with self._store.transaction() as transaction:
            self._refuse_others(transaction.version())
            self._entries().mend(transaction, stray)

    def write(self, key: Row, held: Row | None, gives: Row | None) -> bool:
        """Write what the table gives for a group, if the view still holds what it held; return whether it did."""
        with self._store.transaction() as transaction:
            self._refuse_others(transaction.version())
            if self._writer.read(transaction, Meter(), key) != held:
                return False
            self._writer.apply(transaction, Meter(), held, gives)
        return True

    def _refuse_others(self, epoch: int) -> None:
        if epoch != self._deployment.epoch:
            raise DeployedMeanwhile("another version was deployed meanwhile: begin again")

    def _row(self, key: Row, numbers: list[Any] | None) -> Row | None:
        """Return the row of a group as it is stored; raise ConstraintViolation for a sum that does not fit."""
        try:
            return None if numbers is None else self._kept.row_of(key, numbers)
        except ConstraintViolation as violation:
            group = ", ".join(f"{name} = {value!r}" for name, value in self._shown.group(key).items())
            raise ConstraintViolation(f"{group}: {violation}") from None


def steps_of(store: Store, table: Table, rows: int) -> Iterator[list[Row]]:
    """Yield the records of a table in the order of their keys, at most `rows` at a time."""
    names = tuple(column.name for column in table.columns)
    shape = ReadShape(table, table.primary_index(), names, 0)
    first = store.prepare(shape)
    further = store.prepare(replace(shape, after_length=len(table.primary_key)))
    at = [names.index(name) for name in table.primary_key]
    ((step,),) = store.read_many([Batch(first, [(rows,)])])
    while step:
        yield step
        if len(step) < rows:
            return
        last = step[-1]
        ((step,),) = store.read_many([Batch(further, [(*(last[position] for position in at), rows)])])
