"""Believes what the listed proxies say of a request: where it comes from, and, if a header is named for it, of whom.

X-Forwarded-For, X-Forwarded-Proto   become the client and the scheme of the request; from elsewhere they are ignored
the header of people                 becomes `proxy_user` in the state of the request; from elsewhere it is refused
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, cast

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from piql_backend.web.refusal import send_refusal

THIS_MACHINE = ("127.0.0.0/8", "::1")
PROXY_USER = "proxy_user"  # in the state of a request: whom a proxy names


class TrustedProxies:
    """Stands before everything that asks for a client. `user_header` is believed from the `listed` alone.

    Without a list, this machine's X-Forwarded-For and -Proto are believed.
    """

    def __init__(self, app: ASGIApp, listed: Sequence[str] = (), user_header: str | None = None) -> None:
        self._app = app
        self._networks = [ip_network(address) for address in listed]
        self._user_header = user_header
        self._forwarded = ProxyHeadersMiddleware(cast(Any, app), [*(listed or THIS_MACHINE)])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        peer = str(scope["client"][0]) if scope.get("client") else ""
        named = [] if self._user_header is None else Headers(scope=scope).getlist(self._user_header)
        if named and not self._is_listed(peer):
            message = f"{self._user_header} is believed from the listed proxies alone, and {peer or 'nowhere'} is none."
            await send_refusal(
                scope, send, 403, "untrusted-proxy", message, "Ask through the proxy, or without the header."
            )
        elif len(named) > 1:
            message = f"{self._user_header} stands more than once in the request: it names more than one person."
            await send_refusal(
                scope, send, 400, "ambiguous-person", message, "The proxy must replace it, not add to it."
            )
        else:
            if named and named[0]:
                scope.setdefault("state", {})[PROXY_USER] = named[0]
            await self._forwarded(cast(Any, scope), cast(Any, receive), cast(Any, send))

    def _is_listed(self, peer: str) -> bool:
        try:
            address = ip_address(peer)
        except ValueError:
            return False
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            address = address.ipv4_mapped
        return any(address in network for network in self._networks)
