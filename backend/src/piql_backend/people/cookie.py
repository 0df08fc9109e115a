"""What a request says of who sends it: the session's cookie, other proofs of who it is, the address and the browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fastapi import Request, Response
from starlette.requests import HTTPConnection

from piql_backend.people.browsers import browser_of
from piql_backend.web.trusted_proxies import PROXY_USER

LONGEST_SECONDS = 7 * 86_400  # that a session lasts, however much it is used


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie that no script reads. Over TLS it is `__Host-…`: browsers take it from this very host and TLS alone."""

    name: str
    seconds: int
    same_site: Literal["strict", "lax"]  # strict: no page of another site sends it; lax: a link of one does

    def of(self, request: HTTPConnection) -> str | None:
        """Its value as the browser sends it; None where it sends none."""
        return request.cookies.get(self._name(request))

    def give(self, request: Request, response: Response, value: str) -> None:
        """Let the browser keep a value."""
        response.set_cookie(
            self._name(request),
            value,
            max_age=self.seconds,
            secure=_is_tls(request),
            httponly=True,
            samesite=self.same_site,
        )

    def take(self, request: Request, response: Response) -> None:
        """Take it away from the browser."""
        response.delete_cookie(self._name(request), secure=_is_tls(request), httponly=True, samesite=self.same_site)

    def _name(self, request: HTTPConnection) -> str:
        return f"__Host-{self.name}" if _is_tls(request) else self.name


SESSION = Cookie("piql-session", LONGEST_SECONDS, "strict")


@dataclass(frozen=True, slots=True)
class Shown:
    """The proofs in a request of who sends it; None for each that it lacks.

    `authorization` is the header, `session` the secret of a session, `proxy_user` whom a trusted proxy names.
    """

    authorization: str | None
    session: str | None
    proxy_user: str | None


@dataclass(frozen=True, slots=True)
class ClientOrigin:
    """Where a session is begun from: the address, the name of the browser, and the provider.

    The provider is empty where a password was typed.
    """

    address: str = ""
    browser: str = ""
    provider: str = ""


UNKNOWN_ORIGIN = ClientOrigin()


def shown_by(request: HTTPConnection) -> Shown:
    """Read the proofs in a request of who sends it."""
    proxy_user = getattr(request.state, PROXY_USER, None)
    return Shown(request.headers.get("authorization"), SESSION.of(request), proxy_user)


def address_of(request: HTTPConnection) -> str:
    """Where a request comes from; empty where that is not known."""
    return request.client.host if request.client else ""


def origin_of(request: Request, provider: str = "") -> ClientOrigin:
    """From where the session is begun that a request asks for."""
    return ClientOrigin(address_of(request), browser_of(request.headers.get("user-agent", "")), provider)


def _is_tls(request: HTTPConnection) -> bool:
    return request.url.scheme in ("https", "wss")
