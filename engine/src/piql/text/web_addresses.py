"""Splits addresses of the web that users write, of which any text may be none: `https://[` is no error of Python's."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit


class WebAddress(NamedTuple):
    """The parts of `scheme://login@host:port/path?query#fragment`; a part that is missing is empty."""

    scheme: str
    authority: str
    host: str
    port: int | None
    path: str
    query: str
    fragment: str

    @property
    def has_login(self) -> bool:
        return "@" in self.authority


def web_address_of(text: str) -> WebAddress | None:
    """Return the parts of an address; None for a text that cannot be split into them."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    return WebAddress(parts.scheme, parts.netloc, host, port, parts.path, parts.query, parts.fragment)
