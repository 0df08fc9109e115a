"""Takes away what a proxy puts before all paths, such as /piql: routes, rates and rules know paths without it.

    /piql/api/health  →  /api/health        a proxy that passes paths as they are
    /api/health       →  /api/health        a proxy that takes it away itself

`prefix_of` says what stands before the paths that a browser is led to.
"""

from __future__ import annotations

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

_KEY = "app_root_path"  # where Starlette looks when it makes the URL of a route


class BelowPrefix:
    """Middleware before all that looks at paths."""

    def __init__(self, app: ASGIApp, prefix: str = "") -> None:
        """`prefix` begins with a slash and ends with none, or is empty."""
        self._app = app
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or not self._prefix or _KEY in scope:
            await self._app(scope, receive, send)
            return
        shortened = dict(scope) | {_KEY: self._prefix}
        if f"{scope['path']}/".startswith(f"{self._prefix}/"):
            length = len(self._prefix)
            shortened["path"] = scope["path"][length:] or "/"
            shortened["raw_path"] = (scope.get("raw_path") or b"")[length:] or b"/"
        await self._app(shortened, receive, send)


def prefix_of(request: HTTPConnection) -> str:
    """What stands before all paths of this workbench, as a browser sees them; empty for nothing."""
    return str(request.scope.get(_KEY, ""))
