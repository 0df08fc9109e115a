"""Security headers of every answer: what a page may load, and who may frame or read it.

The policy of the page allows only what the built page needs. `style-src-attr` allows all style attributes, because
Monaco positions its lines by them. Style elements are allowed only with the nonce of the page, which Monaco's have.
"""

from __future__ import annotations

from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = "Content-Security-Policy"


def page_policy(nonce: str) -> str:
    """The policy of the page whose style elements carry the nonce."""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            f"style-src 'self' 'nonce-{nonce}'",
            "style-src-attr 'unsafe-inline'",  # for Monaco's lines; a style attribute runs nothing
            "img-src 'self' data:",  # Monaco's squiggles are data: images
            "font-src 'self'",
            "connect-src 'self'",
            "worker-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


SECURITY_HEADERS: Mapping[str, str] = {
    _POLICY: "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


_RAW = [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]


class SecurityHeaders:
    """Adds the headers to every answer that does not say otherwise; only the page has a policy of its own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = [*message.get("headers", ())]
                names = {name.lower() for name, _ in given}
                message["headers"] = [*given, *(header for header in _RAW if header[0] not in names)]
            await send(message)

        await self._app(scope, receive, send_with_headers)
