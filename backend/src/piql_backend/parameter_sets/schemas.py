"""Saved sets of parameters."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from piql_backend.web.schemas import Read, ShownLine, Write

_ONE_LINE = r"^[^\x00-\x1f]*[^\x00-\x20][^\x00-\x1f]*$"  # and not of spaces alone
SetName = Annotated[ShownLine, Field(max_length=60)]
KeptSetName = Annotated[str, Field(min_length=1, max_length=60, pattern=_ONE_LINE)]  # as the first ones were named
QueryName = Annotated[str, Field(min_length=1, max_length=128, pattern=_ONE_LINE)]


class BytesValue(Write):
    """Bytes in base64."""

    model_config = ConfigDict(serialize_by_alias=True)

    base64: str = Field(alias="$base64")


Scalar = str | bool | int | Annotated[float, Field(allow_inf_nan=False)] | BytesValue
Row = dict[str, Scalar | None] | list[Scalar | None]
Values = dict[str, Scalar | list[Scalar | Row] | None]


class ParameterSetWrite(Write):
    """A name that no other set of the query has, and a value for each parameter, as executions take them.

    `base_revision` is the revision of the set that was read.
    """

    name: SetName
    parameters: Values = Field(max_length=200)
    base_revision: str = Field(max_length=100)


class ParameterSetCreate(Write):
    """A set of parameters of a query; 422 with `too-large-to-keep` where it has more than 20,000 characters."""

    query: QueryName
    name: SetName
    parameters: Values = Field(max_length=200)


class ParameterSetRead(Read):
    """A set as it is kept, whether or not it still fits the query; `revision` is a digest of it."""

    id: str
    query: str
    name: str
    parameters: Values
    revision: str
