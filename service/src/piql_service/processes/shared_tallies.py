"""Collects the tallies of all workers, so that `/metrics` of any worker counts the whole service.

Each worker listens on a Unix socket in one folder, and sends its samples to whoever connects.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import orjson

from piql_service.metrics.tallies import Sample

_SECONDS = 1.0  # that a worker may take to answer
_MOST_BYTES = 16_000_000


class SharedTallies:
    """The samples of this worker, offered to the others, and those of the others."""

    def __init__(self, folder: Path, worker: int, samples: Callable[[], list[Sample]]) -> None:
        self._folder = folder
        self._path = folder / f"{worker}.socket"
        self._samples = samples

    async def offer(self) -> asyncio.Server:
        """Begin to send the samples of this worker to others that connect."""
        self._path.unlink(missing_ok=True)  # a worker with this number died without removing it

        async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(orjson.dumps(self._samples()))
            await writer.drain()
            writer.close()

        return await asyncio.start_unix_server(answer, self._path)

    async def collect(self) -> list[Sample]:
        """Return the samples of all workers that answer."""
        sockets = [path for path in sorted(self._folder.glob("*.socket")) if path != self._path]
        answers = await asyncio.gather(*map(_ask, sockets))
        return [*self._samples(), *(sample for answer in answers for sample in answer)]


async def _ask(path: Path) -> list[Sample]:
    try:
        async with asyncio.timeout(_SECONDS):
            reader, writer = await asyncio.open_unix_connection(path, limit=_MOST_BYTES)
            text = await reader.read(_MOST_BYTES)
            writer.close()
    except OSError:  # the worker has died; TimeoutError is an OSError, too
        return []
    return [(family, suffix, labels, value) for family, suffix, labels, value in orjson.loads(text)]
