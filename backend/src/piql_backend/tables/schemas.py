"""Tables with their constraints, pages of rows, and writes of one row."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from piql_backend.web.schemas import Read, Write

Values = dict[str, JsonValue]


class LiveColumnRead(Read):
    """`type` is as declared; `is_nullable` is false for columns of the key, too.

    With `has_default` a new row may leave the column out, and then holds something else than NULL.
    """

    name: str
    type: str
    is_nullable: bool
    has_default: bool
    is_key: bool


class LiveForeignKeyRead(Read):
    """`columns[i]` equals `referenced_columns[i]` of a row of `table`."""

    columns: list[str]
    table: str
    referenced_columns: list[str]


class LiveLimitRead(Read):
    """At most `limit` rows share one value of `columns`, or with `is_token` hold one word in them."""

    limit: int
    columns: list[str]
    is_token: bool


class LiveTableRead(Read):
    """A table of the live version. A filter gives values for the first columns, one or more, of a list in `filters`."""

    name: str
    columns: list[LiveColumnRead]
    primary_key: list[str]
    unique_keys: list[list[str]]
    foreign_keys: list[LiveForeignKeyRead]
    limits: list[LiveLimitRead]
    filters: list[list[str]]
    rows_estimate: int


class TablesRead(Read):
    """All tables of the live version, in the order of their declaration."""

    items: list[LiveTableRead]


class RowsRead(Read):
    """Rows are lists in the order of `columns`, with values as in the result of an execution.

    `operations` is how many requests the page took, `index` the index that served it, null for the table itself.
    """

    table: str
    columns: list[LiveColumnRead]
    rows: list[list[JsonValue]]
    cursor: str | None
    operations: int
    index: str | None


class RowCreate(Write):
    """A new row; columns that are not named have their DEFAULT. An existing row of the same key is not replaced."""

    values: Values = Field(max_length=1000)


class RowUpdate(Write):
    """New `values` for columns of the row with the `key`, if these columns still have the values that were `seen`."""

    key: Values = Field(max_length=100)
    values: Values = Field(min_length=1, max_length=1000)
    seen: Values = Field(max_length=1000)


class RowDelete(Write):
    """The row with the `key`, if its columns still have the values that were `seen`."""

    key: Values = Field(max_length=100)
    seen: Values = Field(default_factory=dict, max_length=1000)


class RowWriteRead(Read):
    """The requests that a write of one row took, and the most that it may take."""

    operations: int
    bound_operations: int


ExportFormat = Literal["csv", "jsonl", "parquet"]
