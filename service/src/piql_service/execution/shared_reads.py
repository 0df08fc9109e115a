"""Equal reads that arrive together share one execution.

    gathering   not started: every equal read joins it
    running     started: only reads that may be eventual join it

A read at quorum must see every write that was acknowledged before it. A running execution may have read earlier than
that. So the read joins or starts one that gathers, and this starts with the next turn of the event loop.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

Execute = Callable[[float | None], "asyncio.Future[T] | T"]
"""Executes with a deadline (None: without): at once, or in a thread."""


class _Shared(Generic[T]):
    """One execution, and the latest deadline of the reads that share it, by the clock of `time.monotonic`."""

    __slots__ = ("answer", "deadline")

    def __init__(self, answer: asyncio.Future[T], deadline: float) -> None:
        self.answer = answer
        self.deadline = deadline


class SharedReads(Generic[T]):
    """The reads of one event loop, by what makes them equal."""

    def __init__(self) -> None:
        self._gathering: dict[Hashable, _Shared[T]] = {}
        self._running: dict[Hashable, _Shared[T]] = {}

    def join(
        self, key: Hashable, execute: Execute[T], *, may_be_older: bool = False, deadline: float = math.inf
    ) -> tuple[asyncio.Future[T], bool]:
        """Return the answer of a read, and whether another read began its execution.

        `key` is equal for equal reads. `may_be_older` lets the read join a running execution whose deadline is not
        earlier. `deadline` is a time of `time.monotonic`.
        """
        shared = self._gathering.get(key)
        if shared is not None:
            shared.deadline = max(shared.deadline, deadline)
            return shared.answer, True
        if may_be_older:
            shared = self._running.get(key)
            if shared is not None and shared.deadline >= deadline:
                return shared.answer, True
        loop = asyncio.get_running_loop()
        shared = self._gathering[key] = _Shared(loop.create_future(), deadline)
        loop.call_soon(self._begin, key, execute)
        return shared.answer, False

    def _begin(self, key: Hashable, execute: Execute[T]) -> None:
        shared = self._gathering.pop(key)
        try:
            answer = execute(None if math.isinf(shared.deadline) else shared.deadline)
        except Exception as failure:
            shared.answer.set_exception(failure)
            return
        if not asyncio.isfuture(answer):
            shared.answer.set_result(answer)
            return
        self._running[key] = shared

        def end(ended: asyncio.Future[T]) -> None:
            if self._running.get(key) is shared:
                del self._running[key]
            if shared.answer.cancelled():
                return
            failure = ended.exception()
            if failure is not None:
                shared.answer.set_exception(failure)
            else:
                shared.answer.set_result(ended.result())

        answer.add_done_callback(end)
