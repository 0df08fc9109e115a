"""The indexes of a set: those that constraints need and those that queries derive, so that one serves many.

Enters: the indexes of each table, as `fewest_indexes` found them. Leaves: the secondary indexes of the set by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from piql.compiler.physical.indexes.secondary_index import covering_reason, is_purpose
from piql.schema.catalog import Catalog, Index, IndexColumn, Table

Identity: TypeAlias = tuple[str, tuple[IndexColumn, ...], int]  # table, key columns, buckets


def identity(index: Index) -> Identity:
    """Return what identifies an index: those of one table with the same key columns and buckets are one."""
    return (index.table, index.columns, index.buckets)


@dataclass(frozen=True, slots=True)
class IndexSet:
    """The secondary indexes of a set, and for each index that a query asked for the one that serves it."""

    indexes: Mapping[str, Index]
    served_by: Mapping[Identity, Index]

    def serving(self, index: Index) -> Index:
        """Return the index of the set that has the key of the one a query asked for; the same one if none has."""
        return self.served_by.get(identity(index), index)


def merged(first: Index, second: Index, table: Table) -> Index:
    """Return one index for two with the same key columns: it holds what either holds, in the wider partition."""
    covering = (
        first.covering if first.covering == second.covering else table.in_order({*first.covering, *second.covering})
    )
    partition = min(first.partition_columns, second.partition_columns)
    if covering == first.covering and partition == first.partition_columns:
        return first
    parts = [part for part in first.reason.split("; ") if is_purpose(part)]
    parts += [covering_reason(table, covering, covering=True)] if covering else []
    return replace(first, covering=covering, partition_columns=partition, reason="; ".join(parts))


def settle_indexes(catalog: Catalog, indexes: Iterable[Index]) -> IndexSet:
    """Name the indexes of a set after their key columns: the same names whatever the order of its queries."""
    named: dict[str, Index] = {}
    served: dict[Identity, Index] = {}
    for index in sorted(indexes, key=lambda index: (index.table, index.span is None, index.name)):
        name, number = index.name, 1
        while name in named or name in catalog.tables:
            number += 1
            name = f"{index.name}_{number}"
        named[name] = served[identity(index)] = index if name == index.name else replace(index, name=name)
    return IndexSet(named, served)
