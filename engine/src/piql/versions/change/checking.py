"""Holds the rows there are against the constraints of a coming version, and counts those that break them.

By then every writer holds the new constraints, too: what was seen to hold goes on holding.
"""

from __future__ import annotations

from dataclasses import replace

from piql.runtime.deployment import Deployment
from piql.runtime.writing.table_rules.column_check import ColumnCheck
from piql.runtime.writing.table_rules.constraints import GroupCount, ReferenceCheck, named, picker
from piql.runtime.writing.table_rules.records import ValueReader
from piql.schema.catalog import CardinalityLimit, Column, Table, UniqueKey
from piql.schema.table_changes import AddedConstraints
from piql.store.base import ReadShape, Row, Store, Transaction
from piql.versions.change.filling import Walk, moved
from piql.versions.change.progress import Offence, Progress, Task

MOST_COUNTED = 10_000


class GroupsCheck:
    """A task of the kind `groups`: a CARDINALITY LIMIT, or a UNIQUE key as one of 1."""

    def __init__(self, store: Store, table: Table, limit: CardinalityLimit, coming: Deployment, rule: str) -> None:
        group = GroupCount(table, limit, coming, store)
        self._columns, self._limit, self._what = group.columns, limit, rule
        self._walk = Walk(store, table, group.index, ())
        shape = ReadShape(table, group.index, (), len(group.columns))
        self._is_a_key = shape.is_get
        self._count = store.prepare(shape)
        self._reader = ValueReader(table, store)

    def advance(self, transaction: Transaction, task: Task, rows: int) -> Task:
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
            task = self._closed(transaction, task, run)
            run = (group, 1)
        task = moved(task, entries, rows)
        return replace(self._closed(transaction, task, run) if task.is_done else task, run=run)

    def _closed(self, transaction: Transaction, task: Task, run: tuple[Row, int] | None) -> Task:
        """Leave a group: what rows it had while it was walked is only a hint, it is counted now."""
        if run is None or run[1] <= self._limit.limit or None in run[0]:
            return task
        count = transaction.count(self._count, (*run[0], MOST_COUNTED))
        if count <= self._limit.limit:
            return task
        value = f"'{run[0][0]}'" if self._limit.is_token else self._reader.shown(self._columns, run[0])
        return task.against(self._what, f"{value} ({count}{'+' if count == MOST_COUNTED else ''} rows)")


class RowsCheck:
    """A task of the kind `rows`: new foreign keys of a table, columns that become NOT NULL or narrower."""

    def __init__(self, store: Store, record: Table, table: Table, added: AddedConstraints, coming: Deployment) -> None:
        self._walk = Walk(store, record, record.primary_index(), [column.name for column in record.columns])
        self._columns = [
            (_column_rule(record, column), ColumnCheck(record, table, column, store)) for column in added.columns
        ]
        self._references = [
            (_reference_rule(check), check)
            for check in (ReferenceCheck(table, key, coming, store, record) for key in added.references)
        ]
        self._key_of = picker(record, record.primary_key)
        self._key = record.primary_key
        self._reader = ValueReader(record, store)

    def advance(self, transaction: Transaction, task: Task, rows: int) -> Task:
        entries = self._walk.read(transaction, task.place, rows)
        records = [record for _, record in entries]
        for rule, check in self._columns:
            for record in records:
                if not check.holds(record):
                    task = task.against(rule, self._reader.shown(self._key, self._key_of(record)))
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
    columns = ", ".join(limit.columns)
    share = f"hold one word in {columns}" if limit.is_token else f"share one {columns}"
    return f"{table.name}: at most {limit.limit} rows may {share}{named(limit)}"


def unique_rule(table: Table, key: UniqueKey) -> str:
    return f"{table.name}: {', '.join(key.columns)} must be UNIQUE{named(key)}"


def _reference_rule(check: ReferenceCheck) -> str:
    to = f"{check.parent.name} ({', '.join(check.referenced)})"
    return f"{check.table.name}: {', '.join(check.columns)} must name a row of {to}{named(check.key)}"


def _column_rule(record: Table, column: Column) -> str:
    old = record.column(column.name)
    requirement = "NOT NULL" if old is not None and old.nullable and not column.nullable else str(column.type)
    return f"{record.name}.{column.name} must be {requirement}"


def refusal(progress: Progress) -> str | None:
    """Say what the rows there are break; None when they break nothing."""
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
