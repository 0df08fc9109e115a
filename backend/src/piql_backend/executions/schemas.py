"""One run of a deployed query."""

from __future__ import annotations

from pydantic import Field, JsonValue

from piql_backend.web.schemas import Read, Write


class ExecutionCreate(Write):
    """Parameters by name: null, numbers, strings, booleans, lists; ISO strings for TIMESTAMP, DATE, UUID and DECIMAL.

    A DECIMAL may be a number of at most 15 digits. A BLOB is `{"$base64": "…"}`; a BIGINT may be a string of digits.
    """

    parameters: dict[str, JsonValue] = Field(default_factory=dict, max_length=200)
    cursor: str | None = Field(default=None, max_length=20_000)


class ResultColumnRead(Read):
    """`type` is null where the compiler gives an output no single type."""

    name: str
    type: str | None


class ExecutionRead(Read):
    """Rows are lists in the order of `columns`; `cursor` is that of the next page, null on the last.

    `operations` are its requests, at most `bound_operations`; of a write that began again, those of the last try.
    `repair_operations` are the requests that settled interrupted writes of others. `rows_affected` are the rows that a
    write inserted, changed or deleted; null for a query. `tried_version` is the version that answered, where it is one
    that is tried beside the live one on a share of the executions.

    Values are JSON: TIMESTAMP as ISO 8601 in UTC, DATE, UUID and DECIMAL as strings, BLOB as `{"$base64": "…"}`,
    integers beyond ±2^53 as strings of digits, infinite numbers as "Infinity", "-Infinity" and "NaN".
    """

    query: str
    deployment_id: str
    columns: list[ResultColumnRead]
    rows: list[list[JsonValue]]
    cursor: str | None
    operations: int
    bound_operations: int
    round_trips: int
    repair_operations: int
    elapsed_ms: float
    rows_affected: int | None
    tried_version: int | None = None


class SampleParametersRead(Read):
    """Parameters that exist in the data; `sources` says of each where it was taken from."""

    parameters: dict[str, JsonValue]
    sources: dict[str, str]
