"""Sends one answer of a dashboard to all who ask the same, as long as pages are told no other version of what it is of.

the version and the moment are those of an answer   →  its bytes, at once, on the event loop
it is being worked out                              →  it is waited for, and no thread is
else                                                →  one thread works it out, whoever asks

Twenty pages ask within the same seconds, once there is another version. Each of them in a thread would wait for the one
that works the answer out, until no thread is left for others.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from fastapi import Response

from piql_backend.latency.shared_reads import SECONDS_KEPT
from piql_backend.web.schemas import Read

_MOST_KEPT = 64


@dataclass(frozen=True, slots=True)
class _Kept:
    version: str  # before it was worked out
    began_at: float
    json: asyncio.Task[bytes]

    def holds(self, version: str, now: float) -> bool:
        """Whether it may be given to somebody who asks now; who asks after a failure has it tried again."""
        is_well = not self.json.done() or (not self.json.cancelled() and self.json.exception() is None)
        return is_well and self.version == version and now - self.began_at < SECONDS_KEPT


class SharedAnswers:
    """Answers by what was asked; used on the event loop alone.

    `version` gives that of all they are worked out from, once `is_settled`. Until then `settle`, in a thread, writes
    what waits to be.
    """

    def __init__(
        self,
        version: Callable[[], str],
        is_settled: Callable[[], bool],
        settle: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._version = version
        self._is_settled = is_settled
        self._settle = settle
        self._clock = clock
        self._kept: dict[Hashable, _Kept] = {}

    async def read(self, asked: Hashable, work_out: Callable[[], Read]) -> Response:
        """The answer as JSON; raises what `work_out` raises, which is called in a thread."""
        if not self._is_settled():
            await asyncio.to_thread(self._settle)
        version, now = self._version(), self._clock()
        kept = self._kept.get(asked)
        if kept is None or not kept.holds(version, now):
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            task = asyncio.create_task(asyncio.to_thread(lambda: work_out().model_dump_json().encode()))
            kept = self._kept[asked] = _Kept(version, now, task)
        return Response(await asyncio.shield(kept.json), media_type="application/json")
