"""A schema of another database to import, and what becomes of it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from piql_backend.web.schemas import Read, Write

Dialect = Literal["auto", "postgres", "mysql", "sqlite", "cql", "oracle", "tsql"]
Outcome = Literal["taken", "changed", "left out"]
MAX_CHARACTERS = 4_000_000


class SchemaImportCreate(Write):
    """`text` is a schema or a dump, whose rows are skipped; `queries` are statements of its application."""

    text: str = Field(max_length=MAX_CHARACTERS, examples=["CREATE TABLE users (id SERIAL PRIMARY KEY, name TEXT);"])
    queries: str = Field(max_length=MAX_CHARACTERS, default="", examples=["SELECT name FROM users WHERE id = ?"])
    dialect: Dialect = "auto"


class SchemaNoteRead(Read):
    """One change or omission, with its line in the schema or, where `is_query`, in the queries."""

    line: int
    is_query: bool
    outcome: Outcome
    subject: str
    reason: str


class SchemaImportRead(Read):
    """PIQL, and each change and omission; nothing is kept. `statements` is how many the input has."""

    text: str
    dialect: str
    tables: list[str]
    queries: list[str]
    statements: int
    taken: int
    notes: list[SchemaNoteRead]
