"""The constraints of a table, each made ready to be checked inside a write's transaction.

GroupCount        CARDINALITY LIMIT: rows in one group            CardinalityViolation
UniqueCheck       UNIQUE: one row a value                         DuplicateKey
ReferenceCheck    FOREIGN KEY of this table: the parent exists    ForeignKeyViolation
ReferrerCheck     FOREIGN KEY to this table: no child is left     ForeignKeyViolation

Each has `check(reads, meter, old, new)`: `old` and `new` are the record before and after the write. It counts its
requests in the meter before it makes them, looks only at what the write changes, and raises the error named above with
the table, the columns, the limit and the value. `record`, where it is given, is the table as its records are stored:
with columns that only other versions know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from piql.compiler.physical.indexes.secondary_index import group_index, token_index
from piql.errors import CardinalityViolation, DuplicateKey, ForeignKeyViolation, NotDeployed
from piql.runtime.deployment import Deployment
from piql.runtime.execution.keys import key_conversion
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.table_rules.records import ValueReader
from piql.schema.catalog import CardinalityLimit, Check, ForeignKey, Index, SqlType, Table, UniqueKey
from piql.schema.words import words_of
from piql.store.base import Reads, ReadShape, Store, Transaction
from piql.store.rows import Row

Picker = Callable[[Row], Row]
"""From a record to the values of some of its columns."""


def picker(table: Table, columns: Sequence[str]) -> Picker:
    """Return the function that picks the values of some columns out of a record."""
    positions = {column.name: at for at, column in enumerate(table.columns)}
    values = "".join(f"r[{positions[name]}], " for name in columns)
    pick: Picker = eval(f"lambda r: ({values})")
    return pick


def named(constraint: CardinalityLimit | UniqueKey | ForeignKey | Check) -> str:
    """Return the name of a constraint in brackets for the end of a message; "" if it has none."""
    return f" ({constraint.name})" if constraint.name else ""


def leading(index: Index, count: int) -> tuple[str, ...]:
    """Return the names of an index's first columns."""
    return tuple(column.name for column in index.columns[:count])


def index_for(deployment: Deployment, table: Table, columns: Sequence[str]) -> Index:
    """Return an index that begins with these columns, in any order; raise NotDeployed if there is none."""
    index = group_index(table, columns, deployment.indexes_of(table))
    if index is None:
        raise NotDeployed(f"no index of {table.name} by {', '.join(columns)} is deployed: deploy the schema again")
    return index


def as_key_of(
    table: Table, names: Sequence[str], value_table: Table, value_names: Sequence[str], store: Store
) -> Callable[[Row], Row | None]:
    """Return a function from stored values of `value_table`'s columns to equal stored values of `table`'s columns.

    It returns None where no value of `table`'s columns is equal. A foreign key may have another number type than the
    key that it names, such as INT beside DECIMAL.
    """
    conversions = [
        key_conversion(_type(value_table, value_name), _type(table, name), store.codec)
        for name, value_name in zip(names, value_names, strict=True)
    ]
    if not any(conversions):
        return lambda values: values

    def converted(values: Row) -> Row | None:
        key = tuple(
            [conversion(value) if conversion else value for conversion, value in zip(conversions, values, strict=True)]
        )
        return None if None in key else key

    return converted


def _type(table: Table, name: str) -> SqlType:
    column = table.column(name)
    assert column is not None
    return column.type


class GroupCount:
    """A CARDINALITY LIMIT: counts the index entries of one group, reading at most one more than the limit."""

    def __init__(
        self, table: Table, limit: CardinalityLimit, deployment: Deployment, store: Store, record: Table | None = None
    ) -> None:
        self.table, self.limit = table, limit
        self._reader = ValueReader(table, store)
        columns: tuple[str, ...]
        if limit.is_token:
            words = token_index(limit.columns, deployment.indexes_of(table))
            if words is None:
                raise NotDeployed(f"no index of the words of {table.name} is deployed: deploy the schema again")
            index, columns = words, (words.columns[0].name,)
        else:
            index = index_for(deployment, table, limit.columns)
            columns = leading(index, len(limit.columns))
        self.columns = columns
        self.index = index
        shape = ReadShape(table, index, (), len(columns))
        self._read = store.prepare(shape)
        self._arguments = () if shape.is_get else (limit.limit + 1,)
        self._pick = picker(record or table, limit.columns if limit.is_token else self.columns)

    def groups(self, record: Row | None) -> set[Row]:
        """Return the groups that a record counts in: one for each word, or that of its columns unless one is NULL."""
        if record is None:
            return set()
        values = self._pick(record)
        if self.limit.is_token:
            return {(word,) for word in words_of(*values)}
        return set() if None in values else {values}

    def count(self, reads: Reads, group: Row) -> int:
        """Return how many rows a group has; any number above the limit may stand for more."""
        return reads.count(self._read, group + self._arguments)

    def check(self, reads: Reads, meter: Meter, old: Row | None, new: Row) -> None:
        """Raise CardinalityViolation for a record that would be one too many in a group that it enters."""
        for group in self.groups(new) - self.groups(old):
            meter.spend(1)
            if self.count(reads, group) >= self.limit.limit:
                raise self.violation(group)

    def violation(self, group: Row) -> CardinalityViolation:
        """Return the error of a row that is one too many in a group."""
        limit, table = self.limit, self.table.name
        if limit.is_token:
            rule = f"at most {limit.limit} rows hold one word in {', '.join(limit.columns)}"
            value = f"the word '{group[0]}'"
        elif not limit.columns:
            message = (
                f"{table}: at most {limit.limit} rows may be in the table{named(limit)}, and it has as many already"
            )
            return CardinalityViolation(message)
        else:
            rule = f"at most {limit.limit} rows share one {', '.join(self.columns)}"
            value = self._reader.shown(self.columns, group)
        return CardinalityViolation(f"{table}: {rule}{named(limit)}, and {value} has as many already")


class UniqueCheck:
    """A UNIQUE key: at most one row has one value, rows with NULL aside."""

    def __init__(
        self, table: Table, key: UniqueKey, deployment: Deployment, store: Store, record: Table | None = None
    ) -> None:
        self.table, self.key = table, key
        index = index_for(deployment, table, key.columns)
        self.columns = leading(index, len(key.columns))
        self._read = store.prepare(ReadShape(table, index, table.primary_key, len(self.columns)))
        self._is_get = len(self.columns) == len(index.columns)
        self.pick = picker(record or table, self.columns)
        self.primary = picker(record or table, table.primary_key)
        self._reader = ValueReader(table, store)

    def value(self, record: Row | None) -> Row | None:
        """Return the values of the key's columns; None if one of them is NULL, or without a record."""
        values = self.pick(record) if record is not None else (None,)
        return None if None in values else values

    def owner(self, reads: Reads, value: Row) -> Row | None:
        """Return the primary key of the row that has a value."""
        rows = reads.read(self._read, value if self._is_get else (*value, 1))
        return rows[0] if rows else None

    def check(self, reads: Reads, meter: Meter, old: Row | None, new: Row) -> None:
        """Raise DuplicateKey if another row has the value that a write gives to the record."""
        value = self.value(new)
        if value is None or value == self.value(old):
            return
        meter.spend(1)
        owner = self.owner(reads, value)
        if owner is not None and owner != self.primary(new):
            raise self.violation(value)

    def violation(self, value: Row) -> DuplicateKey:
        """Return the error of a row whose value another row has."""
        shown = self._reader.shown(self.columns, value)
        message = f"{self.table.name}: a row with {shown} exists already{named(self.key)}"
        return DuplicateKey(message, self.columns)


class ReferenceCheck:
    """A FOREIGN KEY of a table: the row of the parent table that it names must exist."""

    def __init__(
        self, table: Table, key: ForeignKey, deployment: Deployment, store: Store, record: Table | None = None
    ) -> None:
        self.table, self.key = table, key
        self.parent = deployment.table(key.table)
        index = index_for(deployment, self.parent, key.referenced_columns)
        count = len(key.referenced_columns)
        pairs = dict(zip(key.referenced_columns, key.columns, strict=True))
        self.referenced = leading(index, count)
        self.columns = tuple(pairs[name] for name in self.referenced)
        self.index = index
        shape = ReadShape(self.parent, index, (), count)
        self._read = store.prepare(shape)
        self._tail: tuple[Any, ...] = () if shape.is_get else (1,)
        self._has_parents = deployment.keeps(self.parent)
        self.pick = picker(record or table, self.columns)
        self.as_key = as_key_of(self.parent, self.referenced, table, self.columns, store)
        self.own_key = picker(record or table, self.referenced) if self.parent.name == table.name else None
        self._reader = ValueReader(table, store)

    def value(self, record: Row | None) -> Row | None:
        """Return the key that a record names; None when a part of it is NULL."""
        values = self.pick(record) if record is not None else (None,)
        return None if None in values else values

    def exists(self, reads: Reads, value: Row) -> bool:
        """Return whether the parent has a row with these values of the foreign key."""
        key = self.as_key(value)
        return self._has_parents and key is not None and bool(reads.read(self._read, key + self._tail))

    def first_missing(self, transaction: Transaction, values: Sequence[Row]) -> Row | None:
        """Return the first of several values of the foreign key that names no row; None where all do."""
        if self._tail:
            return next((value for value in values if not self.exists(transaction, value)), None)
        keys = {value: self.as_key(value) if self._has_parents else None for value in values}
        whole = [key for key in keys.values() if key is not None]
        there = dict(zip(whole, transaction.get_many(self._read, whole), strict=True))
        return next((value for value, key in keys.items() if key is None or there[key] is None), None)

    def check(self, reads: Reads, meter: Meter, old: Row | None, new: Row) -> None:
        """Raise ForeignKeyViolation if a write makes the record name a row that does not exist; itself is allowed."""
        value = self.value(new)
        if value is None or value == self.value(old):
            return
        meter.spend(1)
        names_itself = self.own_key is not None and self.own_key(new) == self.as_key(value)
        if not self.exists(reads, value) and not names_itself:
            raise self.violation(value)

    def violation(self, value: Row) -> ForeignKeyViolation:
        """Return the error of a row that names no row of the parent."""
        shown = self._reader.shown(self.columns, value)
        key = f"{self.parent.name} ({', '.join(self.referenced)})"
        return ForeignKeyViolation(f"{self.table.name}: {shown} names no row of {key}{named(self.key)}")


class ReferrerCheck:
    """A FOREIGN KEY of some table (the referrer) to this one: a row that is named there cannot be deleted."""

    def __init__(
        self,
        table: Table,
        referrer: Table,
        key: ForeignKey,
        deployment: Deployment,
        store: Store,
        record: Table | None = None,
    ) -> None:
        self.table, self.referrer, self.key = table, referrer, key
        index = index_for(deployment, referrer, key.columns)
        pairs = dict(zip(key.columns, key.referenced_columns, strict=True))
        columns = leading(index, len(key.columns))
        self.index = index
        shape = ReadShape(referrer, index, referrer.primary_key, len(columns))
        self._read = store.prepare(shape)
        self._tail: tuple[Any, ...] = () if shape.is_get else (2,)
        self._columns = columns
        self._referenced = tuple(pairs[name] for name in columns)
        self._pick = picker(record or table, self._referenced)
        self.as_key = as_key_of(referrer, columns, table, self._referenced, store)
        self._primary = picker(record or table, table.primary_key)
        self._reader = ValueReader(table, store)

    def check(self, reads: Reads, meter: Meter, old: Row, new: Row | None = None) -> None:
        """Raise ForeignKeyViolation if a write takes away a key by which another record names this one."""
        key = self.key_given_up(old, new)
        if key is None:
            return
        meter.spend(1)
        referrers = reads.read(self._read, key + self._tail)
        if self.referrer.name == self.table.name and new is None:
            referrers = [primary for primary in referrers if primary != self._primary(old)]
        if referrers:
            raise self.violation(old)

    def is_named(self, reads: Reads, record: Row) -> bool:
        """Return whether any record names this one, itself included; this takes one request."""
        key = self.key_of(record)
        return key is not None and bool(reads.read(self._read, key + self._tail))

    def key_given_up(self, old: Row, new: Row | None) -> Row | None:
        """Return the key, in the referrer's types, by which others name a record, if a write takes it away."""
        if new is not None and self._pick(new) == self._pick(old):
            return None
        return self.key_of(old)

    def key_of(self, record: Row) -> Row | None:
        """Return the key, in the referrer's types, by which others may name a record; None where a part is NULL."""
        value = self._pick(record)
        return None if None in value else self.as_key(value)

    def violation(self, old: Row) -> ForeignKeyViolation:
        """Return the error of a record that is still named."""
        value = self._pick(old)
        shown = self._reader.shown(self._referenced, value)
        by = f"{self.referrer.name} ({', '.join(self.key.columns)})"
        rows = self._reader.shown(self._referenced, value, self._columns)
        return ForeignKeyViolation(
            f"{self.table.name}: {shown} is still referenced by {by}{named(self.key)}",
            f"Delete or change the rows of {self.referrer.name} with {rows} first.",
        )
