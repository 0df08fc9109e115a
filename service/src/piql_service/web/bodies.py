"""A body that is refused is still taken from the connection, up to a length, and thrown away.

Many clients read an answer only after they have sent everything. Closing the connection before would reset it, and they
would never see the answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Receive = Callable[[], Awaitable[Any]]
Headers = Mapping[bytes, bytes]

_MOST_DISCARDED = 20_000_000  # bytes of a refused body: a client that sends still more may see its connection reset


def is_declared_longer(headers: Headers, most: int) -> bool:
    """Whether the length that a body declares is above `most` bytes, or no number."""
    length = headers.get(b"content-length", b"0")
    return not length.isdigit() or int(length) > most


async def discard_declared(receive: Receive, headers: Headers) -> None:
    """Discard a body for the length that it declares, unless its client waits to be told to send it."""
    if not is_declared_longer(headers, _MOST_DISCARDED) and b"expect" not in headers:
        await discard(receive)


async def discard(receive: Receive) -> None:
    """Read a body to its end, up to `_MOST_DISCARDED` bytes, and keep nothing of it."""
    left = _MOST_DISCARDED
    while left > 0:
        message = await receive()
        if not message.get("more_body", False):  # its end, or the client is gone
            return
        left -= len(message.get("body", b""))
