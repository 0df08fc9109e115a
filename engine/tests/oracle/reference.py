"""DuckDB with the rows of a world: what the right answer is.

Where the two differ on purpose, this is agreed:

- A DOUBLE that is not finite is NULL in PIQL: so it is made here, by a macro around all arithmetic.
- DuckDB refuses a result outside of its type, as PIQL does; what it refuses is not compared, and PIQL may refuse it as
  NumberOutOfRange or, where its type is wider (BIGINT for INT, 38 digits for 18), give it. What DuckDB
  gives, PIQL gives.
- INT with INT is BIGINT in PIQL: literals are written as BIGINT here.
- SUM of whole numbers is BIGINT in PIQL, or refused. AVG, and SUM of DOUBLEs, are next to the exact result in PIQL, in
  any order of the rows; DuckDB's are off by their last digits, so they are made of fractions here.

The views of a world are views of DuckDB's: what a query finds there is made of the rows of the tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import duckdb

from .contents import Contents
from .duckdb_text import EXACT_AVERAGE, EXACT_SUM, FINITE, Written, duckdb_query
from .query import Read
from .schema import Schema, View, duckdb_ddl, duckdb_type
from .values import Value, duckdb_literal, from_duckdb
from .views import base_of, readable


class Reference:
    """Answers reads of one schema; `changed` tells it which tables to fill anew."""

    def __init__(self, schema: Schema, contents: Contents) -> None:
        self.schema = schema
        self.contents = contents
        self.connection = duckdb.connect(":memory:", config={"threads": 1})
        self.connection.execute(duckdb_ddl(schema))
        self.connection.execute(f"CREATE MACRO {FINITE}(x) AS CASE WHEN isfinite(CAST(x AS DOUBLE)) THEN x END")
        self.connection.create_function(EXACT_SUM, _exact_sum, ["DOUBLE[]"], "DOUBLE", null_handling="special")
        self.connection.create_function(EXACT_AVERAGE, _exact_average, ["VARCHAR[]"], "DOUBLE", null_handling="special")
        self.readable = readable(schema)
        for view in schema.views:
            self.connection.execute(f'CREATE VIEW "{view.name}" AS {_text_of(schema, view)}')
        self.dirty = {table.name for table in schema.tables}

    def close(self) -> None:
        self.connection.close()

    def changed(self, table: str) -> None:
        self.dirty.add(table)

    def _fill(self) -> None:
        for name in self.dirty:
            table = self.schema.table(name)
            lines = []
            for row in self.contents.all_rows(name):
                values: list[tuple[Value, str]] = [(row[column.name], column.name) for column in table.columns]  # type: ignore[misc]
                lines.append(
                    "(" + ", ".join(duckdb_literal(value, table.column(column).type) for value, column in values) + ")"
                )
            self.connection.execute(f'DELETE FROM "{name}"')
            if lines:
                self.connection.execute(f'INSERT INTO "{name}" VALUES {", ".join(lines)}')
        self.dirty.clear()

    def rows(self, query: Read, parameters: Mapping[str, object]) -> tuple[Written, list[tuple[object, ...]]]:
        """Return all rows in order, each with the keys it is ordered by behind its outputs; no LIMIT."""
        self._fill()
        written = duckdb_query(self.readable, query, parameters)
        fetched = self.connection.execute(written.text).fetchall()
        return written, [tuple(map(from_duckdb, row)) for row in fetched]

    def rows_of(self, name: str) -> list[tuple[object, ...]]:
        """Return all rows of a table or view, in any order."""
        self._fill()
        fetched = self.connection.execute(f'SELECT * FROM "{name}"').fetchall()
        return [tuple(map(from_duckdb, row)) for row in fetched]


def _text_of(schema: Schema, view: View) -> str:
    """Return the query of a view for DuckDB: with windows, over the rows of its table, once for each window."""
    text = duckdb_query(schema, view.select, {}).text
    if view.window is None:
        return text
    table = base_of(schema, view)
    column = view.window.column
    kind = duckdb_type(table.column(column).type)
    step = f"INTERVAL {view.window.step}"
    began = f'CAST(time_bucket({step}, "{column}") - number * {step} AS {kind}) AS began'
    rows = f'(SELECT *, {began} FROM "{table.name}", range({view.window.count}) AS windows(number))'
    text = text.replace(f'window_start("of rows"."{column}")', '"of rows".began')
    return text.replace(f'FROM "{table.name}" "of rows"', f'FROM {rows} AS "of rows"')


def _exact_sum(numbers: Sequence[float] | None) -> float | None:
    if numbers is None:
        return None
    try:
        return float(sum(map(Fraction, numbers), Fraction()))
    except OverflowError:
        return None


def _exact_average(numbers: Sequence[str] | None) -> float | None:
    return float(sum(map(Fraction, numbers), Fraction()) / len(numbers)) if numbers else None
