"""Reads which tables a live keyspace has, whoever made them, for an import; nothing is changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from piql.errors import StoreUnavailable
from piql.store.cql.address import Address
from piql.store.cql.layout import literal
from piql.store.cql.opening import open_link


@dataclass(frozen=True, slots=True)
class ForeignColumn:
    """A column as CQL has it; `kind` is partition_key, clustering, static or regular."""

    name: str
    type: str
    kind: str = "regular"
    position: int = -1
    is_descending: bool = False


@dataclass(frozen=True, slots=True)
class ForeignTable:
    """A table as CQL has it.

    indexes    pairs of a name and the column, or expression, that is indexed
    is_piql    whether PIQL made it
    view_of    the base table of a materialized view, whose columns are not read; None for a table
    """

    name: str
    columns: tuple[ForeignColumn, ...]
    indexes: tuple[tuple[str, str], ...] = ()
    is_piql: bool = False
    view_of: str | None = None

    @property
    def key(self) -> tuple[ForeignColumn, ...]:
        """Return the columns of the primary key: the partition, then those that cluster."""
        parts = ("partition_key", "clustering")
        columns = [column for column in self.columns if column.kind in parts]
        return tuple(sorted(columns, key=lambda column: (parts.index(column.kind), column.position)))

    @property
    def partition(self) -> tuple[ForeignColumn, ...]:
        return tuple(column for column in self.key if column.kind == "partition_key")


def read_keyspace(address: Address) -> tuple[ForeignTable, ...]:
    """Return the tables of a keyspace by name, then its views; raise StoreUnavailable if there is no such keyspace."""
    connection = open_link(address)
    try:
        where = f"WHERE keyspace_name = {literal(address.keyspace)}"
        keyspaces = connection.execute(f"SELECT keyspace_name FROM system_schema.keyspaces {where}")
        if not keyspaces:
            raise StoreUnavailable(f"the cluster {address.shown()} has no keyspace {address.keyspace}")
        tables = connection.execute(f"SELECT table_name, comment FROM system_schema.tables {where}")
        views = connection.execute(f"SELECT view_name, base_table_name FROM system_schema.views {where}")
        columns = connection.execute(
            f"SELECT table_name, column_name, type, kind, position, clustering_order FROM system_schema.columns {where}"
        )
        indexes = connection.execute(f"SELECT table_name, index_name, options FROM system_schema.indexes {where}")
    finally:
        connection.close()
    view_tables = [ForeignTable(str(name), (), view_of=str(base)) for name, base in sorted(views)]
    return (*(_table(name, comment or "", columns, indexes) for name, comment in sorted(tables)), *view_tables)


def _table(
    name: str, comment: str, columns: Sequence[tuple[object, ...]], indexes: Sequence[tuple[object, ...]]
) -> ForeignTable:
    """Return a table, from the rows about the columns and indexes of all tables."""
    table_columns = [
        ForeignColumn(str(column), str(type_), str(kind), int(str(position)), order == "desc")
        for table, column, type_, kind, position, order in columns
        if table == name
    ]
    targets = [
        (str(index), str(dict(options)["target"]))  # type: ignore[call-overload]
        for table, index, options in indexes
        if table == name
    ]
    return ForeignTable(name, tuple(table_columns), tuple(sorted(targets)), comment.startswith("piql"))
