"""One page of the rows of a table, for people who look at data. `rows_page` is the entry.

A filter gives values for the first columns of the primary key or of an index; no other filter is served. A page takes
one range read and, where an index led to the rows, one get for each row: n rows take n + 1 requests at most. Pages
follow each other in the order of the key, or of the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from piql.client.database import Database
from piql.errors import InvalidCursor, InvalidParameter
from piql.runtime.deployment import Deployment
from piql.schema.catalog import Column, Index, Table
from piql.schema.types import convert
from piql.schema.values import ValueMismatch
from piql.store.base import Batch, Consistency, ReadShape, Store
from piql.store.rows import Row


@dataclass(frozen=True, slots=True)
class RowsPage:
    """Rows in the order of the table's columns; `after` is where the next page begins, None on the last.

    `index` is the name of the index that led to them, None where it was the table itself.
    """

    rows: list[Row]
    after: tuple[object, ...] | None
    requests: int
    index: str | None


def serving_indexes(deployment: Deployment, table: Table) -> list[Index]:
    """Return the table itself, then its indexes: each serves a filter of equal values in its first columns.

    Indexes of words and of buckets have no such order, and are left out.
    """
    return [
        table.primary_index(),
        *(
            index
            for index in deployment.indexes_of(table)
            if index.buckets == 1 and not any(column.token_of for column in index.columns)
        ),
    ]


def filters_of(deployment: Deployment, table: Table) -> list[tuple[str, ...]]:
    """Return the columns, in their order, of which a filter may give the first ones: `(owner, posted)`."""
    return list(
        dict.fromkeys(tuple(column.name for column in index.columns) for index in serving_indexes(deployment, table))
    )


def columns_behind(deployment: Deployment, table: Table, wanted: Iterable[str]) -> list[Column]:
    """Return the columns whose values say where a page ends, in a filter by the columns `wanted`.

    Raises InvalidParameter for a filter that neither the key nor an index serves.
    """
    names = tuple(wanted)
    index = _index_for(deployment, table, names)
    return [_column(table, key.name) for key in index.columns[len(names) :]]


def rows_page(
    db: Database,
    name: str,
    wanted: Mapping[str, object],
    after: Sequence[object] | None = None,
    limit: int = 50,
    consistency: Consistency | None = None,
) -> RowsPage:
    """Return at most `limit` rows whose columns have the values in `wanted`; `after` is where the page before ended.

    Raises InvalidParameter for a filter that neither the key nor an index serves, and for a value that is not of its
    column's type; InvalidCursor where `after` is not the end of a page of this table and filter.
    """
    deployment, store = db.deployment, db.store
    table = deployment.table(name)
    index = _index_for(deployment, table, tuple(wanted))
    prefix = tuple(_stored(store, _column(table, key.name), wanted[key.name]) for key in index.columns[: len(wanted)])
    rest = columns_behind(deployment, table, wanted)
    names = tuple(column.name for column in table.columns)
    key = tuple(table.primary_key)
    shape = ReadShape(
        table,
        index,
        names if index.is_primary else tuple(dict.fromkeys((*key, *(column.name for column in rest)))),
        len(wanted),
        nulls=tuple(column.name for column, value in zip(index.columns, prefix, strict=False) if value is None),
        after_length=0 if after is None else len(rest),
        in_any_order=not wanted,
    )
    position = () if after is None else _position(store, rest, after)
    arguments = prefix if shape.is_get else (*prefix, *position, limit)
    entries = store.read_many([Batch(store.prepare(shape), [arguments])], consistency)[0][0]
    if index.is_primary:
        records, requests = entries, 1
    else:
        values = dict(zip((column.name for column in index.columns), prefix, strict=False))
        records = _records(store, table, [entry[: len(key)] for entry in entries], values, consistency)
        requests = 1 + len(entries)
    end: tuple[object, ...] | None = None
    if not shape.is_get and len(entries) == limit:
        last = [entries[-1][shape.columns.index(column.name)] for column in rest]
        end = tuple(_shown(store, column, value) for column, value in zip(rest, last, strict=True))
    rows = [
        tuple([_shown(store, column, value) for column, value in zip(table.columns, record, strict=True)])
        for record in records
    ]
    return RowsPage(rows, end, requests, None if index.is_primary else index.name)


def _records(
    store: Store, table: Table, keys: Sequence[Row], values: Mapping[str, object], consistency: Consistency | None
) -> list[Row]:
    """Return the stored rows with these keys that have these values: an entry in doubt counts as its record says."""
    names = tuple(column.name for column in table.columns)
    get = store.prepare(ReadShape(table, table.primary_index(), names, len(table.primary_key)))
    answers = store.read_many([Batch(get, list(keys))], consistency)[0] if keys else []
    wanted = [(names.index(name), value) for name, value in values.items()]
    return [row for answer in answers for row in answer if all(row[at] == value for at, value in wanted)]


def _index_for(deployment: Deployment, table: Table, wanted: Sequence[str]) -> Index:
    """Return the first index that begins with the columns `wanted`; raise InvalidParameter where none does."""
    unknown = next((name for name in wanted if table.column(name) is None), None)
    if unknown is not None:
        raise InvalidParameter(f"{table.name} has no column {unknown!r}", unknown)
    for index in serving_indexes(deployment, table):
        first = {column.name for column in index.columns[: len(wanted)]}
        if first == set(wanted) and (not wanted or len(wanted) >= index.partition_columns):
            return index
    served = "; ".join(", ".join(columns) for columns in filters_of(deployment, table))
    raise InvalidParameter(
        f"no key and no index of {table.name} begins with {', '.join(wanted)}: filter by the first columns of one of "
        f"these: {served}",
        next(iter(wanted)),
    )


def _column(table: Table, name: str) -> Column:
    column = table.column(name)
    assert column is not None
    return column


def _stored(store: Store, column: Column, value: object) -> Any:
    """Return the stored form of a value of a column."""
    try:
        converted = convert(value, column.type)
    except ValueMismatch as mismatch:
        raise InvalidParameter(f"{column.name}: {mismatch}", column.name) from None
    codec = store.codec(column.type)
    return codec.encode(converted) if codec and converted is not None else converted


def _shown(store: Store, column: Column, value: Any) -> Any:
    """Return the engine's value for a stored value of a column."""
    codec = store.codec(column.type)
    return codec.decode(value) if codec and value is not None else value


def _position(store: Store, rest: Sequence[Column], after: Sequence[object]) -> Row:
    """Return the stored form of the end of a page; raise InvalidCursor where it is of other columns."""
    if len(after) != len(rest):
        raise InvalidCursor("the cursor is of another table or filter")
    try:
        return tuple(_stored(store, column, value) for column, value in zip(rest, after, strict=True))
    except InvalidParameter as mismatch:
        raise InvalidCursor(f"the cursor is of another table or filter: {mismatch}") from None
