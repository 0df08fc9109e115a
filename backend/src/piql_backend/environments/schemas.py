"""Environments of an application: which store each uses, and how it is shown."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from piql.store.schemes import EMBEDDED, StoreKind
from pydantic import ConfigDict, Field, model_validator

from piql_backend.applications.schemas import Title
from piql_backend.prices.sheet_schemas import ChosenPrices
from piql_backend.web.schemas import Read, SloWrite, Write

Colour = Literal["grey", "green", "blue", "amber", "red"]
Consistency = Literal["ONE", "LOCAL_ONE", "TWO", "THREE", "QUORUM", "LOCAL_QUORUM", "EACH_QUORUM", "ALL"]
FileName = Annotated[str, Field(min_length=1, max_length=1000, pattern=r"^/[^\x00-\x1f]*$")]


def _document_one_of_both(schema: dict[str, Any]) -> None:
    """Let the document say what a validator checks: one of the properties is given."""
    properties = schema.pop("properties")
    schema["oneOf"] = [
        {
            "type": "object",
            "properties": {name: next(choice for choice in choices["anyOf"] if choice["type"] == "string")},
            "required": [name],
            "additionalProperties": False,
        }
        for name, choices in properties.items()
    ]
    for key in ("type", "additionalProperties"):
        schema.pop(key, None)


class ReferenceWrite(Write):
    """Where a credential is read from, one of both: a variable of the server's environment, or a file's first line."""

    model_config = ConfigDict(json_schema_extra=_document_one_of_both)

    variable: str | None = Field(default=None, max_length=200, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    file: FileName | None = None

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.variable is None) == (self.file is None):
            raise ValueError("name either a variable or a file")
        return self


class TlsWrite(Write):
    """Files of certificates by their paths on the server; without a `ca_file`, the system's are trusted."""

    ca_file: FileName | None = None
    certificate_file: FileName | None = None
    key_file: FileName | None = None


class StoreWrite(Write):
    """`embedded` for a file of the environment's own, `embedded:/PATH`, or `cql://HOST[,HOST…]/KEYSPACE[?prefix=…]`.

    The URL holds neither user nor password: they are named.
    """

    url: str = Field(default=EMBEDDED, min_length=1, max_length=2000, pattern=r"^[^\x00-\x20]+$")
    consistency: Consistency | None = None
    user: ReferenceWrite | None = None
    password: ReferenceWrite | None = None
    tls: TlsWrite | None = None


class EnvironmentCreate(Write):
    """Without an id it is made of the title. Nothing is written into the store, which is not even connected to."""

    title: Title
    id: str | None = Field(default=None, pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=60)
    store: StoreWrite = StoreWrite()
    colour: Colour = "grey"
    slo: SloWrite | None = None
    prices: ChosenPrices | None = None


class EnvironmentUpdate(Write):
    """What is not given stays as it is; `slo` and `prices` null take theirs away."""

    title: Title | None = None
    store: StoreWrite | None = None
    colour: Colour | None = None
    slo: SloWrite | None = None
    prices: ChosenPrices | None = None


class ReferenceRead(Read):
    variable: str | None
    file: str | None


class TlsRead(Read):
    ca_file: str | None
    certificate_file: str | None
    key_file: str | None


class StoreChoiceRead(Read):
    """The store of an environment as it was named; `is_served`: the one that the workbench was started with.

    One that came with an archive is not `is_confirmed`, nor connected to, until the environment's store is set.
    """

    kind: StoreKind
    url: str
    is_served: bool
    is_confirmed: bool = True
    consistency: str | None = None
    user: ReferenceRead | None = None
    password: ReferenceRead | None = None
    tls: TlsRead | None = None


class DefaultSloRead(Read):
    quantile: float
    threshold_ms: float
    interval_seconds: float


class EnvironmentRead(Read):
    """`slo` is what holds for a query without an SLO of its own, `prices` what requests cost.

    `problem` says why its file cannot be read.
    """

    id: str
    title: str
    colour: Colour
    store: StoreChoiceRead | None
    slo: DefaultSloRead | None
    prices: ChosenPrices | None
    problem: str | None
