"""The ASGI application: paths, and the steps of a request for a query.

POST /queries/NAME    host → token → query → body → budget → execution
GET  /openapi.json    the deployed set
GET  /healthz /readyz /metrics
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import orjson
from piql.errors import DeployedMeanwhile, PiqlError

from piql_service.admission.budgets import Budgets
from piql_service.admission.tokens import Caller, Tokens
from piql_service.contract.deployed_set import ServedQuery
from piql_service.contract.headers import SESSION
from piql_service.contract.openapi import NDJSON, PATH
from piql_service.execution.executor import Answer, Executor, Request
from piql_service.metrics.exposition import CONTENT_TYPE, text_of
from piql_service.metrics.tallies import Sample, Tallies
from piql_service.web.bodies import Headers, Receive
from piql_service.web.hosts import Hosts
from piql_service.web.live_queries import LiveQueries
from piql_service.web.refusals import Refusal, refusal_of
from piql_service.web.requests import body_of, pages_of, request_of

log = logging.getLogger(__name__)

Scope = dict[str, Any]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Collect = Callable[[], Awaitable[list[Sample]]]

_PREFIX = PATH.format("")
_JSON = (b"content-type", b"application/json")
_NOSNIFF = (b"x-content-type-options", b"nosniff")
_SESSION = SESSION.lower().encode()
_ANYBODY = Caller("", math.inf, b"")


@dataclass(slots=True)
class Parts:
    """What the application is put together from; `samples` are those of all workers."""

    live_queries: LiveQueries
    executor: Executor
    tokens: Tokens
    budgets: Budgets
    tallies: Tallies
    hosts: Hosts
    samples: Collect
    connections: Callable[[], int]
    most_connections: int = 1000
    is_draining: bool = False


class Application:
    """One worker's application."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: Headers = dict(scope["headers"])
        path: str = scope["path"]
        try:
            self._refuse_strangers(headers)
            if path.startswith(_PREFIX):
                await self._query(path[len(_PREFIX) :], scope["method"], headers, receive, send)
            else:
                await self._page(path, scope["method"], headers, send)
        except Refusal as refusal:
            await self._refuse(refusal, send)
        except PiqlError as error:
            await self._refuse(refusal_of(error), send)
        except Exception as fault:
            log.error("a fault of the service at %s", path, exc_info=fault)
            await self._refuse(
                Refusal(500, "internal", "The service failed; its log says where.", "Please report this."), send
            )

    def _refuse_strangers(self, headers: Headers) -> None:
        parts = self._parts
        if not parts.hosts.allows(headers.get(b"host", b"")):
            advice = "Use its address, or start it with --allowed-host and that name."
            raise Refusal(400, "unknown-host", "This service does not answer to that host name.", advice)
        if parts.connections() > parts.most_connections:
            message = f"More than {parts.most_connections:,} connections are open."
            closing = ((b"connection", b"close"), (b"retry-after", b"1"))
            raise Refusal(503, "too-many-connections", message, "Try again in a moment.", headers=closing)

    def _caller(self, headers: Headers) -> Caller:
        tokens = self._parts.tokens
        if tokens.is_open:
            return _ANYBODY
        caller = tokens.caller(headers.get(b"authorization", b""))
        if caller is None:
            challenge = ((b"www-authenticate", b"Bearer"),)
            advice = "Send Authorization: Bearer and a token of this service."
            raise Refusal(401, "unknown-token", "The token is missing or unknown.", advice, headers=challenge)
        return caller

    async def _query(self, name: str, method: str, headers: Headers, receive: Receive, send: Send) -> None:
        """Answer a request for a query."""
        parts = self._parts
        caller = self._caller(headers)
        if method != "POST":
            raise _wrong_method("POST")
        query, read = await parts.live_queries.query(name)
        request = parts.live_queries.drawn(request_of(query, read, await body_of(receive, headers), headers))
        if query.is_paged and NDJSON.encode() in headers.get(b"accept", b""):
            await self._stream(request, headers, caller, receive, send)
            return
        try:
            self._admit(caller, request.query)
            _, answer = await self._execute(request, headers, caller)
        except (PiqlError, Refusal) as error:
            parts.tallies.answers[name, error.status if isinstance(error, Refusal) else refusal_of(error).status] += 1
            raise
        parts.tallies.answers[name, 200] += 1
        start: list[tuple[bytes, bytes]] = [_JSON, (b"content-length", b"%d" % len(answer.body))]
        if answer.session is not None:
            start.append((_SESSION, answer.session.encode()))
        await send({"type": "http.response.start", "status": 200, "headers": start})
        await send({"type": "http.response.body", "body": answer.body})

    async def _execute(self, request: Request, headers: Headers, caller: Caller) -> tuple[Request, Answer]:
        """Execute an admitted request. If another version is deployed by then, its query is admitted and executed."""
        parts = self._parts
        while True:
            try:
                return request, await parts.executor.execute(request)
            except DeployedMeanwhile:
                await parts.live_queries.look()
                query, read = await parts.live_queries.query(request.query.name)
                parameters = request_of(query, read, request.body, headers).parameters
                request = replace(request, query=query, parameters=parameters)
                self._admit(caller, query)

    def _admit(self, caller: Caller, query: ServedQuery) -> None:
        """Take the bound of a query from the budget of its caller; raise a Refusal where it is used up."""
        wait = self._parts.budgets.take(caller, query.operations)
        if not wait:
            return
        milliseconds = math.ceil(wait * 1000)
        raise Refusal(
            429,
            "budget-used-up",
            f"{query.name} makes up to {query.operations:,} requests, and the budget of {caller.name} is "
            f"{caller.budget:,g} a second.",
            f"Try again in {milliseconds:,} ms.",
            cost=query.operations,
            retry_after_ms=milliseconds,
            headers=((b"retry-after", b"%d" % math.ceil(wait)),),
        )

    async def _stream(self, request: Request, headers: Headers, caller: Caller, receive: Receive, send: Send) -> None:
        """Send pages, each a line, as the client takes them. A budget that is used up makes the stream wait.

        The cursor of the last line that came is where another stream goes on.
        """
        parts, query, has_begun = self._parts, request.query, False
        gone = asyncio.ensure_future(receive())  # comes back when the client has left
        try:
            for _ in range(pages_of(headers)):
                if not has_begun:
                    self._admit(caller, query)
                while wait := parts.budgets.take(caller, query.operations) if has_begun else 0.0:
                    await asyncio.wait([gone], timeout=wait)
                    if gone.done():
                        return
                request, answer = await self._execute(request, headers, caller)
                query = request.query
                parts.tallies.answers[query.name, 200] += 1
                if not has_begun:
                    start = [(b"content-type", NDJSON.encode())]
                    if answer.session is not None:
                        start.append((_SESSION, answer.session.encode()))
                    await send({"type": "http.response.start", "status": 200, "headers": start})
                    has_begun = True
                await send({"type": "http.response.body", "body": answer.body + b"\n", "more_body": True})
                if answer.cursor is None or gone.done() or parts.is_draining:
                    break
                session = request.session if answer.session is None else answer.session
                request = replace(request, cursor=answer.cursor, session=session)
        except PiqlError as error:
            if not has_begun:
                raise
            refusal = refusal_of(error)
            parts.tallies.refusals[refusal.code] += 1
            line = b'{"error":' + refusal.body + b"}\n"
            await send({"type": "http.response.body", "body": line, "more_body": True})
        finally:
            gone.cancel()
        await send({"type": "http.response.body", "body": b""})

    async def _page(self, path: str, method: str, headers: Headers, send: Send) -> None:
        """Answer a request for anything but a query."""
        parts = self._parts
        if method not in ("GET", "HEAD"):
            raise _wrong_method("GET")
        current = parts.live_queries.current
        match path:
            case "/healthz":
                await _send(send, 200, _JSON[1], b'{"status":"alive"}')
            case "/readyz":
                problem = self._problem()
                content = {"status": "ready" if problem is None else problem, "version": current.served.version}
                await _send(send, 200 if problem is None else 503, _JSON[1], orjson.dumps(content))
            case "/openapi.json":
                self._caller(headers)
                await _send(send, 200, _JSON[1], current.document)
            case "/metrics":
                self._caller(headers)
                text = text_of(await parts.samples())
                await _send(send, 200, CONTENT_TYPE.encode(), text.encode())
            case _:
                advice = "Queries are at /queries/NAME; the document at /openapi.json lists them."
                raise Refusal(404, "not-found", "There is nothing at this path.", advice)

    def _problem(self) -> str | None:
        """Return why no request should be sent here now."""
        parts = self._parts
        if parts.is_draining:
            return "draining"
        if parts.live_queries.problem is not None:
            return "the store does not answer"
        return None if parts.live_queries.current.queries else "nothing is deployed"

    async def _refuse(self, refusal: Refusal, send: Send) -> None:
        self._parts.tallies.refusals[refusal.code] += 1
        await _send(send, refusal.status, _JSON[1], refusal.body, refusal.headers)


def _wrong_method(right: str) -> Refusal:
    allow = ((b"allow", right.encode()),)
    return Refusal(405, "method-not-allowed", f"This path takes {right} alone.", headers=allow)


async def _send(
    send: Send, status: int, content_type: bytes, body: bytes, more: tuple[tuple[bytes, bytes], ...] = ()
) -> None:
    headers = [(b"content-type", content_type), (b"content-length", b"%d" % len(body)), _NOSNIFF, *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
