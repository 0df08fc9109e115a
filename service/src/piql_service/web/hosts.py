"""Which Host headers are answered, so that no other name can be led to this address (DNS rebinding).

An address in figures needs no list: no page of somebody else's can have it as its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from piql.reporting.hosts import is_address

_MOST_KEPT = 1000
_PORT = re.compile(r"(:[0-9]{0,5})?")


class Hosts:
    """Says of a Host header whether it is localhost, an address, or one of the names given."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = frozenset({"localhost", *(name.lower().rstrip(".") for name in names)})
        self._allowed: set[bytes] = set()

    def allows(self, host: bytes) -> bool:
        if host in self._allowed:
            return True
        name = host_name(host.decode("latin-1"))
        if name not in self._names and not is_address(name):
            return False
        if len(self._allowed) < _MOST_KEPT:
            self._allowed.add(host)
        return True


def host_name(host: str) -> str:
    """Return the name of a Host header, in small letters, without its port; all of it where it is no name and port."""
    if host.startswith("["):
        address, _, port = host[1:].partition("]")
        return address if _PORT.fullmatch(port) else host  # `[::1].example` is a name
    name, colon, port = host.partition(":")
    return name.lower().rstrip(".") if _PORT.fullmatch(colon + port) else host
