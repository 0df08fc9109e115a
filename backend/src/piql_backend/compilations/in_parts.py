"""An answer in lines of JSON, each a `CompilationPart`: what is known early, then the whole.

worker   part ─────────────── whole                    job `compile_in_parts`
           │                    │
client   {"queries": […], …}  {"whole": {…}, …}        or {"refused": {…}, …} once a line was sent
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Future

from fastapi.responses import StreamingResponse

from piql_backend.compilations.schemas import CompilationInParts, RefusedRead
from piql_backend.web.errors import ApiError
from piql_backend.web.gone_clients import unless_gone
from piql_backend.workers.pool import WorkerPool


class Lines(StreamingResponse):
    """A line of JSON after the other, each sent when it is known."""

    media_type = "application/x-ndjson"


async def lines_of(workers: WorkerPool, request: CompilationInParts) -> Lines:
    """The lines of an answer; ApiError where there is not even a first one."""
    loop = asyncio.get_running_loop()
    parts: asyncio.Queue[bytes] = asyncio.Queue()
    texts = {file.path: file.text for file in request.files}
    future = workers.submit(
        "compile_in_parts", request, texts, lambda part: loop.call_soon_threadsafe(parts.put_nowait, part)
    )
    lines = _lines(workers, future, parts)
    first = await anext(lines)
    return Lines(_with_refusal(first, lines))


async def _lines(workers: WorkerPool, future: Future[bytes], parts: asyncio.Queue[bytes]) -> AsyncIterator[bytes]:
    """The parts as they come, and the whole; ApiError where it is refused, or the client has gone."""
    whole = asyncio.ensure_future(unless_gone(future))
    try:
        while True:
            part = asyncio.ensure_future(parts.get())
            await asyncio.wait((whole, part), return_when=asyncio.FIRST_COMPLETED)
            if not part.done():
                part.cancel()
                break
            yield b'{"queries":%s,"whole":null,"refused":null}\n' % part.result()
        yield b'{"queries":null,"whole":%s,"refused":null}\n' % await whole
    finally:
        whole.cancel()
        workers.give_up(future)


async def _with_refusal(first: bytes, lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The lines, and a last one for what is refused after the first: the status is sent by then."""
    yield first
    try:
        async for line in lines:
            yield line
    except ApiError as refusal:
        refused = RefusedRead(status=refusal.status, error=refusal.body)
        yield b'{"queries":null,"whole":null,"refused":%s}\n' % refused.model_dump_json().encode()
