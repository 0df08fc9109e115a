"""Where the data is kept: `open_store(url)` gives the adapter that a URL names."""

from __future__ import annotations

from typing import Literal
from urllib.parse import parse_qsl

from piql.errors import StoreUnavailable
from piql.store.base import Store
from piql.store.embedded import EmbeddedStore


def open_store(url: str) -> Store:
    """Open `embedded:` (temporary) or `embedded:PATH`, each with `?synchronous=NORMAL` if wished."""
    scheme, _, rest = url.partition(":")
    if scheme != "embedded":
        raise StoreUnavailable(f"no store answers to {url!r}: write embedded: or embedded:PATH")
    path, _, options = rest.partition("?")
    synchronous: Literal["FULL", "NORMAL"] = "FULL"
    for name, value in parse_qsl(options, keep_blank_values=True):
        if name != "synchronous" or value.upper() not in ("FULL", "NORMAL"):
            raise StoreUnavailable(f"{url!r}: the option is synchronous=FULL or synchronous=NORMAL, not {name}={value}")
        synchronous = "NORMAL" if value.upper() == "NORMAL" else "FULL"
    return EmbeddedStore(path or None, synchronous)
