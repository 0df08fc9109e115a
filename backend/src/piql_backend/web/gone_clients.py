"""What nobody waits for any more is not begun, or given up: each key of an editor makes the answer before it old.

A request is noted by its route (`is_asked_for`). `unless_gone` waits for work of another thread, and for the end of the
connection: where that comes first, work that has not begun is cancelled.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from contextvars import ContextVar
from typing import TypeVar

from fastapi import Request

from piql_backend.web.errors import ApiError

T = TypeVar("T")

CLIENT_GONE = 499  # nobody reads it; logs show it

_request: ContextVar[Request | None] = ContextVar("the request that is answered", default=None)


def is_asked_for(request: Request) -> None:
    """Note the request that this task answers."""
    _request.set(request)


async def unless_gone(work: Future[T]) -> T:
    """Return the result of work; raise ApiError 499 and cancel it, if it has not begun, once the client has gone.

    Where no request is answered, it is waited for without end.
    """
    result = asyncio.wrap_future(work)
    request = _request.get()
    if request is None:
        return await result
    end = asyncio.ensure_future(_end_of(request))
    try:
        await asyncio.wait((result, end), return_when=asyncio.FIRST_COMPLETED)
        if result.done():
            return result.result()
        raise gone()
    finally:
        end.cancel()
        result.cancel()


def gone() -> ApiError:
    """The refusal of what nobody waits for."""
    return ApiError(CLIENT_GONE, "client-gone", "Nobody waits for this answer.", "Ask again.")


async def _end_of(request: Request) -> None:
    """Return once the client has closed its connection; the body has been read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
