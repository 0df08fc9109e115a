"""One secondary index: how it is made, named and completed, which rows it finds, and whether it should cover.

`index_set` puts the indexes of all queries together, `fewest_indexes` leaves out those that others can stand in for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from piql.compiler.optimizer.analysis.column_uses import are_copied
from piql.compiler.physical.widths import columns_bytes
from piql.schema.catalog import Catalog, ForeignKey, Index, IndexColumn, Table, completed_by_key, word_column


def index_on(
    table: Table,
    columns: Sequence[IndexColumn],
    *,
    partition_columns: int,
    is_unique: bool = False,
    reason: str = "",
) -> Index:
    """Make an index by these columns, completed by the primary key and named after them."""
    return Index(
        name_of(table, declared_columns(table, columns)),
        table.name,
        completed_by_key(table, columns),
        partition_columns=partition_columns,
        is_unique=is_unique,
        reason=reason,
    )


def declared_columns(table: Table, columns: Sequence[IndexColumn]) -> tuple[IndexColumn, ...]:
    """Leave out the columns at the end by which an index is completed anyway."""
    declared, whole = tuple(columns), completed_by_key(table, columns)
    while declared and completed_by_key(table, declared[:-1]) == whole:
        declared = declared[:-1]
    return declared


def name_of(table: Table, columns: Iterable[IndexColumn]) -> str:
    """Return the name of an index: `orders_by_total_placed_desc`, `message_by_token_body`."""
    words = []
    for column in columns:
        words.append("_".join(("token", *column.token_of)) if column.token_of else column.name)
        if not column.ascending:
            words.append("desc")
    return f"{table.name}_by_{'_'.join(words)}" if words else f"{table.name}_in_order"


def serves_group(index: Index, columns: Iterable[str]) -> bool:
    """Whether an index begins with exactly these columns, in any order: then all rows of one group are one range."""
    names = set(columns)
    leading = index.columns[: len(names)]
    if index.buckets > 1 or any(column.token_of for column in index.columns):
        return False  # several ranges, or several entries a row
    if index.partition_columns > len(names):
        return False  # a group is spread over partitions
    return {column.name for column in leading} == names


def group_index(table: Table, columns: Sequence[str], indexes: Iterable[Index]) -> Index | None:
    """Return the index that finds the rows with one value of `columns`, the primary one first; None where none does."""
    if set(table.primary_key[: len(columns)]) == set(columns) and serves_group(table.primary_index(), columns):
        return table.primary_index()
    return next((index for index in indexes if serves_group(index, columns)), None)


def token_index(columns: tuple[str, ...], indexes: Iterable[Index]) -> Index | None:
    """Return the index by which the rows that hold one word of some text columns are found."""
    name = word_column(columns).name
    return next(
        (index for index in indexes if index.buckets == 1 and index.columns and index.columns[0].name == name), None
    )


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that share one value of some columns, or one word of them, which a constraint of a table looks for."""

    columns: tuple[str, ...]
    purpose: str  # the constraint, and that it uses an index: the end of this text tells purposes (`is_purpose`)
    is_token: bool = False
    is_unique: bool = False

    @property
    def first_columns(self) -> frozenset[str]:
        """What an index by which the group is found begins with."""
        return frozenset((word_column(self.columns).name,) if self.is_token else self.columns)

    def index_among(self, table: Table, indexes: Iterable[Index]) -> Index | None:
        """Return the first index by which the group is found."""
        if self.is_token:
            return token_index(self.columns, indexes)
        return group_index(table, self.columns, indexes)


class Beginnings:
    """Indexes of a table by their first columns, so that a lookup among hundreds looks at few."""

    def __init__(self, table: Table, groups: Iterable[Group], indexes: Iterable[Index] = ()) -> None:
        self._table = table
        lengths = [len(group.columns) for group in groups]
        self._shortest, self._longest = min(1, *lengths, 1), max(lengths, default=0)
        self._by_columns: dict[frozenset[str], list[Index]] = {}
        for index in indexes:
            self.add(index)

    def add(self, index: Index) -> None:
        """Let later lookups find an index, too."""
        for columns in self.of(index):
            self._by_columns.setdefault(columns, []).append(index)

    def of(self, index: Index) -> Iterator[frozenset[str]]:
        """Return the columns that an index begins with, as many as a group may have: none for the whole table."""
        names = [column.name for column in index.columns[: self._longest]]
        return (frozenset(names[:length]) for length in range(self._shortest, len(names) + 1))

    def beginning(self, group: Group) -> Sequence[Index]:
        """Return the indexes that begin with the columns of a group, in the order in which they were added."""
        return self._by_columns.get(group.first_columns, ())

    def index_for(self, group: Group) -> Index | None:
        """Return the first index by which a group is found."""
        return group.index_among(self._table, self.beginning(group))


def groups_of(table: Table) -> tuple[Group, ...]:
    """Return the groups of rows that the constraints of a table look up: by UNIQUE key, limit or foreign key."""
    groups = [
        Group(key.columns, f"UNIQUE ({', '.join(key.columns)}) {LOOKED_UP}", is_unique=True)
        for key in table.unique_keys
    ]
    groups += [Group(limit.columns, f"{limit.declaration} {COUNTED}", limit.is_token) for limit in table.limits]
    groups += [Group(key.columns, f"deleting a row of {key.table} {REFERENCED}") for key in table.foreign_keys]
    return tuple(groups)


def constraint_indexes(catalog: Catalog) -> dict[str, Index]:
    """Return the secondary indexes that the schema itself needs, by name; those made by hand serve where they can.

    A CARDINALITY LIMIT is counted by one, a UNIQUE looked up by one, and the rows that reference a row to be deleted
    are found by one. A table's own primary key serves where the columns are its beginning.
    """
    by_name: dict[str, Index] = {}
    for table in catalog.tables.values():
        of_table = [replace(index, reason=DECLARED) for index in catalog.indexes.values() if index.table == table.name]
        groups = groups_of(table)
        beginnings = Beginnings(table, groups, of_table)
        for group in groups:
            if beginnings.index_for(group) is not None:
                continue
            columns = tuple(map(IndexColumn, group.columns))
            if group.is_token:
                columns = (word_column(group.columns),)
            new = index_on(
                table, columns, partition_columns=len(columns), is_unique=group.is_unique, reason=group.purpose
            )
            of_table.append(new)
            beginnings.add(new)
        by_name.update((index.name, index) for index in of_table)
    return by_name


def referrers_of(catalog: Catalog, name: str) -> tuple[tuple[Table, ForeignKey], ...]:
    """Return every foreign key that references a table, with the table that declares it."""
    return tuple((table, key) for table in catalog.tables.values() for key in table.foreign_keys if key.table == name)


def is_covering(table: Table, index: Index, needed: Iterable[str]) -> bool:
    """Whether an index should hold the columns a read needs, rather than keys only.

    A copy saves one request a row; it is not worth a copy of values without a length, or of very wide rows.
    """
    return are_copied(table, [name for name in needed if name not in index.held_columns])


def covering_reason(table: Table, missing: Sequence[str], *, covering: bool) -> str:
    """Say why an index holds columns beside its key, or why it does not."""
    names = ", ".join(missing)
    if not missing:
        return KEY_SERVES
    width = columns_bytes(table, missing)
    if covering:
        return f"holds {names}, too: no request a row to fetch them, for {_bytes(width)} more in each entry and write"
    return f"keys only: {names} would add up to {_bytes(width)} to each entry, so rows are fetched by their key"


def _bytes(count: int) -> str:
    return f"{count} byte{'s' * (count != 1)}"


# The words of an index's reason. Other functions recognize a reason by them, so they stand here once.
KEY_SERVES = "its key holds all that its queries read"
DECLARED = "declared by CREATE INDEX"
LOOKED_UP = "is looked up by it"
COUNTED = "is counted by it"
REFERENCED = "looks here for rows that reference it"


def is_purpose(reason: str) -> bool:
    """Whether a part of an index's reason says what it is there for, rather than what it holds."""
    return reason.endswith((DECLARED, LOOKED_UP, COUNTED, REFERENCED))


def serves_constraint(index: Index) -> bool:
    """Whether a constraint of its table is checked by an index."""
    return any(part.endswith((LOOKED_UP, COUNTED, REFERENCED)) for part in index.reason.split("; "))
