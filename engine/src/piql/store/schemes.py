"""The names with which the URL of a store begins. What each kind of store can do is in `open.ADAPTERS`."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

EMBEDDED: Final = "embedded"
STEPWISE: Final = "stepwise"
CQL: Final = "cql"
S3: Final = "s3"

StoreKind: TypeAlias = Literal["embedded", "cql"]
"""What users are told of a store: a file of one process, or a cluster."""

TEMPORARY_STORE = f"{EMBEDDED}:"
"""The URL of a new embedded store that goes with the process."""


def scheme_of(url: str) -> str:
    """Return what stands before the first colon of a URL, whether or not a store has that name."""
    return url.partition(":")[0]
