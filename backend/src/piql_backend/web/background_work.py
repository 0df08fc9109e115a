"""Work that goes on after the request that began it has been answered."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


class BackgroundWork:
    """The work of one resource, each a task of the event loop; whoever begins it says how it is stopped."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def is_under_way(self) -> bool:
        return bool(self._tasks)

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def wait(self) -> None:
        """Wait until all of it has ended, whatever became of it."""
        await asyncio.gather(*self._tasks, return_exceptions=True)
