"""The indexes of a set: those that constraints need and those that queries derive, so that one serves many.

Enters: the catalog, and per query the indexes that its plan asks for. Leaves: the secondary indexes of the set by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from piql.catalog import Catalog, ForeignKey, Index, IndexColumn, Table
from piql.physical.widths import WIDE_ROW_BYTES, columns_bytes, has_size


def index_on(
    table: Table,
    columns: Sequence[IndexColumn],
    *,
    partition_columns: int,
    is_unique: bool = False,
    reason: str = "",
) -> Index:
    """Make an index by these columns, completed by the primary key and named after them."""
    whole = _completed(table, columns)
    declared = tuple(columns)
    while declared and _completed(table, declared[:-1]) == whole:
        declared = declared[:-1]
    return Index(
        name_of(table, declared),
        table.name,
        whole,
        partition_columns=partition_columns,
        is_unique=is_unique,
        reason=reason,
    )


def _completed(table: Table, columns: Sequence[IndexColumn]) -> tuple[IndexColumn, ...]:
    named = {each.name for each in columns}
    return (*columns, *(IndexColumn(name) for name in table.primary_key if name not in named))


def name_of(table: Table, columns: Iterable[IndexColumn]) -> str:
    """`subscriptions_by_target`, `message_by_recipient_token_body`, `orders_by_total_placed_desc`."""
    words = []
    for each in columns:
        words.append("_".join(("token", *each.token_of)) if each.token_of else each.name)
        if not each.ascending:
            words.append("desc")
    return f"{table.name}_by_{'_'.join(words)}" if words else f"{table.name}_in_order"


def serves_group(index: Index, columns: Iterable[str]) -> bool:
    """Whether an index begins with exactly these columns, in any order: then all rows of one group are one range."""
    wanted = set(columns)
    leading = index.columns[: len(wanted)]
    if index.buckets > 1 or any(each.token_of for each in index.columns):
        return False  # several ranges, or several entries a row
    return {each.name for each in leading} == wanted


def group_index(table: Table, columns: Sequence[str], known: Iterable[Index]) -> Index | None:
    """Give the index by which the rows that share one value of `columns` are found: the table itself when it serves."""
    return next((each for each in (table.primary_index(), *known) if serves_group(each, columns)), None)


def constraint_indexes(catalog: Catalog) -> dict[str, Index]:
    """Give the secondary indexes that the schema itself needs, by name; those made by hand serve where they can.

    A CARDINALITY LIMIT is counted by one, a UNIQUE looked up by one, and the rows that reference a row to be deleted
    are found by one. A table's own primary key serves where the columns are its beginning.
    """
    found: dict[str, Index] = {}
    for table in catalog.tables.values():
        own = [replace(each, reason=DECLARED) for each in catalog.indexes.values() if each.table == table.name]
        for key in table.unique_keys:
            if group_index(table, key.columns, own) is None:
                columns = tuple(map(IndexColumn, key.columns))
                reason = f"UNIQUE ({', '.join(key.columns)}) is looked up by it"
                own.append(index_on(table, columns, partition_columns=len(columns), is_unique=True, reason=reason))
        for limit in table.limits:
            names = ", ".join(limit.columns)
            if limit.is_token:
                token = IndexColumn(f"token({','.join(limit.columns)})", token_of=limit.columns)
                if not any(index.columns[0] == token for index in own):
                    reason = f"CARDINALITY LIMIT {limit.limit} (TOKEN({names})) is counted by it"
                    own.append(index_on(table, (token,), partition_columns=1, reason=reason))
            elif group_index(table, limit.columns, own) is None:
                columns = tuple(map(IndexColumn, limit.columns))
                reason = f"CARDINALITY LIMIT {limit.limit} ({names}) is counted by it"
                own.append(index_on(table, columns, partition_columns=len(columns), reason=reason))
        for foreign in table.foreign_keys:
            if group_index(table, foreign.columns, own) is None:
                columns = tuple(map(IndexColumn, foreign.columns))
                reason = f"deleting a row of {foreign.table} looks here for rows that reference it"
                own.append(index_on(table, columns, partition_columns=len(columns), reason=reason))
        found.update((index.name, index) for index in own)
    return found


def referrers_of(catalog: Catalog, name: str) -> tuple[tuple[Table, ForeignKey], ...]:
    """Give every foreign key that references a table, with the table that declares it."""
    return tuple((table, key) for table in catalog.tables.values() for key in table.foreign_keys if key.table == name)


def is_covering(table: Table, index: Index, needed: Iterable[str]) -> bool:
    """Whether an index should hold the columns a read needs, rather than keys only.

    A copy saves one request a row; it is not worth a copy of values without a length, or of very wide rows.
    """
    missing = [name for name in needed if name not in index.held_columns]
    if not missing:
        return True
    types = [column.type for name in missing if (column := table.column(name)) is not None]
    return all(map(has_size, types)) and columns_bytes(table, missing) <= WIDE_ROW_BYTES


def covering_reason(table: Table, missing: Sequence[str], *, covering: bool) -> str:
    """Say why an index holds columns beside its key, or why it does not."""
    names = ", ".join(missing)
    if not missing:
        return KEY_SERVES
    width = columns_bytes(table, missing)
    if covering:
        return f"holds {names}, too: no request a row to fetch them, for {width} bytes more in each entry and write"
    return f"keys only: {names} would add up to {width} bytes to each entry, so rows are fetched by their key"


KEY_SERVES = "its key holds all that its queries read"
DECLARED = "declared by CREATE INDEX"
PURPOSES = (DECLARED, "is looked up by it", "is counted by it", "looks here for rows that reference it")


_Identity: TypeAlias = tuple[str, tuple[IndexColumn, ...], int]


def _identity(index: Index) -> _Identity:
    """Indexes of one table with the same key columns and buckets are one index."""
    return (index.table, index.columns, index.buckets)


@dataclass(frozen=True, slots=True)
class IndexSet:
    """The secondary indexes of a set, and for each index that a query asked for the one that serves it."""

    indexes: Mapping[str, Index]
    served_by: Mapping[_Identity, Index]

    def serving(self, index: Index) -> Index:
        return self.served_by.get(_identity(index), index)


def merge_indexes(catalog: Catalog, required: Mapping[str, Index], asked: Iterable[Index]) -> IndexSet:
    """Put the indexes that queries ask for together with those that the schema needs.

    Indexes with the same key columns become one that holds what any of them holds; its partition is what all of its
    readers fix. Names are those of the key columns, so the same set gives the same names whatever the order of its
    queries.
    """
    by_columns: dict[_Identity, Index] = {_identity(index): index for index in required.values()}
    for index in asked:
        key = _identity(index)
        known = by_columns.get(key)
        if known is None:
            by_columns[key] = index
        else:
            by_columns[key] = _together(known, index, catalog.tables[index.table])
    named: dict[str, Index] = {}
    served: dict[_Identity, Index] = {}
    for key in sorted(by_columns, key=lambda each: (each[0], by_columns[each].span is None, by_columns[each].name)):
        index = by_columns[key]
        if not index.reason:
            index = replace(index, reason=KEY_SERVES)
        name, number = index.name, 1
        while name in named or name in catalog.tables:
            number += 1
            name = f"{index.name}_{number}"
        named[name] = served[key] = index if name == index.name else replace(index, name=name)
    return IndexSet(named, served)


def _together(one: Index, other: Index, table: Table) -> Index:
    """One index for two uses of the same key columns."""
    held = {*one.covering, *other.covering}
    covering = tuple(column.name for column in table.columns if column.name in held)
    partition = min(one.partition_columns, other.partition_columns)
    if covering == one.covering and partition == one.partition_columns:
        return one
    made_for = [each for each in _purposes(one) if each]
    reason = covering_reason(table, covering, covering=True) if covering else ""
    return replace(
        one,
        covering=covering,
        partition_columns=partition,
        reason="; ".join(dict.fromkeys(each for each in (*made_for, reason) if each)),
    )


def _purposes(index: Index) -> tuple[str, ...]:
    """Give what the schema needs an index for, if anything: the part of its reason that stays when it holds more."""
    return tuple(each for each in index.reason.split("; ") if each.endswith(PURPOSES))
