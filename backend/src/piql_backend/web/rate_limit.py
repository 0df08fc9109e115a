"""Refuses with 429 the requests of a client that makes too many, before anything is done for them."""

from __future__ import annotations

import math

from starlette.types import ASGIApp, Receive, Scope, Send

from piql_backend.web.rates import BURST_SECONDS, Buckets, Kind, Rates, client_of, kind_of
from piql_backend.web.refusal import send_refusal
from piql_backend.web.retry_after import RETRY_AFTER

_WORDS: dict[Kind, str] = {  # what the refusal calls requests of that kind
    "executions": "executions",
    "compiles": "compilations and predictions",
    "deployments": "deployments, profile runs, load runs and bursts",
    "others": "requests",
}


class RateLimit:
    """Counts requests by the address of their connection, on the event loop alone; what is refused goes no further."""

    def __init__(self, app: ASGIApp, rates: Rates, buckets: Buckets | None = None) -> None:
        self._app = app
        self._rates = rates
        self._buckets = Buckets(rates) if buckets is None else buckets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        kind = kind_of(scope.get("method", "GET"), scope["path"])  # a socket is opened by a GET
        client = client_of(scope["client"][0] if scope.get("client") else "")
        wait = self._buckets.take(client, kind)
        if wait:
            await self._refuse(scope, send, kind, math.ceil(wait))
        else:
            await self._app(scope, receive, send)

    async def _refuse(self, scope: Scope, send: Send, kind: Kind, seconds: int) -> None:
        rate = self._rates.of(kind)
        message = (
            f"Too many {_WORDS[kind]} from one address: at most {rate:,g} a second are allowed, "
            f"and {max(1.0, rate * BURST_SECONDS):,g} at once after a pause."
        )
        headers = [(RETRY_AFTER.lower().encode(), str(seconds).encode())]
        await send_refusal(scope, send, 429, "too-many-requests", message, f"Try again in {seconds} s.", headers)
