"""The cookie of a session, and what else of a request says who asks."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request, Response
from starlette.requests import HTTPConnection

from piql_backend.web.trusted_proxies import PROXY_USER

COOKIE = "piql-session"
TLS_COOKIE = f"__Host-{COOKIE}"  # a browser takes it from this very host alone, and over TLS alone
LONGEST_SECONDS = 7 * 86_400  # that a session lasts, however much it is used


@dataclass(frozen=True, slots=True)
class Shown:
    """What a request shows of who asks: the header `Authorization`, a session's secret, whom a trusted proxy names."""

    authorization: str | None
    session: str | None
    proxy_user: str | None


def shown_by(request: HTTPConnection) -> Shown:
    """What a request shows of who asks."""
    proxy_user = getattr(request.state, PROXY_USER, None)
    return Shown(request.headers.get("authorization"), session_of(request), proxy_user)


def session_of(request: HTTPConnection) -> str | None:
    """The secret of the session that the browser sends; None where it sends none."""
    return request.cookies.get(_name(request))


def set_cookie(request: Request, response: Response, secret: str) -> None:
    """Give the browser a session: no script reads it, and no page of another site sends it."""
    response.set_cookie(
        _name(request),
        secret,
        max_age=LONGEST_SECONDS,
        secure=_is_tls(request),
        httponly=True,
        samesite="strict",
    )


def take_cookie(request: Request, response: Response) -> None:
    """Take the session away from the browser."""
    response.delete_cookie(_name(request), secure=_is_tls(request), httponly=True, samesite="strict")


def address_of(request: HTTPConnection) -> str:
    """Where a request comes from; empty where that is not known."""
    return request.client.host if request.client else ""


def _name(request: HTTPConnection) -> str:
    return TLS_COOKIE if _is_tls(request) else COOKIE


def _is_tls(request: HTTPConnection) -> bool:
    return request.url.scheme in ("https", "wss")
