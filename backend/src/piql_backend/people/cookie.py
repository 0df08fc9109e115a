"""The cookie of a session, and what else of a request says who asks."""

from __future__ import annotations

from fastapi import Request, Response

COOKIE = "piql-session"
LONGEST_SECONDS = 7 * 86_400  # that a session lasts, however much it is used


def set_cookie(request: Request, response: Response, secret: str) -> None:
    """Give the browser a session: no script reads it, and no page of another site sends it."""
    response.set_cookie(
        COOKIE,
        secret,
        max_age=LONGEST_SECONDS,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )


def take_cookie(request: Request, response: Response) -> None:
    """Take the session away from the browser."""
    response.delete_cookie(COOKIE, secure=request.url.scheme == "https", httponly=True, samesite="strict")


def address_of(request: Request) -> str:
    """Where a request comes from; empty where that is not known."""
    return request.client.host if request.client else ""
