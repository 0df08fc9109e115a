"""The tables of one prefix in a keyspace: finds, creates, extends and drops them.

PIQL knows its own tables by their comments, such as `piql[prefix] index users by town`, and neither changes nor drops
any other. Two tables serve all prefixes: SETTINGS and CELLS.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from piql.errors import CompilationRefused, WrongStoreAddress
from piql.store.cql.layout import IMPATIENT, LONGEST_NAME, Layout, literal, quoted
from piql.store.cql.link import Link

SETTINGS, CELLS = "piql_settings", "piql_cells"
_COPIES = 3  # of each row, in a keyspace that is created here
_SCYLLA = "SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'system' AND table_name = 'scylla_local'"
_FLUSH_MS, _FLUSH_WAIT_SECONDS = 1000, 4.0  # the shortest period that Cassandra takes, and some of them
_OWN = {
    SETTINGS: "prefix text, name text, value text, PRIMARY KEY (prefix, name)",
    CELLS: '"group" text, key text, value text, PRIMARY KEY ("group", key)',
}
_OWN_COMMENT = "piql, for all prefixes"


class Tables:
    """The tables of one prefix in the keyspace of a connection."""

    def __init__(self, connection: Link) -> None:
        self._connection = connection
        address = connection.address
        self._keyspace, self._prefix = address.keyspace, address.prefix
        self.mark = f"piql[{address.prefix}]"

    def make_keyspace(self) -> None:
        """Create the keyspace where it is missing, and PIQL's own tables in it."""
        connection, address = self._connection, self._connection.address
        keyspaces = connection.execute(
            f"SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = {literal(self._keyspace)}"
        )
        if not keyspaces:
            nodes = connection.nodes()
            copies = address.replication_factor or min(_COPIES, len(nodes))
            datacenter = address.datacenter or next((node.datacenter for node in nodes), "datacenter1")
            connection.change_schema(
                [
                    f"CREATE KEYSPACE IF NOT EXISTS {quoted(self._keyspace)} WITH replication ="
                    f" {{'class': 'NetworkTopologyStrategy', {literal(datacenter)}: {copies}}}"
                ]
            )
        connection.know_keyspace()
        comments = self.comments()
        for name in _OWN:
            if name in comments and comments[name] != _OWN_COMMENT:
                message = f"the keyspace {self._keyspace} has a table {name} that is not PIQL's"
                raise WrongStoreAddress(message, "name another keyspace, or add ?prefix=… to the address")
        connection.change_schema(
            [
                f"CREATE TABLE IF NOT EXISTS {self._table(name)} ({columns})"
                f" WITH comment = {literal(_OWN_COMMENT)} AND {IMPATIENT}"
                for name, columns in _OWN.items()
                if name not in comments
            ]
        )

    def replication(self) -> str:
        """Return the copies of each row in words: `3 in datacenter1`."""
        ((options,),) = self._connection.execute(
            f"SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = {literal(self._keyspace)}"
        )
        copies_by_datacenter = dict(options)
        copies_by_datacenter.pop("class", None)
        copies_everywhere = copies_by_datacenter.pop("replication_factor", None)
        if copies_everywhere:
            return f"{copies_everywhere}"
        return ", ".join(f"{copies} in {datacenter}" for datacenter, copies in sorted(copies_by_datacenter.items()))

    def comments(self) -> dict[str, str]:
        """Return the comment of each table in the keyspace, of other prefixes and other programs, too."""
        rows = self._connection.execute(
            f"SELECT table_name, comment FROM system_schema.tables WHERE keyspace_name = {literal(self._keyspace)}"
        )
        return {name: comment or "" for name, comment in rows}

    def others(self) -> frozenset[str]:
        """Return the tables besides SETTINGS and CELLS: those of the prefix; without a prefix, all of the keyspace."""
        comments = {name: comment for name, comment in self.comments().items() if name not in _OWN}
        return frozenset(
            name for name, comment in comments.items() if not self._prefix or comment.startswith(self.mark)
        )

    def columns(self, table: str) -> set[str]:
        """Return the names of a table's columns."""
        rows = self._connection.execute(
            "SELECT column_name FROM system_schema.columns"
            f" WHERE keyspace_name = {literal(self._keyspace)} AND table_name = {literal(table)}"
        )
        return {name for (name,) in rows}

    def indexes(self) -> frozenset[str]:
        """Return the names of the tables that keep indexes of this prefix."""
        start = f"{self.mark} index "
        return frozenset(name for name, comment in self.comments().items() if comment.startswith(start))

    def create(self, layouts: Sequence[Layout]) -> None:
        """Create the tables of layouts that are missing; raise CompilationRefused if one is another program's."""
        comments = self.comments()
        for layout in layouts:
            if len(layout.name) > LONGEST_NAME:
                raise CompilationRefused(f"not deployed: {layout.name} is longer than CQL's names of tables")
            comment = comments.get(layout.name)
            if comment is not None and comment != layout.comment:
                raise CompilationRefused(
                    f"not deployed: the keyspace {self._keyspace} has a table {layout.name} that is not PIQL's;"
                    " connect with another prefix, or another keyspace"
                )
        self._connection.change_schema([missing.create() for missing in layouts if missing.name not in comments])

    def kept_backwards(self, layouts: Sequence[Layout]) -> frozenset[str]:
        """Return the names of those tables whose first clustering column is stored in the opposite direction."""
        rows = self._connection.execute(
            "SELECT table_name, column_name, clustering_order FROM system_schema.columns"
            f" WHERE keyspace_name = {literal(self._keyspace)}"
        )
        orders: dict[tuple[str, str], str] = {(table, column): order for table, column, order in rows}

        def is_backwards(layout: Layout) -> bool:
            usual = "asc" if layout.clustering[0].ascending != layout.is_backwards else "desc"
            return orders.get((layout.name, layout.clustering_names()[0]), usual) != usual

        return frozenset(layout.name for layout in layouts if layout.clustering and is_backwards(layout))

    def add_columns(self, table: str, types: Mapping[str, str]) -> None:
        """Add columns, given by name with their CQL types; those that exist stay as they are."""
        existing_columns = self.columns(table)
        self._connection.change_schema(
            [
                f"ALTER TABLE {self._table(table)} ADD {quoted(name)} {cql_type}"
                for name, cql_type in types.items()
                if name not in existing_columns
            ]
        )

    def drop(self, name: str) -> None:
        """Drop a table of this prefix; any other, or a missing one, is left alone."""
        comment = self.comments().get(name)
        if comment is not None and comment.startswith(self.mark):
            self._connection.change_schema([f"DROP TABLE IF EXISTS {self._table(name)}"])

    def flush(self) -> None:
        """Make every node write the tables of this prefix from memory to files, and wait for some seconds.

        CQL has no such command, but a table may be flushed periodically: the period is set, and taken back. ScyllaDB
        allows no period below a minute, and answers reads from a cache in any case: there nothing is done.
        """
        if self._connection.execute(_SCYLLA):
            return
        names = [name for name, comment in self.comments().items() if comment.startswith(self.mark)]
        try:
            self._flush_every(names, _FLUSH_MS)
            time.sleep(_FLUSH_WAIT_SECONDS)
        finally:  # also after Ctrl+C: no table may go on being flushed every second
            self._flush_every(names, 0)

    def _flush_every(self, names: Sequence[str], milliseconds: int) -> None:
        self._connection.change_schema(
            [f"ALTER TABLE {self._table(name)} WITH memtable_flush_period_in_ms = {milliseconds}" for name in names]
        )

    def _table(self, name: str) -> str:
        return f"{quoted(self._keyspace)}.{quoted(name)}"
