"""Where the data is kept: `open_store(url)` gives the adapter that a URL names."""

from __future__ import annotations

from urllib.parse import parse_qsl

from piql.errors import StoreUnavailable
from piql.store.base import Store
from piql.store.embedded import EmbeddedStore, Synchronous
from piql.store.stepwise import StepwiseStore

_ADAPTERS: dict[str, type[EmbeddedStore]] = {"embedded": EmbeddedStore, "stepwise": StepwiseStore}


def open_store(url: str) -> Store:
    """Open `embedded:` (temporary) or `embedded:PATH`, each with `?synchronous=NORMAL` if wished.

    `stepwise:` is the same without transactions, to try what other stores must do. `cql://…` is a cluster, whose
    adapter needs the extra `cql`.
    """
    scheme, _, rest = url.partition(":")
    if scheme == "cql":
        return _open_cql(url)
    adapter = _ADAPTERS.get(scheme)
    if adapter is None:
        raise StoreUnavailable(f"no store answers to {url!r}: write embedded:, embedded:PATH or cql://HOST/KEYSPACE")
    path, _, options = rest.partition("?")
    synchronous: Synchronous = "FULL"
    for name, value in parse_qsl(options, keep_blank_values=True):
        if name != "synchronous" or value.upper() not in ("FULL", "NORMAL"):
            raise StoreUnavailable(f"{url!r}: the option is synchronous=FULL or synchronous=NORMAL, not {name}={value}")
        synchronous = "NORMAL" if value.upper() == "NORMAL" else "FULL"
    return adapter(path or None, synchronous)


def _open_cql(url: str) -> Store:
    try:
        from piql.store.cql import open_cql
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "cassandra":
            raise
        raise StoreUnavailable("clusters need the driver: pip install 'piql[cql]'") from missing
    return open_cql(url)
