"""Passes by the routers of which no path fits a request: FastAPI compares each of its 300 paths with every URL.

GET /api/applications/scadr   →  one pattern of all paths of each router   →  the paths of the one that fits
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fastapi.routing import iter_route_contexts
from starlette._utils import get_route_path
from starlette.routing import BaseRoute, Match, compile_path
from starlette.types import Scope

from piql_backend.web.wrong_methods import pattern_of_all


def sifted(routes: Sequence[BaseRoute]) -> Sequence[BaseRoute]:
    """Let each of these routes look at its paths only where one of them fits; the routes themselves are returned."""
    for route in routes:
        paths = {str(context.path) for context in iter_route_contexts([route])}
        if len(paths) > 1:
            _sift(route, paths)
    return routes


def _sift(route: BaseRoute, paths: Iterable[str]) -> None:
    urls = pattern_of_all(compile_path(path)[0] for path in sorted(paths))
    look = route.matches

    def matches(scope: Scope) -> tuple[Match, Scope]:
        return look(scope) if urls.match(get_route_path(scope)) else (Match.NONE, {})

    setattr(route, "matches", matches)  # noqa: B010
