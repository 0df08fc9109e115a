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


def shown_wrong(url: str) -> str:
    """Return a URL that is no address of a store as messages show it: the name of a kind of store, and no more.

    A password may stand anywhere in it, also in the place of a host, a path, an option or what it begins with.
    """
    scheme = scheme_of(url)
    return f"{scheme}:…" if scheme in (EMBEDDED, STEPWISE, CQL, S3) else "…"
