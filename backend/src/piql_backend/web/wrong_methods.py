"""Refuses a method that a path does not have: 405, with all methods that it has, before anybody is asked who they are.

By itself, a path answers so only while no other fits the same URL: GET …/deployments/preview, which takes POST alone,
would be read as …/deployments/{deployment_id}, and its `Allow` would name the methods of one of a path's routes.

    …/deployments/preview           decides which methods fit, whatever its siblings take
    …/deployments/{deployment_id}   is never asked for something that is named like a sibling
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from fastapi import HTTPException
from fastapi.routing import iter_route_contexts
from starlette._utils import get_route_path
from starlette.routing import BaseRoute, Match, NoMatchFound, compile_path
from starlette.types import Receive, Scope, Send

Methods = frozenset[str]
_NAMED = re.compile(r"\(\?P<\w+>")


@dataclass(frozen=True, slots=True)
class _Path:
    """One path: the pattern of its URLs, one of them with a word for each parameter, and its methods."""

    urls: re.Pattern[str]
    example: str
    methods: Methods


class WrongMethods(BaseRoute):
    """A route of every request whose URL is one of some paths', and whose method is none of that path's."""

    def __init__(self, paths: Sequence[_Path]) -> None:
        self._paths = paths
        self._urls = pattern_of_all(path.urls for path in paths)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        fitting = self._fitting(scope) if scope["type"] == "http" else None
        return (Match.NONE if fitting is None or scope["method"] in fitting else Match.FULL), {}

    def url_path_for(self, name: str, /, **path_params: object) -> NoReturn:
        """Say that this is nothing to lead to, as a route without a name does: another one is asked then."""
        raise NoMatchFound(name, path_params)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> NoReturn:
        fitting = ", ".join(sorted(self._fitting(scope) or ()))
        detail = f"{scope['method']} does not fit {scope['path']}, which takes {fitting}"
        raise HTTPException(405, detail, {"Allow": fitting})

    def _fitting(self, scope: Scope) -> Methods | None:
        """The methods of the path that a URL is of; None where it is of none."""
        url = get_route_path(scope)
        if not self._urls.match(url):
            return None
        return next((path.methods for path in self._paths if path.urls.match(url)), None)


def pattern_of_all(patterns: Iterable[re.Pattern[str]]) -> re.Pattern[str]:
    """One pattern of what any of these fits; it names nothing."""
    return re.compile("|".join(_NAMED.sub("(?:", pattern.pattern) for pattern in patterns) or r"(?!)")


def with_wrong_methods(routes: Sequence[BaseRoute]) -> tuple[BaseRoute, ...]:
    """Put routes between two that refuse: before them for the paths that another fits too, behind them for the rest."""
    methods_by_path: dict[str, Methods] = {}
    for context in iter_route_contexts(routes):
        path = str(context.path)
        methods_by_path[path] = methods_by_path.get(path, frozenset()) | frozenset(context.methods or ())
    paths = [_Path(*compile_path(path)[:2], methods) for path, methods in methods_by_path.items()]
    shared = [
        path for path in paths if any(sibling is not path and sibling.urls.match(path.example) for sibling in paths)
    ]
    return WrongMethods(shared), *routes, WrongMethods([path for path in paths if path not in shared])
