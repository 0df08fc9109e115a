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

    `stepwise:` is the same without transactions, to try what other stores must do.
    """
    scheme, _, rest = url.partition(":")
    adapter = _ADAPTERS.get(scheme)
    if adapter is None:
        raise StoreUnavailable(f"no store answers to {url!r}: write embedded: or embedded:PATH")
    path, _, options = rest.partition("?")
    synchronous: Synchronous = "FULL"
    for name, value in parse_qsl(options, keep_blank_values=True):
        if name != "synchronous" or value.upper() not in ("FULL", "NORMAL"):
            raise StoreUnavailable(f"{url!r}: the option is synchronous=FULL or synchronous=NORMAL, not {name}={value}")
        synchronous = "NORMAL" if value.upper() == "NORMAL" else "FULL"
    return adapter(path or None, synchronous)
