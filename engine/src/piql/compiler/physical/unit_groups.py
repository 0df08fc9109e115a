"""The groups of rows that a unit reads on a store without transactions: all rows that name one row by a foreign key.

    DELETE FROM cart_line WHERE cart = [c]      cart_line (cart) REFERENCES cart, CARDINALITY LIMIT 100 (cart)

Whoever adds a row to such a group looks at the row that it names. So a unit that holds this one holds the whole group
(docs/decisions/0089). The limit says how many rows it may have to hold.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from piql.compiler.physical.operators import IndexFKJoin, IndexScan, PhysicalNode, SortedIndexJoin, range_reads
from piql.schema.catalog import ForeignKey, Table

GroupRead: TypeAlias = IndexScan | SortedIndexJoin


class HeldGroup(NamedTuple):
    """The rows of a table that name the same row by a foreign key; `most` bounds how many, and `symbol` names it."""

    table: Table
    key: ForeignKey
    most: int
    symbol: str


def groups_read(plan: PhysicalNode, tables: Mapping[str, Table]) -> Iterator[tuple[tuple[int, ...], HeldGroup]]:
    """Yield the groups of a read that stores without transactions make in a unit, each with the path to its operator.

    Each request of the operator reads such a group. Reads of one row by its key have none.
    """
    for path, read in range_reads(plan):
        group = group_of(read, tables) if read.limit.max and not is_get(read) else None
        if group is not None:
            yield path, group


def is_get(read: GroupRead | IndexFKJoin) -> bool:
    """Return whether each request reads at most one row, by its primary key."""
    return read.index.is_primary and len(read.prefix) == len(read.index.columns)


def group_by(table: Table, columns: Collection[str], tables: Mapping[str, Table]) -> HeldGroup | None:
    """Return the smallest group of a table that values of these columns fix, and that one row holds."""
    fixed = set(columns)
    groups = [
        HeldGroup(table, key, *bound)
        for key in table.foreign_keys
        if fixed.issuperset(key.columns)
        and (parent := tables.get(key.table)) is not None
        and set(key.referenced_columns) == set(parent.primary_key)
        and (bound := _most(table, key)) is not None
    ]
    return min(groups, key=lambda group: group.most, default=None)


def group_of(read: GroupRead, tables: Mapping[str, Table]) -> HeldGroup | None:
    """Return the group in which all is that one request can read; None where no row holds that."""
    index = read.index
    if index.buckets > 1 or any(column.token_of for column in index.columns):
        return None
    if any(part.is_null for part in read.prefix):
        return None
    return group_by(tables.get(read.table.name, read.table), [part.column for part in read.prefix], tables)


def _most(table: Table, key: ForeignKey) -> tuple[int, str] | None:
    """Return how many rows can name the same row at most, with the name of the limit; None without any."""
    columns = set(key.columns)
    if any(columns.issuperset(unique.columns) for unique in table.unique_keys) or columns.issuperset(table.primary_key):
        return 1, "1"
    limits = [
        (limit.limit, f"{table.name}.{','.join(limit.columns)}" if limit.columns else table.name)
        for limit in table.limits
        if not limit.is_token and columns.issuperset(limit.columns)
    ]
    return min(limits, default=None)
