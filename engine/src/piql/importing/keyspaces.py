"""The tables of a live CQL keyspace as a schema of PIQL, with notes of what the user decides and what is left out."""

from __future__ import annotations

from collections.abc import Sequence

from piql.importing.writing import in_quotes, quoted
from piql.store.cql.schema.foreign_tables import ForeignColumn, ForeignTable
from piql.store.cql.stored_values import STORED

# Type of CQL → type of PIQL.
_TYPES = {cql: kind.value for kind, row in STORED.items() for cql in (row.cql, *row.also)}


def _name(name: str) -> str:
    """Return a name as PIQL writes it, in quotes also where it has capital letters, as CQL needs them."""
    return quoted(name) if name == name.lower() else in_quotes(name)


def schema_text(keyspace: str, tables: Sequence[ForeignTable]) -> str:
    """Return tables as PIQL; comments say what is left out."""
    foreign = _foreign(tables)
    parts = [f"-- The tables of the keyspace {keyspace}. Limits are yours to choose: see the notes below each table.\n"]
    parts += [_table_text(table, foreign) for table in foreign]
    if len(foreign) < len(tables):
        parts.append(f"-- {len(tables) - len(foreign)} tables that PIQL keeps itself are left out.\n")
    return "\n".join(parts)


def keyspace_notes(tables: Sequence[ForeignTable]) -> list[tuple[str, str]]:
    """Return what the comments of `schema_text` say of each table, as pairs of its name and a note."""
    foreign = _foreign(tables)
    notes: list[tuple[str, str]] = []
    for table in foreign:
        reason = _reason_to_leave_out(table)
        table_notes = _notes(table, foreign) if reason is None else [f"it is left out: {reason}."]
        notes += [(table.name, note) for note in table_notes]
    return notes


def taken_tables(tables: Sequence[ForeignTable]) -> list[str]:
    """Return the names of the tables that PIQL can have."""
    return [table.name for table in _foreign(tables) if _reason_to_leave_out(table) is None]


def _foreign(tables: Sequence[ForeignTable]) -> list[ForeignTable]:
    return [table for table in tables if not table.is_piql]


def _reason_to_leave_out(table: ForeignTable) -> str | None:
    """Return why PIQL cannot have a table; None where it can."""
    if table.view_of is not None:
        return f"it is a view of {table.view_of}; PIQL derives an index of that table from the queries that need one"
    counters = [column.name for column in table.columns if column.type == "counter"]
    if counters:
        return f"it counts ({', '.join(counters)}); PIQL has no counters"
    unknown_type = next((column.type for column in table.key if column.type not in _TYPES), None)
    return None if unknown_type is None else f"its key has a column of type {unknown_type}"


def _table_text(table: ForeignTable, tables: Sequence[ForeignTable]) -> str:
    """Return a table with its indexes, and notes below it; or a comment that says why it is left out."""
    reason = _reason_to_leave_out(table)
    if reason is not None:
        return f"-- {table.name} is left out: {reason}.\n"
    columns = [
        column for column in (*table.key, *_plain_columns(table)) if column.type in _TYPES and column.kind != "static"
    ]
    width = max(len(_name(column.name)) for column in columns)
    lines = [f"  {_name(column.name):<{width}} {_TYPES[column.type]}," for column in columns]
    key = ", ".join(_name(column.name) for column in table.key)
    text = f"CREATE TABLE {_name(table.name)} (\n" + "\n".join(lines) + f"\n  PRIMARY KEY ({key})\n);\n"
    names = {column.name for column in columns}
    indexes = "".join(
        f"CREATE INDEX {_name(name)} ON {_name(table.name)} ({_name(_indexed_column(target))});\n"
        for name, target in table.indexes
        if _indexed_column(target) in names
    )
    return text + indexes + "".join(f"-- {note}\n" for note in _notes(table, tables))


def _indexed_column(target: str) -> str:
    """Return the column that an index of CQL is on, out of its quotes."""
    return target[1:-1].replace('""', '"') if target.startswith('"') else target


def _plain_columns(table: ForeignTable) -> list[ForeignColumn]:
    """Return the columns that are not of the key, by name."""
    return sorted((column for column in table.columns if column not in table.key), key=lambda column: column.name)


def _notes(table: ForeignTable, tables: Sequence[ForeignTable]) -> list[str]:
    """Return what the user has to decide about a table, and what of it is left out or changed."""
    notes: list[str] = []
    partition = ", ".join(_name(column.name) for column in table.partition)
    if len(table.key) > len(table.partition):
        notes.append(f"How many rows of {table.name} share one {partition}? To read them all, add to the table")
        notes.append(f"CARDINALITY LIMIT 100 ({partition}); else read them with LIMIT or PAGINATE.")
    names = {column.name for column in table.columns if column.type in _TYPES and column.kind != "static"}
    for index, target in table.indexes:
        if _indexed_column(target) not in names:
            notes.append(f"{index} is left out: PIQL has no index of {target}.")
            continue
        indexed = _name(_indexed_column(target))
        notes.append(f"{index}: to read all rows of one {indexed}, add CARDINALITY LIMIT 100 ({indexed}).")
    for column in table.columns:
        parent = _parent(column, table, tables)
        if parent is not None:
            notes.append(f"{column.name} may name a row of {parent}: add REFERENCES {_name(parent)}.")
    for column in (*table.key, *_plain_columns(table)):
        if column.type not in _TYPES:
            notes.append(f"{column.name} is left out: PIQL has no {column.type}.")
        elif column.kind == "static":
            notes.append(f"{column.name} is left out: it is static.")
        elif column.is_descending:
            notes.append(f"{column.name} is kept in descending order; PIQL reads either way.")
    return notes


def _parent(column: ForeignColumn, table: ForeignTable, tables: Sequence[ForeignTable]) -> str | None:
    """Return the table whose key a column seems to name: `username`, `user` or `user_id` for the table users."""
    for candidate in tables:
        if candidate.name == table.name or len(candidate.key) != 1:
            continue
        (key,) = candidate.key
        singular = candidate.name.removesuffix("s")
        if key.type == column.type and column.name in (key.name, singular, f"{singular}_{key.name}"):
            return candidate.name
    return None
