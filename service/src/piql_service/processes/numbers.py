"""How workers tell one another their numbers: each answers them to whoever connects to its socket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import orjson

from piql_service.metrics.tallies import Sample

_SECONDS = 1.0
_MOST_BYTES = 16_000_000


class Numbers:
    """The numbers of all workers, collected by one of them."""

    def __init__(self, folder: Path, number: int, own: Callable[[], list[Sample]]) -> None:
        self._folder = folder
        self._path = folder / f"{number}.socket"
        self._own = own

    async def offer(self) -> asyncio.Server:
        """Begin to answer the others."""
        self._path.unlink(missing_ok=True)  # of the worker that died in this one's place

        async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(orjson.dumps(self._own()))
            await writer.drain()
            writer.close()

        return await asyncio.start_unix_server(answer, self._path)

    async def collect(self) -> list[Sample]:
        """Return the samples of all workers that answer."""
        others = [path for path in sorted(self._folder.glob("*.socket")) if path != self._path]
        answers = await asyncio.gather(*map(_ask, others))
        return [*self._own(), *(sample for answer in answers for sample in answer)]


async def _ask(path: Path) -> list[Sample]:
    try:
        async with asyncio.timeout(_SECONDS):
            reader, writer = await asyncio.open_unix_connection(path, limit=_MOST_BYTES)
            text = await reader.read(_MOST_BYTES)
            writer.close()
    except OSError:  # it has died; TimeoutError is one, too
        return []
    return [(family, suffix, labels, value) for family, suffix, labels, value in orjson.loads(text)]
