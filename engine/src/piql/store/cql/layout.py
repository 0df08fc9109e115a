"""How an index is laid out as a CQL table, and the CQL that creates and writes it.

thoughts (owner, posted) → text          CREATE TABLE thoughts (owner text, posted timestamp, text text,
                                           PRIMARY KEY ((owner), posted))
users by town (town, user), town may     CREATE TABLE users_by_town_5f3a… ("#all" tinyint, "?town" boolean, town text,
be NULL, read as one order                 user text, PRIMARY KEY (("#all"), "?town", town, user))

partition     the leading columns that every read fixes; where there are none, the constant `#all`, so that the whole
              table is one order; in an index with buckets, `#bucket` first
NULL          a clustering column that may be NULL has a flag before it (false = NULL: it sorts first), and then holds a
              stand-in. An entry with NULL in its partition is not stored: no read can ask for it
escapes       CQL allows no empty text as the only partition column: one that is empty, or begins with U+0000, gets a
              U+0000 before it. The same holds for bytes

Beside its own columns a table holds `#write` and `#state`, and another index `#state` (see store/rows.py); both are
NULL in rows that another client wrote, which are then like any other.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from piql.schema.catalog import Index, Kind, Table
from piql.schema.types import TEXTS
from piql.store.cql.stored_values import CODECS, STORED, ToBytes, pack_int
from piql.store.rows import STATE, WRITE

Arguments = tuple[Any, ...]
Bind = Callable[[Arguments], "list[bytes | None] | None"]
"""From the arguments of a read, or an entry, to the bytes of a statement's parameters; None: nothing is to be sent."""

BUCKET, ALL = "#bucket", "#all"
# A coordinator asks another replica after so long; by default a new table waits for seconds before it does.
IMPATIENT = "speculative_retry = '10ms'"
LONGEST_NAME = 48  # characters, for Cassandra
TRUE, FALSE = b"\x01", b"\x00"


def quoted(name: str) -> str:
    """Return a name as CQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as CQL writes it."""
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A key column as stored; `flag` is the column before it that says whether it is set, where it may be NULL."""

    name: str
    kind: Kind
    ascending: bool = True
    flag: str | None = None
    is_escaped: bool = False

    @property
    def cql(self) -> str:
        """Return the column's type as a clustering column."""
        return STORED[self.kind].key_cql or STORED[self.kind].cql

    def to_bytes(self) -> ToBytes:
        """Return the conversion of a stored value to the bytes of the column, escaped if need be."""
        if not self.is_escaped:
            return STORED[self.kind].to_bytes
        return _escaped_text_bytes if self.kind in TEXTS else _escaped_bytes

    def as_python(self) -> Callable[[Any], Any] | None:
        """Return the conversion of a stored value to the Python value a driver takes; None where they are the same."""
        codec = CODECS.get(self.cql)
        return self.as_kept() or (codec.decode if codec else None)

    def as_kept(self) -> Callable[[Any], Any] | None:
        """Return the function that escapes a stored value; None where the column holds the value itself."""
        if not self.is_escaped:
            return None
        return _escaped_text if self.kind in TEXTS else _escaped_bytes


def _escaped_text(value: str) -> str:
    return value if value and value[0] != "\x00" else "\x00" + value


def _escaped_text_bytes(value: str) -> bytes:
    return value.encode() if value and value[0] != "\x00" else b"\x00" + value.encode()


def _escaped_bytes(value: bytes) -> bytes:
    return value if value and value[0] else b"\x00" + value


@dataclass(frozen=True, slots=True)
class Layout:
    """The CQL table that keeps one index; `leading` is `#all` or `#bucket` where the partition begins with one."""

    name: str
    comment: str
    leading: str | None
    partition: tuple[KeyColumn, ...]
    clustering: tuple[KeyColumn, ...]
    covering: tuple[tuple[str, Kind], ...]
    may_have_null: tuple[int, ...] = ()  # positions in an entry of the partition columns that may be NULL
    is_primary: bool = False
    keyspace: str = "piql"
    is_backwards: bool = False

    def backwards(self) -> Layout:
        """Return the same table in the opposite order: reading against a table's order takes a server longer."""
        clustering = tuple(replace(column, ascending=not column.ascending) for column in self.clustering)
        return replace(self, clustering=clustering, is_backwards=not self.is_backwards)

    @property
    def table(self) -> str:
        """Return the table's name as it stands in CQL."""
        return f"{quoted(self.keyspace)}.{quoted(self.name)}"

    def cql_types(self) -> dict[str, str]:
        """Return the types of the index's columns by their names."""
        return (
            {column.name: STORED[column.kind].cql for column in self.partition}
            | {column.name: column.cql for column in self.clustering}
            | {name: STORED[kind].cql for name, kind in self.covering}
        )

    @property
    def hidden(self) -> tuple[str, ...]:
        """Return the names of the hidden columns."""
        return (WRITE, STATE) if self.is_primary else (STATE,)

    @property
    def has_bucket(self) -> bool:
        return self.leading == BUCKET

    @property
    def key(self) -> tuple[KeyColumn, ...]:
        return (*self.partition, *self.clustering)

    def create(self) -> str:
        """Return the CREATE TABLE."""
        columns: list[str] = []
        if self.leading:
            columns.append(f"{quoted(self.leading)} {'int' if self.has_bucket else 'tinyint'}")
        types = self.cql_types()
        columns.extend(f"{quoted(column.name)} {types[column.name]}" for column in self.partition)
        order: list[str] = []
        for column in self.clustering:
            direction = "ASC" if column.ascending else "DESC"
            if column.flag:
                columns.append(f"{quoted(column.flag)} boolean")
                order.append(f"{quoted(column.flag)} {direction}")
            columns.append(f"{quoted(column.name)} {types[column.name]}")
            order.append(f"{quoted(column.name)} {direction}")
        columns.extend(f"{quoted(name)} {types[name]}" for name, _ in self.covering)
        columns.extend(f"{quoted(name)} {'text' if name == WRITE else 'tinyint'}" for name in self.hidden)
        partition = ", ".join(quoted(name) for name in self.partition_names())
        key = "".join(f", {quoted(name)}" for name in self.clustering_names())
        ordered = f"CLUSTERING ORDER BY ({', '.join(order)}) AND " if order else ""
        return (
            f"CREATE TABLE IF NOT EXISTS {self.table} ({', '.join(columns)}, PRIMARY KEY (({partition}){key}))"
            f" WITH {ordered}comment = {literal(self.comment)} AND {IMPATIENT}"
        )

    def partition_names(self) -> list[str]:
        """Return the columns of the partition key, with `#all` or `#bucket`."""
        return [*([self.leading] if self.leading else []), *(column.name for column in self.partition)]

    def clustering_names(self) -> list[str]:
        """Return the clustering columns, with their flags."""
        return [name for column in self.clustering for name in (column.flag, column.name) if name]

    def key_names(self) -> list[str]:
        """Return the columns of the primary key."""
        return [*self.partition_names(), *self.clustering_names()]

    def value_names(self) -> list[str]:
        """Return the other columns, the hidden ones last."""
        return [*(name for name, _ in self.covering), *self.hidden]

    def put(self, how: str) -> str:
        """Return the INSERT of a whole row: its key, its other columns, its hidden ones."""
        names = [*self.key_names(), *self.value_names()]
        columns = ", ".join(map(quoted, names))
        return f"INSERT INTO {self.table} ({columns}) VALUES ({', '.join('?' * len(names))}) {how}"

    def update(self, how: str, condition: str) -> str:
        """Return the UPDATE of all columns beside the key, under a condition."""
        columns = ", ".join(f"{quoted(name)} = ?" for name in self.value_names())
        return f"UPDATE {self.table} {how} SET {columns} WHERE {self._where_key()} IF {condition}"

    def delete(self) -> str:
        """Return the DELETE of a row by its key, at a timestamp."""
        return f"DELETE FROM {self.table} USING TIMESTAMP ? WHERE {self._where_key()}"

    def _where_key(self) -> str:
        return " AND ".join(f"{quoted(name)} = ?" for name in self.key_names())

    def bind_key(self) -> Bind:
        """Return the function from an entry, or its key, to the bytes of the key; None for one that is not stored."""
        names: dict[str, Any] = {"TRUE": TRUE, "FALSE": FALSE, "pack_int": pack_int}
        parts: list[str] = []
        at = 0
        if self.has_bucket:
            parts.append("pack_int(a[0])")
            at = 1
        elif self.leading:
            parts.append("FALSE")
        for column in self.partition:
            names[f"e{at}"] = column.to_bytes()
            parts.append(f"e{at}(a[{at}])")
            at += 1
        for column in self.clustering:
            names[f"e{at}"] = encode = column.to_bytes()
            if column.flag:
                names[f"d{at}"] = encode(STORED[column.kind].stand_in_for_null)
                parts.append(f"*((FALSE, d{at}) if a[{at}] is None else (TRUE, e{at}(a[{at}])))")
            else:
                parts.append(f"e{at}(a[{at}])")
            at += 1
        body = f"[{', '.join(parts)}]"
        if self.may_have_null:
            missing = " or ".join(f"a[{position}] is None" for position in self.may_have_null)
            body = f"None if {missing} else {body}"
        function: Bind = eval(f"lambda a: {body}", names)
        return function

    def bind_values(self) -> Callable[[Arguments], list[bytes | None]]:
        """Return the function from an entry to the bytes of its covering columns, without the hidden ones."""
        first = self.has_bucket + len(self.key)
        names: dict[str, Any] = {}
        parts: list[str] = []
        for at, (_, kind) in enumerate(self.covering, start=first):
            names[f"e{at}"] = STORED[kind].to_bytes
            parts.append(f"None if a[{at}] is None else e{at}(a[{at}])")
        function: Callable[[Arguments], list[bytes | None]] = eval(f"lambda a: [{', '.join(parts)}]", names)
        return function


def layout_of(
    table: Table, index: Index, keyspace: str = "piql", prefix: str = "", *, is_in_order: bool = False
) -> Layout:
    """Return the layout of an index; with `is_in_order` a table is one partition, for reads that fix no column."""
    fixed = 0 if index.is_primary and is_in_order else index.partition_columns
    leading = BUCKET if index.buckets > 1 else ALL if fixed == 0 else None
    partition = tuple(
        KeyColumn(column.name, _kind(table, column.name, column.token_of), is_escaped=False)
        for column in index.columns[:fixed]
    )
    if len(partition) == 1 and leading is None and partition[0].kind in (*TEXTS, Kind.BLOB):
        partition = (KeyColumn(partition[0].name, partition[0].kind, is_escaped=True),)
    clustering = tuple(
        KeyColumn(
            column.name,
            _kind(table, column.name, column.token_of),
            column.ascending,
            "?" + column.name if not column.token_of and _may_be_null(table, column.name) else None,
        )
        for column in index.columns[fixed:]
    )
    covering = tuple((name, _kind(table, name, ())) for name in index.covering)
    first = int(leading == BUCKET)
    nulls = tuple(
        at
        for at, fixed_column in enumerate(index.columns[:fixed], start=first)
        if not fixed_column.token_of and _may_be_null(table, fixed_column.name)
    )
    comment = f"piql[{prefix}] {'table' if index.is_primary else 'index'} {index.name}"
    if index.is_primary:
        name = table_name(prefix, f"{table.name}__in_order" if is_in_order else table.name)
    else:
        definition = repr((table.name, leading, partition, clustering, covering, index.buckets, index.columns))
        name = table_name(prefix, index.name, hashlib.sha256(definition.encode()).hexdigest()[:8])
    return Layout(
        name, comment, leading, partition, clustering, covering, nulls, is_primary=index.is_primary, keyspace=keyspace
    )


def table_name(prefix: str, name: str, mark: str = "") -> str:
    """Return the name of a CQL table: `name` itself where CQL allows it, else its allowed characters and a digest."""
    plain = re.sub(r"[^a-z0-9_]", "_", name.lower())
    if plain != name or not plain[:1].isalpha():
        mark = "_".join(part for part in (mark, hashlib.sha256(name.encode()).hexdigest()[:6]) if part)
    ending = f"_{mark}" if mark else ""
    room = LONGEST_NAME - len(prefix) - len(ending)
    if len(plain) > room:
        digest = hashlib.sha256(name.encode()).hexdigest()[:6]
        ending = f"_{digest}{ending}"
        plain = plain[: LONGEST_NAME - len(prefix) - len(ending)]
    start = plain if (prefix or plain[:1].isalpha()) else f"t{plain[1:]}"
    return f"{prefix}{start}{ending}"


def _kind(table: Table, name: str, token_of: tuple[str, ...]) -> Kind:
    column = table.column(name)
    return column.type.kind if column is not None and not token_of else Kind.TEXT


def _may_be_null(table: Table, name: str) -> bool:
    column = table.column(name)
    return column is not None and column.nullable and name not in table.primary_key
