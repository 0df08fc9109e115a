"""Copies the people of one database into an empty other one, such as from `people.db` to PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, func, insert, select, text

from piql_backend.people.database import PeopleDatabase
from piql_backend.people.tables import metadata, writer

_AT_ONCE = 1_000  # rows


def copy_people(source: PeopleDatabase, target: PeopleDatabase) -> Mapping[str, int]:
    """Copy all rows in one transaction, and count them by table; ValueError where there is somebody already."""
    counts: dict[str, int] = {}
    tables = [table for table in metadata.sorted_tables if table is not writer]
    with source.begin() as reading, target.begin_alone() as writing:
        for table in tables:
            if writing.execute(select(func.count()).select_from(table)).scalar_one():
                raise ValueError(f"{target.name} has {table.name} already: people are copied into an empty database")
        for table in tables:
            count = 0
            for rows in reading.execute(select(table)).mappings().partitions(_AT_ONCE):
                writing.execute(insert(table), [dict(row) for row in rows])
                count += len(rows)
            _go_on_counting(writing, table.name, "id" in table.c)
            counts[table.name] = count
    return counts


def _go_on_counting(connection: Connection, table: str, has_numbers: bool) -> None:
    """Let the next row of a table have a number that no copied one has."""
    if has_numbers and connection.dialect.name == "postgresql":
        last = f"SELECT COALESCE(MAX(id), 0) + 1 FROM {table}"
        connection.execute(text(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), ({last}), false)"))
