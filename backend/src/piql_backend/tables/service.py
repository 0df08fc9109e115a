"""Reads and writes rows of the live tables; each page and each write is bounded.

A write becomes a PIQL statement with numbered parameters, which is compiled and run like any other:

    UPDATE "users" SET "city" = [1: v1] WHERE "name" = [2: v2] IF "city" = [3: v3]
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress

from piql.client.database import Database
from piql.client.table_rows import columns_behind, filters_of, rows_page
from piql.compiler import compile_statement
from piql.errors import (
    CardinalityViolation,
    ConditionFailed,
    ConstraintViolation,
    DuplicateKey,
    ForeignKeyViolation,
    InvalidCursor,
    NotDeployed,
    PiqlError,
)
from piql.files.row_check import NumberedRow, RowCheck
from piql.runtime.writing.table_rules.records import never_null
from piql.schema.catalog import Column, Table
from piql.schema.json_values import to_json
from piql.schema.types import convert
from piql.schema.values import ValueMismatch, shown

from piql_backend.executions.values import from_json
from piql_backend.stores.connection import StoreConnection
from piql_backend.tables.schemas import (
    LiveColumnRead,
    LiveForeignKeyRead,
    LiveLimitRead,
    LiveTableRead,
    RowCreate,
    RowDelete,
    RowsRead,
    RowUpdate,
    RowWriteRead,
    TablesRead,
    Values,
)
from piql_backend.web.errors import ApiError, NotFound, from_engine

_CONSTRAINT_ERRORS = (ConstraintViolation, DuplicateKey, CardinalityViolation, ForeignKeyViolation)


class Tables:
    """The tables of one store; may be used from any thread."""

    def __init__(self, store: StoreConnection) -> None:
        self._store = store

    def tables(self) -> TablesRead:
        """Return the live tables; none where nothing is deployed."""
        database = self._store.database()
        return TablesRead(items=[_read(database, table) for table in database.deployment.tables.values()])

    def rows(self, name: str, filter: str | None, cursor: str | None, limit: int) -> RowsRead:
        """Return a page; `filter` is a JSON object of values by column, as text.

        Raises ApiError 404 for an unknown table, 422 for a filter that no index serves, InvalidCursor for a cursor of
        another table or filter.
        """
        database = self._store.database()
        table = self.table(name)
        filter_values = from_json(_filter_of(filter), table.columns)
        key_columns = columns_behind(database.deployment, table, filter_values)
        position = None if cursor is None else _after(cursor, table, filter_values, key_columns)
        page = rows_page(database, name, filter_values, position, limit)
        return RowsRead(
            table=name,
            columns=columns_of(table),
            rows=[[to_json(value) for value in row] for row in page.rows],
            cursor=None if page.after is None else _cursor(table, filter_values, page.after),
            operations=page.requests,
            index=page.index,
        )

    def insert(self, name: str, request: RowCreate) -> RowWriteRead:
        """Write a row whose key is new; a column that is not named has its DEFAULT.

        Raises ApiError 404 and 422 as `_write`, and 422 for a column that lacks a value.
        """
        table = self.table(name)
        values = _values(table, request.values)
        missing = _missing(table, values)
        if missing is not None:
            raise ApiError(422, "constraint-violation", f"{never_null(table, missing)}.", parameter=missing)
        parameters: list[object] = []
        columns = ", ".join(map(_quoted, values or table.primary_key))
        row = ", ".join(
            [_parameter(parameters, value) for value in values.values()] or ["DEFAULT"] * len(table.primary_key)
        )
        text = f"INSERT INTO {_quoted(name)} ({columns}) VALUES ({row}) IF NOT EXISTS"
        return self._write(table, text, parameters, values)

    def update(self, name: str, request: RowUpdate) -> RowWriteRead:
        """Change columns of a row, if these columns still have the values that were seen.

        Raises ApiError 422 for columns of the key and for a column whose `seen` value is not in the request.
        """
        table = self.table(name)
        key, seen, values = _key(table, request.key), _values(table, request.seen), _values(table, request.values)
        for column in values:
            if column in table.primary_key:
                advice = "Insert a row with the new key, and delete this one."
                message = f"{column} is part of the primary key and cannot be changed."
                raise ApiError(422, "invalid-parameter", message, advice, parameter=column)
            if column not in seen:
                message = f"{column} is to be changed, but the request does not say which value was seen."
                raise ApiError(422, "invalid-parameter", message, parameter=column)
        parameters: list[object] = []
        assignments = ", ".join(
            f"{_quoted(column)} = {_parameter(parameters, value)}" for column, value in values.items()
        )
        where = _where(key, parameters)
        condition = _if_as_seen({column: seen[column] for column in values}, parameters)
        text = f"UPDATE {_quoted(name)} SET {assignments} WHERE {where}{condition}"
        try:
            return self._write(table, text, parameters, {**seen, **key, **values})
        except ConditionFailed:
            raise self._changed(table, key, {column: seen[column] for column in values}) from None

    def delete(self, name: str, request: RowDelete) -> RowWriteRead:
        """Delete a row, if its columns still have the values that were seen."""
        table = self.table(name)
        key, seen = _key(table, request.key), _values(table, request.seen)
        parameters: list[object] = []
        where = _where(key, parameters)
        condition = _if_as_seen({column: value for column, value in seen.items() if column not in key}, parameters)
        try:
            return self._write(table, f"DELETE FROM {_quoted(name)} WHERE {where}{condition}", parameters, None)
        except ConditionFailed:
            raise self._changed(table, key, seen) from None

    def _changed(self, table: Table, key: Mapping[str, object], seen: Mapping[str, object]) -> ApiError:
        """Return the refusal of a write to a row that is not as it was seen: it says what the row holds now."""
        rows = rows_page(self._store.database(), table.name, key, limit=1).rows
        if not rows:
            message, advice = "The row was deleted meanwhile.", "Insert it anew if it is still wanted."
            return ApiError(422, "condition-failed", message, advice)
        changes = [
            f"{column.name} is {shown(value)} now"
            for column, value in zip(table.columns, rows[0], strict=True)
            if column.name in seen and convert(seen[column.name], column.type) != value
        ]
        message = "The row was changed meanwhile" + (f": {', '.join(changes)}." if changes else ".")
        return ApiError(422, "condition-failed", message, "Look at it, then try again if that is still right.")

    def table(self, name: str) -> Table:
        """Return a live table; NotFound where there is none of that name."""
        try:
            return self._store.database().deployment.table(name)
        except NotDeployed as missing:
            raise NotFound("unknown-table", f"{missing}.", "Deploy the schema that declares it.") from None

    def _write(
        self, table: Table, text: str, parameters: Sequence[object], row: Mapping[str, object] | None
    ) -> RowWriteRead:
        """Run a statement with its numbered parameters.

        Raises ApiError 422 where a constraint is violated; it names the column of `row` that the constraint is about,
        and no column where there is no `row`. Other errors are the engine's.
        """
        database = self._store.database()
        named = {f"v{at}": value for at, value in enumerate(parameters, start=1)}
        try:
            page = database.run(text, named)
        except _CONSTRAINT_ERRORS as error:
            refusal = from_engine(error)
            column = None if row is None else _column_at_fault(database, table, row)
            raise ApiError(refusal.status, refusal.code, str(error), refusal.body.help, parameter=column) from None
        bound = compile_statement(text, database.deployment.compilation).bound
        return RowWriteRead(operations=page.operations, bound_operations=bound.operations if bound else page.operations)


def _read(database: Database, table: Table) -> LiveTableRead:
    return LiveTableRead(
        name=table.name,
        columns=columns_of(table),
        primary_key=list(table.primary_key),
        unique_keys=[list(key.columns) for key in table.unique_keys],
        foreign_keys=[LiveForeignKeyRead.model_validate(key) for key in table.foreign_keys],
        limits=[LiveLimitRead.model_validate(limit) for limit in table.limits],
        filters=[list(columns) for columns in filters_of(database.deployment, table)],
        rows_estimate=database.store.estimate_rows(table),
    )


def columns_of(table: Table) -> list[LiveColumnRead]:
    """Return the columns of a table as they are shown."""
    key = table.primary_key
    return [
        LiveColumnRead(
            name=column.name,
            type=str(column.type),
            is_nullable=column.nullable and column.name not in key,
            has_default=column.has_default,
            is_key=column.name in key,
        )
        for column in table.columns
    ]


def _values(table: Table, values: Values) -> dict[str, object]:
    """Return values of columns as the engine takes them; a refusal names the column."""
    for name in values:
        if table.column(name) is None:
            raise ApiError(422, "invalid-parameter", f"{table.name} has no column {name}.", parameter=name)
    converted = from_json(values, table.columns)
    for name, value in converted.items():
        column = table.column(name)
        assert column is not None
        try:
            convert(value, column.type)
        except ValueMismatch as mismatch:
            raise ApiError(422, "constraint-violation", f"{mismatch}.", parameter=name) from None
    return converted


def _key(table: Table, values: Values) -> dict[str, object]:
    """The values of a key; ApiError 422 unless they are those of all its columns."""
    if set(values) != set(table.primary_key):
        key = ", ".join(table.primary_key)
        raise ApiError(422, "invalid-parameter", f"The key of {table.name} is {key}.", "Give all of it.")
    return _values(table, values)


def _missing(table: Table, row: Mapping[str, object]) -> str | None:
    """Return the first column that a row has no value for, not even by its DEFAULT, and that cannot be NULL."""
    for column in table.columns:
        if column.has_default and column.name not in row:
            continue
        if row.get(column.name) is None and (not column.nullable or column.name in table.primary_key):
            return column.name
    return None


def _column_at_fault(database: Database, table: Table, row: Mapping[str, object]) -> str | None:
    """The column that a violated constraint is about, None if unknown: the row is checked again, like one of a file."""
    missing = _missing(table, row)
    if missing is not None:
        return missing
    with suppress(PiqlError):
        problems = RowCheck(database, table.name).problems([NumberedRow(1, row)])
        return next((problem.column for problem in problems if problem.column is not None), table.primary_key[0])
    return None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _parameter(parameters: list[object], value: object) -> str:
    """Append a value to the parameters, and return how the statement names it."""
    parameters.append(value)
    return f"[{len(parameters)}: v{len(parameters)}]"


def _where(key: Mapping[str, object], parameters: list[object]) -> str:
    return " AND ".join(f"{_quoted(column)} = {_parameter(parameters, value)}" for column, value in key.items())


def _if_as_seen(seen: Mapping[str, object], parameters: list[object]) -> str:
    """The IF clause that columns have the values that were seen; "" where there are none."""
    parts = [
        f"{_quoted(column)} IS NULL" if value is None else f"{_quoted(column)} = {_parameter(parameters, value)}"
        for column, value in seen.items()
    ]
    return " IF " + " AND ".join(parts) if parts else ""


def _filter_of(text: str | None) -> Values:
    """Parse a filter; ApiError 422 for what is no JSON object."""
    if text is None:
        return {}
    try:
        filter_values = json.loads(text)
    except (ValueError, RecursionError):
        filter_values = None
    if not isinstance(filter_values, dict):
        message = "The filter is not a JSON object of values by column."
        raise ApiError(422, "invalid-parameter", message, 'Write it as {"owner": "ada"}.', parameter="filter")
    return filter_values


def _cursor(table: Table, filter_values: Mapping[str, object], position: Sequence[object]) -> str:
    """A cursor with the table, the columns of the filter, and the values of the last row in the other key columns."""
    content = [table.name, sorted(filter_values), [to_json(value) for value in position]]
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


def _after(
    cursor: str, table: Table, filter_values: Mapping[str, object], key_columns: Sequence[Column]
) -> list[object]:
    """The values in a cursor, for the key columns `rest` that the filter does not give."""
    try:
        name, columns, values = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if name != table.name or columns != sorted(filter_values) or len(values) != len(key_columns):
            raise ValueError
        position = from_json(
            {column.name: value for column, value in zip(key_columns, values, strict=True)}, key_columns
        )
    except (ValueError, TypeError, RecursionError, ApiError):
        raise InvalidCursor("the cursor is of another table or filter") from None
    return [position[column.name] for column in key_columns]
