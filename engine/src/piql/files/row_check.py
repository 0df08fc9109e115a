"""Checks rows of a file against the constraints of their table without writing: a dry run.

Every row that one `RowCheck` has seen counts as if it were in the table. Only bounded reads are made: the record of
each key, the owner of each unique value, each parent once, one count of each group. Problems name columns of the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from piql.client.database import Database
from piql.errors import PiqlError
from piql.files.problems import Problem
from piql.runtime.execution.supplied import Occasion, utc_now
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.table_rules.constraints import GroupCount, ReferenceCheck, UniqueCheck
from piql.runtime.writing.transactional import TableWriter
from piql.store.base import Batch, Reads, Store
from piql.store.rows import Row


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


class _Candidate(NamedTuple):
    """One row whose values fit their types: its line, key, record, and the record that the store has of that key."""

    line: int
    key: Row
    record: Row
    old: Row | None


def _digest(values: Row) -> int:
    """Return a number that stands for values, so that many rows of a file need little memory."""
    return int.from_bytes(blake2b(repr(values).encode("utf-8", "backslashreplace"), digest_size=8).digest(), "big")


def same_key(earlier: int) -> str:
    """Return what is wrong with a row whose key one in an earlier line has."""
    return f"it has the primary key of line {earlier}: one of the two would be lost"


class RowCheck:
    """The rows of one load into one table, given in batches to `problems`.

    `new`, `changed` and `unchanged` count the rows without a problem; `known_lines` are those of the last batch whose
    key the store has already. Keys and values are remembered by their digests.
    """

    def __init__(self, db: Database, table: str) -> None:
        deployment = db.deployment
        self._store = db.store
        self._writer = TableWriter(deployment.written_table(table), deployment, db.store)
        self._reads: Reads = StoreReads(db.store)
        self._lines: dict[int, int] = {}  # primary key → line
        self._owners: list[dict[int, int]] = [{} for _ in self._unique]  # unique value → primary key
        self._counts: list[dict[int, int]] = [{} for _ in self._limits]  # group → its rows, those of the load included
        self._parents: list[set[int]] = [set() for _ in self._references]  # keys in the load to which rows may refer
        self.new = self.changed = self.unchanged = 0
        self.known_lines: frozenset[int] = frozenset()

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
        candidates = self._candidates(rows, problems)
        for check in (self._check_unique, self._check_columns, self._check_limits, self._check_references):
            check(candidates, problems)
        refused = {problem.line for problem in problems}
        self.known_lines = frozenset(row.line for row in candidates if row.old is not None)
        for row in candidates:
            if row.line not in refused:
                self.new += row.old is None
                self.changed += row.old is not None and row.old != row.record
                self.unchanged += row.old == row.record
        return sorted(problems, key=lambda problem: problem.line or 0)

    def _candidates(self, rows: Sequence[NumberedRow], problems: list[Problem]) -> list[_Candidate]:
        """Return the rows that fit the types of the columns, and add the problems of all others.

        The records of their keys are read from the store, all in one request.
        """
        writer = self._writer
        fitting: list[_Candidate] = []
        completed = writer.completed([row.values for row in rows], Occasion(utc_now))
        for (line, _), values in zip(rows, completed, strict=True):
            try:
                record = writer.make(values)
            except PiqlError as refusal:
                problems.append(Problem(line, str(refusal)))
                continue
            key = writer.key_of(record)
            earlier = self._lines.setdefault(_digest(key), line)
            if earlier != line:
                problems.append(Problem(line, same_key(earlier), writer.table.primary_key[0]))
                continue
            fitting.append(_Candidate(line, key, record, None))
        answers = self._store.read_many([Batch(writer.get, [row.key for row in fitting])])[0] if fitting else []
        candidates: list[_Candidate] = []
        for row, answer in zip(fitting, answers, strict=True):
            old = answer[0] if answer else None
            candidates.append(row._replace(record=writer.keep_hidden(old, row.record), old=old))
        return candidates

    def _check_unique(self, rows: Sequence[_Candidate], problems: list[Problem]) -> None:
        """Compare each unique value with those of the load, then with its owner in the store."""
        for check, owners in zip(self._unique, self._owners, strict=True):
            for row in rows:
                value = check.value(row.record)
                if value is None:
                    continue
                key = _digest(row.key)
                if owners.setdefault(_digest(value), key) != key:
                    problems.append(Problem(row.line, str(check.violation(value)), check.columns[0]))
                    continue
                if check.value(row.old) == value:
                    continue
                owner = check.owner(self._reads, value)
                if owner is not None and owner != row.key and _digest(owner) not in self._lines:
                    problems.append(Problem(row.line, str(check.violation(value)), check.columns[0]))

    def _check_columns(self, rows: Sequence[_Candidate], problems: list[Problem]) -> None:
        """Check what a version on its way demands of values, and whether other rows refer to a value that changes."""
        guards = self._writer.guards
        for row in rows:
            try:
                for column in guards.columns:
                    column.check(self._reads, Meter(), row.old, row.record)
                for check in guards.rows:
                    check.check_change(row.old, row.record)
                if row.old is not None and row.old != row.record:
                    for referrer in (*self._writer.referrers, *guards.referrers):
                        referrer.check(self._reads, Meter(), row.old, row.record)
            except PiqlError as refusal:
                problems.append(Problem(row.line, str(refusal)))

    def _check_limits(self, rows: Sequence[_Candidate], problems: list[Problem]) -> None:
        """Count each group with the rows of the load so far; of a group that is too large the last rows are refused."""
        for check, counts in zip(self._limits, self._counts, strict=True):
            gains: list[tuple[_Candidate, Row]] = []
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
                    problems.append(
                        Problem(row.line, str(check.violation(group)), next(iter(check.limit.columns), None))
                    )

    def _check_references(self, rows: Sequence[_Candidate], problems: list[Problem]) -> None:
        """Look for each parent once; a row of the same file may be the parent of another."""
        for check, parents in zip(self._references, self._parents, strict=True):
            if check.own_key is not None:
                parents.update(_digest(check.own_key(row.record)) for row in rows)
            missing: dict[Row, bool] = {}
            for row in rows:
                value = check.value(row.record)
                if value is None or _digest(check.as_key(value) or ()) in parents:
                    continue
                if value not in missing:
                    missing[value] = not check.exists(self._reads, value)
                if missing[value]:
                    problems.append(Problem(row.line, str(check.violation(value)), check.columns[0]))
