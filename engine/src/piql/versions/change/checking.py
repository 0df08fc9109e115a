"""Checks existing rows against the constraints of a coming version, and counts those that break one.

By then every writer enforces the new constraints, too, so a row that was checked stays right.
"""

from __future__ import annotations

from dataclasses import replace

from piql.runtime.deployment import Deployment
from piql.runtime.writing.table_rules.check_constraint import CheckConstraint
from piql.runtime.writing.table_rules.column_check import ColumnCheck
from piql.runtime.writing.table_rules.constraints import GroupCount, ReferenceCheck, named, picker
from piql.runtime.writing.table_rules.records import ValueReader
from piql.schema.catalog import CardinalityLimit, Column, Table, UniqueKey
from piql.schema.table_changes import AddedConstraints
from piql.store.base import ReadShape, Store, Transaction
from piql.store.rows import Row
from piql.versions.change.filling import Walk, moved
from piql.versions.change.progress import Offence, Progress, Task

MOST_COUNTED = 10_000  # rows of one group that breaks a limit: a larger group is reported as `10000+`


class GroupsCheck:
    """A task of the kind `groups`: a CARDINALITY LIMIT, or a UNIQUE key as a limit of 1.

    `rule` is the constraint in words, for the message about rows that break it.
    """

    def __init__(self, store: Store, table: Table, limit: CardinalityLimit, coming: Deployment, rule: str) -> None:
        group = GroupCount(table, limit, coming, store)
        self._columns, self._limit, self._rule = group.columns, limit, rule
        self._walk = Walk(store, table, group.index, ())
        shape = ReadShape(table, group.index, (), len(group.columns))
        self._is_a_key = shape.is_get
        self._count = store.prepare(shape)
        self._reader = ValueReader(table, store)

    def advance(self, transaction: Transaction, task: Task, rows: int) -> Task:
        """Walk over the next `rows` entries; return the task as it stands behind them."""
        if self._is_a_key:
            return replace(task, is_done=True)
        entries = self._walk.read(transaction, task.place, rows)
        length = len(self._columns)
        run = task.run
        for key, _ in entries:
            group = key[:length]
            if run is not None and run[0] == group:
                run = (group, run[1] + 1)
                continue
            task = self._checked(transaction, task, run)
            run = (group, 1)
        task = moved(task, entries, rows)
        return replace(self._checked(transaction, task, run) if task.is_done else task, run=run)

    def _checked(self, transaction: Transaction, task: Task, run: tuple[Row, int] | None) -> Task:
        """Return the task after a group was walked to its end, with an offence if the group has too many rows.

        The rows met on the walk are only a hint, since writers went on meanwhile: a suspect group is counted again.
        """
        if run is None:
            return task
        group, rows_met = run
        if rows_met <= self._limit.limit or None in group:
            return task
        count = transaction.count(self._count, (*group, MOST_COUNTED))
        if count <= self._limit.limit:
            return task
        if not self._columns:
            return task.against(self._rule, f"it has {count}{'+' if count == MOST_COUNTED else ''} rows")
        value = f"'{group[0]}'" if self._limit.is_token else self._reader.shown(self._columns, group)
        return task.against(self._rule, f"{value} ({count}{'+' if count == MOST_COUNTED else ''} rows)")


class RowsCheck:
    """A task of the kind `rows`: new foreign keys and CHECKs, columns that become NOT NULL or narrower."""

    def __init__(self, store: Store, record: Table, table: Table, added: AddedConstraints, coming: Deployment) -> None:
        self._walk = Walk(store, record, record.primary_index(), [column.name for column in record.columns])
        self._columns = [
            (_column_rule(record, column), ColumnCheck(record, table, column, store)) for column in added.columns
        ]
        self._references = [
            (_reference_rule(check), check)
            for check in (ReferenceCheck(table, key, coming, store, record) for key in added.references)
        ]
        self._checks = [CheckConstraint(table, check, store, record) for check in added.checks]
        self._key_of = picker(record, record.primary_key)
        self._key = record.primary_key
        self._reader = ValueReader(record, store)

    def advance(self, transaction: Transaction, task: Task, rows: int) -> Task:
        """Check the next `rows` records; return the task as it stands behind them."""
        entries = self._walk.read(transaction, task.place, rows)
        records = [record for _, record in entries]
        for rule, check in self._columns:
            for record in records:
                if not check.holds(record):
                    task = task.against(rule, self._reader.shown(self._key, self._key_of(record)))
        for row_check in self._checks:
            for record in records:
                if not row_check.holds(record):
                    key = self._reader.shown(self._key, self._key_of(record))
                    task = task.against(_check_rule(row_check), f"{key} ({row_check.shown(record)})")
        for rule, reference in self._references:
            exists: dict[Row, bool] = {}
            for record in records:
                value = reference.value(record)
                if value is None:
                    continue
                if value not in exists:
                    exists[value] = reference.exists(transaction, value)
                if not exists[value]:
                    key = self._reader.shown(self._key, self._key_of(record))
                    task = task.against(rule, f"{key} ({self._reader.shown(reference.columns, value)})")
        return moved(task, entries, rows)


def limit_rule(table: Table, limit: CardinalityLimit) -> str:
    """Return a limit in words: `thoughts: at most 100 rows may share one owner`."""
    columns = ", ".join(limit.columns)
    if not columns:
        return f"{table.name}: at most {limit.limit} rows may be in the table{named(limit)}"
    share = f"hold one word in {columns}" if limit.is_token else f"share one {columns}"
    return f"{table.name}: at most {limit.limit} rows may {share}{named(limit)}"


def unique_rule(table: Table, key: UniqueKey) -> str:
    """Return a UNIQUE key in words: `users: town must be UNIQUE`."""
    return f"{table.name}: {', '.join(key.columns)} must be UNIQUE{named(key)}"


def _reference_rule(check: ReferenceCheck) -> str:
    to = f"{check.parent.name} ({', '.join(check.referenced)})"
    return f"{check.table.name}: {', '.join(check.columns)} must name a row of {to}{named(check.key)}"


def _check_rule(check: CheckConstraint) -> str:
    return f"{check.table.name}: every row must keep {check.rule.declaration}{named(check.rule)}"


def _column_rule(record: Table, column: Column) -> str:
    old = record.column(column.name)
    requirement = "NOT NULL" if old is not None and old.nullable and not column.nullable else str(column.type)
    return f"{record.name}.{column.name} must be {requirement}"


def refusal(progress: Progress) -> str | None:
    """Return the message about all existing rows that break a constraint; None when none does."""
    sentences = [
        _sentence(rule, offence, "value" if task.kind == "groups" else "row")
        for task in progress.tasks
        for rule, offence in task.offences.items()
    ]
    return f"not deployed: {'; '.join(sentences)}" if sentences else None


def _sentence(rule: str, offence: Offence, unit: str) -> str:
    """`users: town must be UNIQUE, but 2 values break this: town = 'Oslo' (4 rows), town = 'Bergen' (2 rows)`"""
    breaks = f"1 {unit} breaks" if offence.count == 1 else f"{offence.count:,} {unit}s break"
    more = ", …" if offence.count > len(offence.sample) else ""
    return f"{rule}, but {breaks} this: {', '.join(offence.sample)}{more}"
