"""What a request for a query says: its body, and the headers that are the service's own."""

from __future__ import annotations

import math
from dataclasses import replace
from time import monotonic
from typing import Any, get_args

import orjson
from piql.store.base import Consistency

from piql_service.contract.deployed_set import ServedQuery
from piql_service.contract.headers import (
    CONSISTENCY,
    MOST_PAGES,
    MOST_TIMEOUT_MS,
    NEW_SESSION,
    PAGES,
    SESSION,
    TIMEOUT,
)
from piql_service.contract.values import Reading
from piql_service.execution.executor import Request
from piql_service.web.bodies import Headers, Receive, discard, discard_declared, is_declared_longer
from piql_service.web.refusals import Refusal

MOST_BODY_BYTES = 1_000_000
_FIELDS = {"parameters", "cursor"}
_CONSISTENCIES = {word.encode(): word for word in get_args(Consistency)}
_SESSION, _CONSISTENCY, _TIMEOUT, _PAGES = (name.lower().encode() for name in (SESSION, CONSISTENCY, TIMEOUT, PAGES))
_TOO_LARGE = Refusal(
    413,
    "body-too-large",
    f"The body is larger than {MOST_BODY_BYTES // 1_000_000} MB.",
    "Send fewer or smaller values.",
    headers=((b"connection", b"close"),),
)


async def body_of(receive: Receive, headers: Headers) -> bytes:
    """Return the body of a request; raise a Refusal where it is too large, or not declared to be JSON.

    A page of another origin cannot declare that without being allowed to, so none can send writes to this address.
    """
    if not headers.get(b"content-type", b"").lower().startswith(b"application/json"):
        raise Refusal(415, "not-json", "The body is not declared to be JSON.", "Send Content-Type: application/json.")
    if is_declared_longer(headers, MOST_BODY_BYTES):
        await discard_declared(receive, headers)
        raise _TOO_LARGE
    message = await receive()
    body: bytes = message.get("body", b"")
    if not message.get("more_body", False):
        return body
    parts, size = [body], len(body)
    while message.get("more_body", False):
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MOST_BODY_BYTES:
            if message.get("more_body", False):
                await discard(receive)
            raise _TOO_LARGE
    return b"".join(parts)


def request_of(query: ServedQuery, read: Reading, body: bytes, headers: Headers) -> Request:
    """Return what a body and headers ask for; raise a Refusal or InvalidParameter."""
    parameters: Any = {}
    cursor: Any = None
    if body:
        try:
            content = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise Refusal(400, "invalid-json", f"The body is not JSON: {error}.") from None
        if not isinstance(content, dict) or not _FIELDS.issuperset(content):
            raise _wrong("The body is an object with `parameters`, and `cursor` for a later page.")
        parameters, cursor = content.get("parameters", parameters), content.get("cursor")
        if not isinstance(parameters, dict):
            raise _wrong("`parameters` is an object with a value for each parameter by its name.")
        if cursor is not None and not isinstance(cursor, str):
            raise _wrong("`cursor` is the text that came with the page before.")
    request = Request(query, body, read(parameters), cursor)
    return _with_headers(request, headers) if _OWN.intersection(headers) else request


_OWN = frozenset((_SESSION, _CONSISTENCY, _TIMEOUT))


def _with_headers(request: Request, headers: Headers) -> Request:
    consistency: Any = None
    if _CONSISTENCY in headers:
        consistency = _CONSISTENCIES.get(headers[_CONSISTENCY])
        if consistency is None:
            raise _wrong(f"{CONSISTENCY} is {' or '.join(_CONSISTENCIES.values())}.")
    session = headers[_SESSION].decode("latin-1").strip() if _SESSION in headers else None
    if session == "":
        raise _wrong(f"{SESSION} is empty: write {NEW_SESSION}, or the token that came with the answer before.")
    if session is not None and consistency is not None:
        raise _wrong(f"{SESSION} and {CONSISTENCY} are both given: a session decides itself how fresh its reads are.")
    deadline = math.inf
    if _TIMEOUT in headers:
        deadline = monotonic() + _number(headers, _TIMEOUT, TIMEOUT, MOST_TIMEOUT_MS) / 1000
    return replace(
        request,
        consistency=consistency,
        session="" if session == NEW_SESSION else session,
        deadline=deadline,
    )


def pages_of(headers: Headers) -> int:
    """Return how many pages are to be sent at most; raise a Refusal if the header is no number."""
    return _number(headers, _PAGES, PAGES, MOST_PAGES) if _PAGES in headers else MOST_PAGES


def _number(headers: Headers, name: bytes, shown: str, most: int) -> int:
    text = headers[name].strip()
    if not text.isdigit() or len(text) > 9 or not 1 <= int(text) <= most:
        raise _wrong(f"{shown} is a whole number from 1 to {most:,}.")
    return int(text)


def _wrong(message: str) -> Refusal:
    return Refusal(400, "invalid-request", message, "The document at /openapi.json says what fits.")
