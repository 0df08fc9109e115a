"""Adds to the record what many do at once: all that wait, in one transaction.

    first note   → a transaction is under way
    more notes   → wait; the next transaction has all of them

An entry costs a write to the disk, which the next one would wait for. Whoever notes something still waits until it is
written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from anyio import CapacityLimiter, to_thread
from sqlalchemy.exc import DataError

from piql_backend.people.audit import Audit, Entry

_MOST_TOGETHER = 500
_Waiting = tuple[Entry, "asyncio.Future[None]"]


class RecordWriter:
    """Writes the record of one team; used on the event loop alone."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit
        self._waiting: list[_Waiting] = []
        self._writing: asyncio.Task[None] | None = None
        self._thread = CapacityLimiter(1)  # of its own: who asks something does not wait for the disk

    async def add(self, entry: Entry) -> None:
        """Return when the entry is written; raises what the database raised for it."""
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((entry, written))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all())
        await written

    async def _write_all(self) -> None:
        while self._waiting:
            together = self._waiting[:_MOST_TOGETHER]
            del self._waiting[:_MOST_TOGETHER]
            await self._write(together)

    async def _write(self, together: Sequence[_Waiting]) -> None:
        """Write some entries; where the content of one is refused, each by itself."""
        try:
            await to_thread.run_sync(self._audit.add, [entry for entry, _ in together], limiter=self._thread)
        except (DataError, ValueError) as refusal:
            if len(together) > 1:
                for waiting in together:
                    await self._write([waiting])
            else:
                _end(together, refusal)
        except Exception as fault:
            _end(together, fault)
        else:
            _end(together, None)


def _end(together: Sequence[_Waiting], fault: Exception | None) -> None:
    for _, written in together:
        if written.done():  # whoever waited has gone
            continue
        if fault is None:
            written.set_result(None)
        else:
            written.set_exception(fault)
