"""Random schemas, and rows that keep every constraint of theirs while filling their limits."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import chain, count

from .contents import Contents, Row
from .schema import Column, ForeignKey, HandIndex, Limit, Schema, Table
from .values import ODD_TEXTS, TIME, Value, ValueType, can_be_literal, random_type, random_value

TABLE_NAMES = ("users", "posts", "tags", "orders")
COLUMN_NAMES = ("a", "b", "c", "d", "kind", "title", "note", "amount", "day", "score", "text", "count", "data", "max")


def random_schema(rng: random.Random) -> Schema:
    """Return a schema of one to four tables."""
    tables: list[Table] = []
    for name in TABLE_NAMES[: rng.choice((1, 2, 2, 3, 3, 3, 4))]:
        tables.append(_random_table(rng, name, tables))
    indexes = [_random_index(rng, rng.choice(tables))] if rng.random() < 0.25 else []
    return Schema(tuple(tables), tuple(indexes))


def with_times(rng: random.Random, schema: Schema) -> Schema:
    """Return the schema, or one with a TIME in the place of every UUID, so that foreign keys still fit."""
    if rng.random() < 0.5:
        return schema
    tables = (
        replace(
            table,
            columns=tuple(
                replace(column, type=TIME) if column.type.kind == "UUID" else column for column in table.columns
            ),
        )
        for table in schema.tables
    )
    return replace(schema, tables=tuple(tables))


def _random_index(rng: random.Random, table: Table) -> HandIndex:
    names = rng.sample([column.name for column in table.columns], min(len(table.columns), rng.choice((1, 2, 3))))
    columns = tuple((name, rng.random() < 0.7) for name in names)
    covering = tuple(column.name for column in table.columns if column.name not in names and rng.random() < 0.4)
    texts = [column.name for column in table.columns if column.type.is_text]
    words = tuple(rng.sample(texts, 1)) if texts and rng.random() < 0.2 else ()
    buckets = rng.choice((2, 3, 4)) if not words and rng.random() < 0.25 else None
    return HandIndex("by_hand", table.name, columns, covering, buckets, words)


def _random_table(rng: random.Random, name: str, earlier: list[Table]) -> Table:
    prefix = name[0]
    sampled = rng.sample(COLUMN_NAMES, len(COLUMN_NAMES))
    named = (f"{prefix}_{name}" if rng.random() < 0.7 else name for name in sampled)
    fresh = chain(named, (f"{prefix}_{number}" for number in count()))
    columns: list[Column] = []
    key: list[str] = []
    foreign_keys: list[ForeignKey] = []
    for _ in range(rng.choice((0, 1, 1, 2)) if earlier else 0):
        target = rng.choice(earlier)
        in_key = rng.random() < 0.5
        is_nullable = not in_key and rng.random() < 0.35
        own_columns = []
        referenced = rng.choice(target.uniques) if target.uniques and rng.random() < 0.4 else target.primary_key
        for part in referenced:
            column = Column(next(fresh), target.column(part).type, is_nullable)
            columns.append(column)
            own_columns.append(column.name)
        key += own_columns if in_key else []
        maximum = rng.randint(1, 6) if rng.random() < 0.25 else None
        is_primary = referenced == target.primary_key
        foreign_keys.append(ForeignKey(tuple(own_columns), target.name, referenced, maximum, is_primary))
    key_columns = max(1 if not key else 0, rng.choice((0, 1, 1, 2)))
    for _ in range(key_columns):
        column = Column(next(fresh), random_type(rng, is_key=True), False)
        columns.append(column)
        key.append(column.name)
    for _ in range(rng.choice((1, 2, 2, 3))):
        columns.append(Column(next(fresh), random_type(rng), rng.random() < 0.6))
    if rng.random() < 0.08 and len(key) == 1:
        own_column = Column(next(fresh), columns[[column.name for column in columns].index(key[0])].type, True)
        columns.append(own_column)
        foreign_keys.append(ForeignKey((own_column.name,), name, tuple(key)))
    if rng.random() < 0.5:
        rng.shuffle(key)
    if rng.random() < 0.5:
        rng.shuffle(columns)
    table = Table(name, tuple(columns), tuple(key), foreign_keys=tuple(foreign_keys), style=rng.getrandbits(9))
    limits, uniques = _random_limits(rng, table)
    return Table(name, table.columns, table.primary_key, uniques, table.foreign_keys, limits, table.style)


def _random_limits(rng: random.Random, table: Table) -> tuple[tuple[Limit, ...], tuple[tuple[str, ...], ...]]:
    limits: list[Limit] = []
    if len(table.primary_key) > 1 and rng.random() < 0.6:
        limits.append(Limit(rng.randint(1, 7), table.primary_key[: rng.randint(1, len(table.primary_key) - 1)]))
    for foreign in table.foreign_keys:
        if foreign.max is None and rng.random() < 0.4:
            limits.append(Limit(rng.randint(1, 7), foreign.columns))
    candidates = [column for column in table.columns if column.type.kind != "BLOB" or rng.random() < 0.2]
    if rng.random() < 0.45:
        chosen = rng.sample(candidates, min(len(candidates), rng.choice((1, 1, 2))))
        limits.append(Limit(rng.randint(1, 9), tuple(column.name for column in chosen)))
    texts = [column.name for column in table.columns if column.type.is_text]
    if texts and rng.random() < 0.25:
        limits.append(Limit(rng.randint(2, 9), tuple(rng.sample(texts, rng.randint(1, min(2, len(texts))))), True))
    uniques = []
    if rng.random() < 0.3:
        chosen = rng.sample(candidates, min(len(candidates), rng.choice((1, 1, 2))))
        if {column.name for column in chosen} != set(table.primary_key):
            uniques.append(tuple(column.name for column in chosen))
    seen: set[tuple[frozenset[str], bool]] = set()
    distinct = []
    for limit in limits:
        mark = (frozenset(limit.columns), limit.is_token)
        if mark not in seen:
            distinct.append(limit)
        seen.add(mark)
    return tuple(distinct), tuple(uniques)


def with_defaults(rng: random.Random, schema: Schema, values: Mapping[tuple[str, str], Sequence[Value]]) -> Schema:
    """Return the schema with a DEFAULT on some columns: a value that the column may well hold."""

    def changed(table: Table, column: Column) -> Column:
        value = rng.choice(values[table.name, column.name])
        fits = not isinstance(value, str) or column.type.length is None or len(value) <= column.type.length
        return replace(column, default=value) if rng.random() < 0.12 and fits and can_be_literal(value) else column

    tables = (
        replace(table, columns=tuple(changed(table, column) for column in table.columns)) for table in schema.tables
    )
    return replace(schema, tables=tuple(tables))


def with_whole_limits(rng: random.Random, schema: Schema) -> Schema:
    """Return the schema with a limit on the rows of some whole tables."""
    tables = (
        replace(table, limits=(*table.limits, Limit(rng.choice((1, 3, 6, 12, 30)), ())))
        if rng.random() < 0.1
        else table
        for table in schema.tables
    )
    return replace(schema, tables=tuple(tables))


class Pools:
    """Few values a column, so that rows meet: joins match, groups fill, sort keys repeat."""

    def __init__(self, rng: random.Random, schema: Schema) -> None:
        self.rng = rng
        self.schema = schema
        self.values: dict[tuple[str, str], list[Value]] = {}
        for table in schema.tables:
            for column in table.columns:
                size = rng.choice((2, 3, 5, 8, 12))
                self.values[table.name, column.name] = [random_value(rng, column.type) for _ in range(size)]
            for foreign in table.foreign_keys:
                for ours, theirs in zip(foreign.columns, foreign.referenced, strict=True):
                    self.values[table.name, ours] = self.values[foreign.table, theirs]

    def seeing(self, schema: Schema) -> Pools:
        """Return the same values for a schema that names more of them."""
        pools = copy(self)
        pools.schema = schema
        return pools

    def value(self, table: str, column: str) -> Value:
        """Return a value that the column may well hold, or now and then a stranger."""
        if self.rng.random() < 0.08:
            return self.stranger(self.schema.table(table).column(column).type)
        return self.rng.choice(self.values[table, column])

    def stranger(self, type: ValueType) -> Value:
        value = random_value(self.rng, type)
        return self.rng.choice(ODD_TEXTS) if isinstance(value, str) and self.rng.random() < 0.5 else value


def random_row(rng: random.Random, pools: Pools, contents: Contents, table: Table) -> Row:
    """Return a row whose foreign keys mostly name rows that exist."""
    row: Row = {column.name: pools.value(table.name, column.name) for column in table.columns}
    for column in table.columns:
        if isinstance(row[column.name], str) and column.type.length is not None:
            row[column.name] = str(row[column.name])[: column.type.length]
        if column.is_nullable and rng.random() < 0.25:
            row[column.name] = None
    for foreign in table.foreign_keys:
        parents = [
            parent_row
            for parent_row in contents.all_rows(foreign.table)
            if None not in _named(parent_row, foreign.referenced)
        ]
        if parents and not any(row[ours] is None for ours in foreign.columns) and rng.random() < 0.97:
            parent = rng.choice(parents)
            for ours, theirs in zip(foreign.columns, foreign.referenced, strict=True):
                row[ours] = parent[theirs]
    return row


def _named(row: Row, columns: tuple[str, ...]) -> list[object]:
    return [row[name] for name in columns]


def random_contents(rng: random.Random, schema: Schema, pools: Pools) -> Contents:
    """Fill the tables with rows that break nothing."""
    contents = Contents(schema)
    for table in schema.tables:
        for _ in range(rng.choice((0, 4, 12, 25, 40, 40))):
            row = random_row(rng, pools, contents, table)
            is_new = contents.key(table, row) not in contents.rows[table.name]
            if is_new and not contents.refusals_of_put(table.name, row) and not refers_to_itself(table, row):
                contents.put(table.name, row)
    return contents


def refers_to_itself(table: Table, row: Row) -> bool:
    """Return whether a row names itself by a foreign key: what then counts as missing is left open."""
    return any(
        foreign.table == table.name
        and [row[ours] for ours in foreign.columns] == [row[ours] for ours in foreign.referenced]
        for foreign in table.foreign_keys
    )
