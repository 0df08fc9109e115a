"""Checks rows of a file against the constraints of their table without writing: a dry run.

Problems name the column of the table.

All rows that went through one `RowCheck` count, as if they were in. Only bounded reads are made: the record of each
key, the owner of each unique value, the parents named, one count of each group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from piql.client.database import Database
from piql.errors import PiqlError
from piql.files.problems import Problem
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.table_rules.constraints import GroupCount, ReferenceCheck, UniqueCheck
from piql.runtime.writing.transactional import TableWriter
from piql.store.base import Batch, Reads, Row, Store


class NumberedRow(NamedTuple):
    """A row with the line that it stands in."""

    line: int
    values: Mapping[str, Any]


class StoreReads:
    """Reads of a store one by one, outside of any transaction."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, read: Any, arguments: tuple[Any, ...]) -> list[Row]:
        return self._store.read_many([Batch(read, [arguments])])[0][0]

    def count(self, read: Any, arguments: tuple[Any, ...]) -> int:
        return len(self.read(read, arguments))


class _Counted(NamedTuple):
    """One row whose values fit: its line, key, record, and the record that the store has of that key."""

    line: int
    key: Row
    record: Row
    old: Row | None


def _digest(values: Row) -> int:
    """Return a number that stands for values, so that many rows of a file need little memory."""
    return int.from_bytes(blake2b(repr(values).encode("utf-8", "backslashreplace"), digest_size=8).digest(), "big")


class RowCheck:
    """The rows of one load into one table."""

    def __init__(self, db: Database, table: str) -> None:
        deployment = db.deployment
        self._store = db.store
        self._writer = TableWriter(deployment.table(table), deployment, db.store)
        self._reads: Reads = StoreReads(db.store)
        self._lines: dict[int, int] = {}
        self._owners: list[dict[int, int]] = [{} for _ in self._unique]
        self._counts: list[dict[int, int]] = [{} for _ in self._limits]
        self._named: list[set[int]] = [set() for _ in self._references]
        self.new = self.changed = self.unchanged = 0

    @property
    def _unique(self) -> list[UniqueCheck]:
        return [*self._writer.unique, *self._writer.guards.unique]

    @property
    def _limits(self) -> list[GroupCount]:
        return [*self._writer.limits, *self._writer.guards.limits]

    @property
    def _references(self) -> list[ReferenceCheck]:
        return [*self._writer.references, *self._writer.guards.references]

    def problems(self, rows: Sequence[NumberedRow]) -> list[Problem]:
        """Return what the constraints refuse of some further rows, which are checked as one batch."""
        problems: list[Problem] = []
        counted = self._counted(rows, problems)
        for check in (self._check_unique, self._check_columns, self._check_limits, self._check_references):
            check(counted, problems)
        refused = {problem.line for problem in problems}
        for row in counted:
            if row.line not in refused:
                self.new += row.old is None
                self.changed += row.old is not None and row.old != row.record
                self.unchanged += row.old == row.record
        return sorted(problems, key=lambda problem: problem.line or 0)

    def _counted(self, rows: Sequence[NumberedRow], problems: list[Problem]) -> list[_Counted]:
        """Make the records, and read what the store has of their keys."""
        writer = self._writer
        made: list[tuple[int, Row, Row]] = []
        for line, values in rows:
            try:
                record = writer.make(values)
            except PiqlError as refusal:
                problems.append(Problem(line, str(refusal)))
                continue
            key = writer.key_of(record)
            earlier = self._lines.setdefault(_digest(key), line)
            if earlier != line:
                why = f"it has the primary key of line {earlier}: one of the two would be lost"
                problems.append(Problem(line, why, writer.table.primary_key[0]))
                continue
            made.append((line, key, record))
        found = self._store.read_many([Batch(writer.get, [key for _, key, _ in made])])[0] if made else []
        counted = []
        for (line, key, record), answer in zip(made, found, strict=True):
            old = answer[0] if answer else None
            counted.append(_Counted(line, key, writer.keep_hidden(old, record), old))
        return counted

    def _check_unique(self, rows: Sequence[_Counted], problems: list[Problem]) -> None:
        for check, owners in zip(self._unique, self._owners, strict=True):
            for row in rows:
                value = check.value(row.record)
                if value is None:
                    continue
                mine = _digest(row.key)
                if owners.setdefault(_digest(value), mine) != mine:
                    problems.append(Problem(row.line, str(check.violation(value)), check.columns[0]))
                    continue
                if check.value(row.old) == value:
                    continue
                owner = check.owner(self._reads, value)
                if owner is not None and owner != row.key and _digest(owner) not in self._lines:
                    problems.append(Problem(row.line, str(check.violation(value)), check.columns[0]))

    def _check_columns(self, rows: Sequence[_Counted], problems: list[Problem]) -> None:
        """Check what the version on its way demands of values, and what other rows name of a row that changes."""
        guards = self._writer.guards
        for row in rows:
            try:
                for column in guards.columns:
                    column.check(self._reads, Meter(), row.old, row.record)
                if row.old is not None and row.old != row.record:
                    for referrer in (*self._writer.referrers, *guards.referrers):
                        referrer.check(self._reads, Meter(), row.old, row.record)
            except PiqlError as refusal:
                problems.append(Problem(row.line, str(refusal)))

    def _check_limits(self, rows: Sequence[_Counted], problems: list[Problem]) -> None:
        """Count the groups with all rows so far; of a group that is too full, the last rows are the ones too many."""
        for check, counts in zip(self._limits, self._counts, strict=True):
            gains: list[tuple[_Counted, Row]] = []
            changes: Counter[Row] = Counter()
            for row in rows:
                before, after = check.groups(row.old), check.groups(row.record)
                gains.extend((row, group) for group in after - before)
                changes.update(dict.fromkeys(after - before, 1))
                changes.subtract(dict.fromkeys(before - after, 1))
            excess: dict[Row, int] = {}
            for group, change in changes.items():
                digest = _digest(group)
                if digest not in counts:
                    counts[digest] = check.count(self._reads, group)
                counts[digest] += change
                if counts[digest] > check.limit.limit:
                    excess[group] = counts[digest] - check.limit.limit
                    counts[digest] = check.limit.limit
            for row, group in reversed(gains):
                if excess.get(group):
                    excess[group] -= 1
                    problems.append(Problem(row.line, str(check.violation(group)), check.limit.columns[0]))

    def _check_references(self, rows: Sequence[_Counted], problems: list[Problem]) -> None:
        """Look for each parent once; a row of the same file may be the parent of another."""
        for check, named in zip(self._references, self._named, strict=True):
            if check.own_key is not None:
                named.update(_digest(check.own_key(row.record)) for row in rows)
            missing: dict[Row, bool] = {}
            for row in rows:
                value = check.value(row.record)
                if value is None or _digest(check.as_key(value) or ()) in named:
                    continue
                if value not in missing:
                    missing[value] = not check.exists(self._reads, value)
                if missing[value]:
                    problems.append(Problem(row.line, str(check.violation(value)), check.columns[0]))
