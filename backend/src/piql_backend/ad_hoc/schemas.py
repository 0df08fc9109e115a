"""One run of a SELECT that is not deployed."""

from __future__ import annotations

from pydantic import Field, JsonValue

from piql_backend.compilations.schemas import ParameterRead
from piql_backend.executions.schemas import ExecutionRead
from piql_backend.web.schemas import Read, Write


class SelectCreate(Write):
    """A SELECT, with values of its parameters as executions take them; null where they are not known yet."""

    text: str = Field(min_length=1, max_length=100_000)
    parameters: dict[str, JsonValue] | None = Field(default=None, max_length=200)
    cursor: str | None = Field(default=None, max_length=20_000)


class SelectRead(Read):
    """The parameters of a SELECT, its bound, and the indexes that it reads beside its tables.

    `execution` is null where there are parameters and the request had no values: nothing has run then.
    """

    parameters: list[ParameterRead]
    operations: int
    formula: str
    indexes: list[str]
    execution: ExecutionRead | None
