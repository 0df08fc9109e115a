"""A schema as the oracle sees it, and its text in both dialects."""

from __future__ import annotations

from dataclasses import dataclass

from .checks import Check
from .piql_text import piql_statement
from .query import Select
from .values import Value, ValueType, piql_literal


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: ValueType
    is_nullable: bool
    default: Value = None


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """`columns` name a row of `table` by its primary or a unique key; `max` is a limit on them."""

    columns: tuple[str, ...]
    table: str
    referenced: tuple[str, ...]
    max: int | None = None
    is_primary: bool = True


@dataclass(frozen=True, slots=True)
class Limit:
    """A CARDINALITY LIMIT; without columns it is one of the whole table."""

    limit: int
    columns: tuple[str, ...]
    is_token: bool = False


@dataclass(frozen=True, slots=True)
class HandIndex:
    """A CREATE INDEX by hand: columns with their directions; `token_of` puts the words of some columns first."""

    name: str
    table: str
    columns: tuple[tuple[str, bool], ...]
    covering: tuple[str, ...] = ()
    buckets: int | None = None
    token_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """`style` chooses between spellings that mean the same."""

    name: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...]
    uniques: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    limits: tuple[Limit, ...] = ()
    style: int = 0
    checks: tuple[Check, ...] = ()

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    @property
    def all_limits(self) -> tuple[Limit, ...]:
        """The limits as declared, and those that foreign keys bring with MAX."""
        return (*self.limits, *(Limit(key.max, key.columns) for key in self.foreign_keys if key.max is not None))

    @property
    def foreign_columns(self) -> frozenset[str]:
        return frozenset(name for key in self.foreign_keys for name in key.columns)


@dataclass(frozen=True, slots=True)
class Window:
    """Windows of time by a column: how long they are, how far apart they begin, and in how many a row is."""

    column: str
    length: str
    step: str
    count: int

    @property
    def clause(self) -> str:
        return f"WINDOW {self.length}" + (f" BY {self.step}" if self.count > 1 else "")


@dataclass(frozen=True, slots=True)
class View:
    """A CREATE VIEW; `select` groups the rows of one table, by the beginnings of a `window` where it has one."""

    name: str
    select: Select
    window: Window | None = None


@dataclass(frozen=True, slots=True)
class Schema:
    tables: tuple[Table, ...]
    indexes: tuple[HandIndex, ...] = ()
    views: tuple[View, ...] = ()

    def table(self, name: str) -> Table:
        return next(table for table in self.tables if table.name == name)


def piql_ddl(schema: Schema) -> str:
    """Write the schema as PIQL."""
    views = (_create_view(view) for view in schema.views)
    return "\n".join([*map(_create_table, schema.tables), *views, *map(_create_index, schema.indexes)]) + "\n"


def _create_view(view: View) -> str:
    clause = f"\n{view.window.clause}" if view.window is not None else ""
    return f"CREATE VIEW {view.name} AS\n{piql_statement(view.select)}{clause};"


def _create_table(table: Table) -> str:
    style = table.style
    if style & 256 and _is_entity(table):
        return _create_entity(table)
    inline_key = len(table.primary_key) == 1 and style & 1
    lines, inlined = [], set()
    for column in table.columns:
        words = [column.name, str(column.type)]
        if inline_key and column.name == table.primary_key[0]:
            words.append("PRIMARY KEY")
        elif column.name not in table.primary_key:
            if not column.is_nullable and (column.name not in table.foreign_columns or style & 2):
                words.append("NOT NULL")
            elif column.is_nullable and (column.name in table.foreign_columns or style & 4):
                words.append("NULL")
        words += [f"DEFAULT {piql_literal(column.default)}"] if column.default is not None else []
        for number, key in enumerate(table.foreign_keys):
            is_plain = key.columns == (column.name,) and key.is_primary
            if is_plain and style & 8 and number not in inlined:
                inlined.add(number)
                words.append(f"REFERENCES {key.table}" + (f" MAX {key.max}" if key.max is not None else ""))
        lines.append("  " + " ".join(words))
    clauses = []
    if not inline_key:
        clauses.append(f"PRIMARY KEY ({', '.join(table.primary_key)})")
    for number, columns in enumerate(table.uniques):
        name = f"CONSTRAINT {table.name}_u{number} " if style & 16 else ""
        clauses.append(f"{name}UNIQUE ({', '.join(columns)})")
    for number, key in enumerate(table.foreign_keys):
        if number not in inlined:
            referenced = "" if style & 32 and key.is_primary else f" ({', '.join(key.referenced)})"
            maximum = f" MAX {key.max}" if key.max is not None else ""
            clauses.append(f"FOREIGN KEY ({', '.join(key.columns)}) REFERENCES {key.table}{referenced}{maximum}")
    for number, limit in enumerate(table.limits):
        name = f"CONSTRAINT {table.name}_l{number} " if style & 64 else ""
        columns = ", ".join(limit.columns)
        counted = f" ({f'TOKEN({columns})' if limit.is_token else columns})" if columns else ""
        clauses.append(f"{name}CARDINALITY LIMIT {limit.limit}{counted}")
    clauses += map(str, table.checks)
    if style & 128:
        clauses.reverse()
    lines += ["  " + clause for clause in clauses]
    return f"CREATE TABLE {table.name} (\n" + ",\n".join(lines) + "\n);"


def _is_entity(table: Table) -> bool:
    """Say whether ENTITY can declare a table: its foreign keys are columns of their own, never NULL, on whole keys."""
    named = [name for key in table.foreign_keys for name in key.columns]
    is_plain = all(key.is_primary and len(key.columns) == 1 and key.table != table.name for key in table.foreign_keys)
    is_set = not any(table.column(name).is_nullable for name in named)
    has_default = any(column.default is not None for column in table.columns)
    has_words = any(limit.is_token for limit in table.limits)
    return (
        is_plain and is_set and len(set(named)) == len(named) and not has_words and not has_default and not table.checks
    )


def _create_entity(table: Table) -> str:
    """Write a table in the dialect of the SoCC paper."""
    references = {key.columns[0]: key for key in table.foreign_keys}
    lines = []
    for column in table.columns:
        key = references.get(column.name)
        if key is not None:
            maximum = f" MAX {key.max}" if key.max is not None else ""
            lines.append(f"  FOREIGN KEY {column.name} REF {key.table}{maximum}")
        else:
            is_set = not column.is_nullable and column.name not in table.primary_key
            lines.append(f"  {column.type} {column.name}{' NOT NULL' if is_set else ''}")
    lines += [f"  UNIQUE ({', '.join(columns)})" for columns in table.uniques]
    lines += [
        f"  CARDINALITY LIMIT {limit.limit}" + (f" ({', '.join(limit.columns)})" if limit.columns else "")
        for limit in table.limits
    ]
    lines.append(f"  PRIMARY({', '.join(table.primary_key)})")
    return f"ENTITY {table.name} {{\n" + ",\n".join(lines) + "\n}"


def _create_index(index: HandIndex) -> str:
    parts = [f"TOKEN({', '.join(index.token_of)})"] if index.token_of else []
    columns = ", ".join([*parts, *(name if ascending else f"{name} DESC" for name, ascending in index.columns)])
    covering = f" COVERING ({', '.join(index.covering)})" if index.covering else ""
    buckets = f" BUCKETS {index.buckets}" if index.buckets is not None else ""
    return f"CREATE INDEX {index.name} ON {index.table} ({columns}){covering}{buckets};"


def duckdb_ddl(schema: Schema) -> str:
    """Write the tables for DuckDB, without constraints: the data keeps them already."""
    statements = []
    for table in schema.tables:
        columns = ", ".join(f'"{column.name}" {duckdb_type(column.type)}' for column in table.columns)
        statements.append(f'CREATE OR REPLACE TABLE "{table.name}" ({columns});')
    return "\n".join(statements)


def duckdb_type(type: ValueType) -> str:
    return "VARCHAR" if type.is_text or type.kind == "TIMEUUID" else str(type)
