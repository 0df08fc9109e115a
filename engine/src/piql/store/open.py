"""Where the data is kept: `open_store(url)` gives the adapter that a URL names."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from piql.errors import StoreUnavailable
from piql.store.base import Store
from piql.store.embedded.store import WAIT_MS, EmbeddedStore, Synchronous
from piql.store.stepwise.store import StepwiseStore

_ADAPTERS: dict[str, type[EmbeddedStore]] = {"embedded": EmbeddedStore, "stepwise": StepwiseStore}


def open_store(url: str) -> Store:
    """Open `embedded:` (temporary) or `embedded:PATH`, each with `?synchronous=NORMAL` if wished.

    A file that is not there is made by the first write; one of another program is refused with NotAStore.
    A writer waits for others for 5 s, or as long as `wait_ms=…` says.
    `stepwise:` is the same without transactions, to try what other stores must do. `cql://…` is a cluster, whose
    adapter needs the extra `cql`.
    """
    scheme, _, rest = url.partition(":")
    if scheme == "cql":
        return _open_cql(url)
    adapter = _ADAPTERS.get(scheme)
    if adapter is None:
        raise StoreUnavailable(
            f"{without_login(url)!r} is not the address of a store: write embedded:, embedded:PATH or cql://HOST/KEYSPACE"
        )
    path, _, options = rest.partition("?")
    synchronous: Synchronous = "FULL"
    wait_ms = WAIT_MS
    for name, value in parse_qsl(options, keep_blank_values=True):
        match name, value.upper():
            case "synchronous", "FULL":
                synchronous = "FULL"
            case "synchronous", "NORMAL":
                synchronous = "NORMAL"
            case "wait_ms", digits if digits.isascii() and digits.isdigit() and len(digits) <= 9:
                wait_ms = int(digits)
            case _:
                options = "synchronous=FULL, synchronous=NORMAL and wait_ms=5000"
                raise StoreUnavailable(f"{url!r}: the options are {options}, not {name}={value}")
    return adapter(path or None, synchronous, wait_ms=wait_ms)


def without_login(url: str) -> str:
    """Return an address as it may be shown."""
    return re.sub(r"//[^@/]*@", "//", url)


def _open_cql(url: str) -> Store:
    try:
        from piql.store.cql import open_cql
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "cassandra":
            raise
        raise StoreUnavailable("clusters need the driver: pip install 'piql[cql]'") from missing
    return open_cql(url)
