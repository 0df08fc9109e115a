"""Counts a view again on a store without transactions, where no two reads see one moment: groups that rest meanwhile.

    the rows of the view        each with the name of the write that left it
    the rows of its table       what they give each group
    the entries of its indexes
    the intents of all logs     groups to which a write in progress may add something
    the rows of the view        the same names again?

A group whose name is the same before and after, and which no intent concerns, has counted nothing meanwhile: a write
whose record was read, and which is not in the group yet, has its intent in its log. So what the table gives is what the
group must hold. Other groups are compared in the next round. A group without a row has a name, too, once it is looked
for: in the second round. A repair puts a row on the condition that the name is still the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from piql.client.database import Database
from piql.client.entries_again import EntriesAgain, Stray
from piql.client.recounted import MOST_ROUNDS, Recount, ShownGroups, StoreReads, StrayEntry, Tell
from piql.client.sample import Sample
from piql.errors import ConstraintViolation, DeployedMeanwhile
from piql.runtime.deployment import Redeployed
from piql.runtime.writing.stepped.folding import Gains
from piql.runtime.writing.stepped.intents import intents_of, processes
from piql.runtime.writing.stepped.writer import SteppedWriter
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.transactional import TableWriter
from piql.schema.catalog import Table
from piql.schema.view_joins import walked_table
from piql.store.base import Store
from piql.store.rows import WRITE, Row
from piql.versions.change.filling import Walk

_SETTLED_AFTER_SECONDS = 1.0  # intents that are older are settled first, so that their groups rest


@dataclass(frozen=True, slots=True)
class _Differing:
    """A group that rests, as `write` left it (None for no row at all), with what it holds and what its rows give."""

    key: Row
    write: str | None
    held: Row | None
    gives: Row | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A recount, and what a repair must know of it: keys of rows that are not counted, groups and entries."""

    recount: Recount
    differing: tuple[_Differing, ...]
    strays: tuple[Stray, ...]
    left_out: tuple[Row, ...]


@dataclass(slots=True)
class _Round:
    """What one round has read: groups with the names of their writes, before and after, and what rows give them."""

    before: dict[Row, tuple[Row, str]]
    after: dict[Row, tuple[Row, str]]
    gives: Gains
    busy: set[Row]
    left_out: list[Row]
    strays: list[Stray]
    rows: int

    @property
    def groups(self) -> set[Row]:
        """Return the keys of all groups that were met, with a row or without."""
        strays = {stray.row for stray in self.strays}
        return strays | self.gives.keys() | self.before.keys() | self.after.keys()


class SteppedRecounting:
    """What one view needs to be counted again, by a walk of the table whose records decide."""

    def __init__(self, db: Database, view: Table, step_rows: int, most: int | None = None) -> None:
        assert view.view is not None
        assert db.store.row_writes is not None
        self._db = db
        self._sample = Sample(most)
        self._view = view
        self._deployment, self._store = db.deployment, db.store
        self._row_writes, self._step_rows = db.store.row_writes, step_rows
        self._table = self._deployment.tables[walked_table(view.view, self._deployment.tables)]
        identity = WriterIdentity(db.store.row_writes)
        table_writer = TableWriter(self._table, self._deployment, self._store)
        self._writer = SteppedWriter(table_writer, self._deployment, self._store, identity)
        self._of_view = self._writer.views.of(view.name)
        self._number = self._writer.views.number_of(view.name)
        self._groups_writer = TableWriter(view, self._deployment, self._store)
        self._shown = ShownGroups(view, self._store)
        self._absent: dict[Row, str | None] = {}  # groups that showed no row, with the name of the write that left them

    def compare(self, tell: Tell | None) -> Comparison:
        """Compare all groups that rest in one of some rounds; raise DeployedMeanwhile."""
        differing: dict[Row, _Differing] = {}
        strays: list[Stray] = []
        waiting: set[Row] | None = None
        for _ in range(MOST_ROUNDS):
            self._db.sweep(older_than=_SETTLED_AFTER_SECONDS)
            taken = self._round(tell)
            resting = self._resting(taken)
            for key in resting if waiting is None else resting & waiting:
                group = self._differing(taken, key)
                if group is not None:
                    differing[key] = group
            strays += [stray for stray in taken.strays if stray.row in resting]
            busy = taken.groups - resting
            waiting = busy if waiting is None else set(filter(self._sample.holds, waiting - resting))
            if not waiting:
                break
        differing_groups, stray_entries = tuple(differing.values()), tuple(dict.fromkeys(strays))
        recount = Recount(
            self._view.name,
            taken.rows,
            len(taken.gives),
            tuple(self._shown.difference(group.key, group.held, group.gives) for group in differing_groups),
            strays=tuple(
                StrayEntry(stray.entries.index.name, self._shown.group(stray.row), stray.is_lacking)
                for stray in stray_entries
            ),
            busy=len(waiting or ()),
            left_out=len(taken.left_out),
            is_sample=not self._sample.is_whole,
        )
        return Comparison(recount, differing_groups, stray_entries, tuple(taken.left_out))

    def repair(self, comparison: Comparison) -> tuple[int, int]:
        """Write what differs anew, if it still rests; return how many groups and entries were."""
        self._refuse_others()
        for key in comparison.left_out:
            try:
                self._writer.count(key)
            except Redeployed:
                self._refuse_others()
        repaired = sum(self._of_view.correct(group.key, group.write, group.gives) for group in comparison.differing)
        for stray in comparison.strays:
            self._of_view.mend(stray.entries, stray.key, stray.row)
        return repaired, len(comparison.strays)

    def _round(self, tell: Tell | None) -> _Round:
        """Read all once, in the order that the comparison rests on."""
        self._refuse_others()
        before = self._groups()
        gives: Gains = {}
        left_out: list[Row] = []
        rows = 0
        for step in _steps(self._store, self._deployment.record_of(self._table), self._step_rows):
            rows += len(step)
            records = [(tuple(columns), write) for *columns, write in step]
            self._count(gives, records)
            for image, write in records:
                if self._writer.views.leave_out(image, write):
                    left_out.append(self._writer.records.key_of(image))
            self._sample.prune(gives)
            if tell is not None:
                tell(self._view.name, rows)
        self._sample.prune(before)
        entries = EntriesAgain(self._view, self._groups_writer, self._store, self._step_rows)
        for row, _ in before.values():
            entries.add(row)
        strays = list(entries.strays(self._sample))
        busy = self._busy()
        after = self._groups()
        self._refuse_others()
        for groups in (before, gives):
            self._sample.prune(groups)
        strays = [stray for stray in strays if self._sample.holds(stray.row)]
        return _Round(before, after, gives, busy, left_out, strays, rows)

    def _count(self, gives: Gains, records: Sequence[tuple[Row, str]]) -> None:
        """Add what records give their groups; of a view of several tables, those that have not changed meanwhile.

        While a record is as it was, so is what the view takes of the rows that it names. Others are read again.
        """
        is_joined = self._of_view.is_of_several_tables
        while records:
            rows = self._of_view.rows_of(records)
            keys = [self._writer.records.key_of(image) for image, _ in records] if is_joined else []
            now = self._writer.records.find_many(keys) if keys else [None] * len(records)
            changed: list[tuple[Row, str]] = []
            for (_, write), row, record in zip(records, rows, now, strict=True):
                if is_joined and (record is None or record.write != write):
                    image = self._writer.records.image(record)
                    changed += [(image, record.write)] if record is not None and image is not None else []
                elif row is not None:
                    self._of_view.count(gives, row)
            records = changed

    def _resting(self, taken: _Round) -> set[Row]:
        """Return the groups that nobody has changed during a round."""
        absent = [key for key in taken.groups if key not in taken.after]
        known = self._absent
        names = [record.write if record is not None else None for record in self._of_view.find_groups(absent)]
        self._absent = dict(zip(absent, names, strict=True))
        resting = {
            key for key in taken.before.keys() & taken.after.keys() if taken.before[key][1] == taken.after[key][1]
        }
        resting |= {
            key for key, name in self._absent.items() if key in known and known[key] == name and key not in taken.before
        }
        return resting - taken.busy

    def _differing(self, taken: _Round, key: Row) -> _Differing | None:
        row, name = taken.after.get(key, (None, self._absent.get(key)))
        gives = self._row(key, taken.gives)
        return None if row == gives else _Differing(key, name, row, gives)

    def _row(self, key: Row, gives: Gains) -> Row | None:
        try:
            return self._of_view.row_of(key, gives.get(key))
        except ConstraintViolation as violation:
            group = ", ".join(f"{name} = {value!r}" for name, value in self._shown.group(key).items())
            raise ConstraintViolation(f"{group}: {violation}") from None

    def _groups(self) -> dict[Row, tuple[Row, str]]:
        """Return the rows of the view by their keys, each with the name of the write that left it."""
        record = self._deployment.record_of(self._view)
        names = [column.name for column in self._view.columns]
        positions = [names.index(name) for name in self._view.primary_key]
        groups: dict[Row, tuple[Row, str]] = {}
        for step in _steps(self._store, record, self._step_rows):
            for row in step:
                groups[tuple([row[position] for position in positions])] = (self._of_view.shown(row), row[-1])
            self._sample.prune(groups)
        return groups

    def _busy(self) -> set[Row]:
        """Return the groups that a write in progress may concern."""
        groups: set[Row] = set()
        for process in processes(self._row_writes):
            for intent in intents_of(self._row_writes, process):
                if intent.table == self._view.name:
                    groups.add(intent.key)
                elif intent.table == self._table.name:
                    groups |= self._writer.gains_of(intent).get(self._number, {}).keys()
        return groups

    def _refuse_others(self) -> None:
        if self._store.version() != self._deployment.epoch:
            raise DeployedMeanwhile("another version was deployed meanwhile: begin again")


def repair_by_steps(db: Database, view: Table, tell: Tell | None, step_rows: int, most: int | None = None) -> Recount:
    """Count a view again and write what differs, until nothing does; give up after MOST_ROUNDS recounts.

    With `most`, all recounts are of one sample of so many groups.
    """
    work = SteppedRecounting(db, view, step_rows, most)
    repaired = mended = 0
    for _ in range(MOST_ROUNDS - 1):
        comparison = work.compare(tell)
        if comparison.recount.is_right:
            return replace(comparison.recount, repaired=repaired, mended=mended)
        groups, entries = work.repair(comparison)
        repaired, mended = repaired + groups, mended + entries
    return replace(work.compare(tell).recount, repaired=repaired, mended=mended)


def _steps(store: Store, record: Table, rows: int) -> Iterator[list[Row]]:
    """Yield the records of a table, each with the name of the write that left it, at most `rows` at a time."""
    walk = Walk(store, record, record.primary_index(), [*(column.name for column in record.columns), WRITE])
    reads, place = StoreReads(store), None
    while True:
        step = walk.read(reads, place, rows)
        yield [row for _, row in step]
        if len(step) < rows:
            return
        place = step[-1][0]
