"""What is prepared for writing one index, or a table: its CQL, and the functions from entries to bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from piql.store.cql.layout import Bind, Layout, quoted
from piql.store.rows import STATE, WRITE, Row, State

_STATES = [bytes([state.value]) for state in State]


@dataclass(frozen=True, slots=True)
class CqlEntries:
    """The statements that write one index. Those for records are empty for other indexes.

    key, values         from an entry to the bytes of its key, and of its covering columns
    key_length          how many columns of an entry are its key
    partition_length    how many of the bytes of the key are its partition
    put, delete         a row at a timestamp
    find                a record;  `find_some`   several of one partition (empty where a partition is one record)
    insert              a record if there is none
    change              a record if `#write` names a write
    adopt               a record if `#write` is NULL: another client wrote it
    """

    layout: Layout
    key_length: int
    key: Bind
    values: Callable[[tuple[Any, ...]], list[bytes | None]]
    put: str
    delete: str
    find: str
    insert: str
    change: str
    adopt: str
    find_some: str
    partition_length: int

    def put_values(self, row: Row, hidden: tuple[bytes, ...]) -> list[bytes | None] | None:
        """Return the bytes of a whole row; None for an entry that is not stored (see layout.py)."""
        key = self.key(row)
        return None if key is None else [*key, *self.values(row), *hidden]

    @property
    def visible(self) -> tuple[bytes, ...]:
        """Return the bytes of the hidden columns of a VISIBLE row without a write."""
        return self.hidden(State.VISIBLE)

    def hidden(self, state: State, write: str = "") -> tuple[bytes, ...]:
        """Return the bytes of the hidden columns."""
        state_bytes = _STATES[state]
        return (write.encode(), state_bytes) if self.layout.is_primary else (state_bytes,)


def entries_of(layout: Layout) -> CqlEntries:
    """Return the statements that write the index with a layout."""
    values = [quoted(name) for name in (WRITE, STATE, *(name for name, _ in layout.covering))]
    where = " AND ".join(f"{quoted(name)} = ?" for name in layout.key_names())
    is_primary = layout.is_primary
    clustering = [quoted(name) for name in layout.clustering_names()]
    is_found_in_groups = is_primary and bool(clustering)
    key_columns = clustering[0] if len(clustering) == 1 else f"({', '.join(clustering)})"
    partition = " AND ".join(f"{quoted(name)} = ?" for name in layout.partition_names())
    columns = ", ".join([*clustering, *values])
    return CqlEntries(
        layout,
        layout.has_bucket + len(layout.key),
        layout.bind_key(),
        layout.bind_values(),
        layout.put("USING TIMESTAMP ?"),
        layout.delete(),
        f"SELECT {', '.join(values)} FROM {layout.table} WHERE {where}" if is_primary else "",
        layout.put("IF NOT EXISTS USING TTL ?") if is_primary else "",
        layout.update("USING TTL ?", f"{quoted(WRITE)} >= ? AND {quoted(WRITE)} < ?") if is_primary else "",
        layout.update("USING TTL ?", f"{quoted(WRITE)} = NULL") if is_primary else "",
        f"SELECT {columns} FROM {layout.table} WHERE {partition} AND {key_columns} IN ?" if is_found_in_groups else "",
        len(layout.partition_names()),
    )
