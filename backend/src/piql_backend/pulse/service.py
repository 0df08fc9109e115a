"""The pulse of an environment, worked out once for all who ask within a moment."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from piql_backend.applications.repository import Applications
from piql_backend.environments.registry import EnvironmentName, Environments
from piql_backend.health.service import EnvironmentState, Health
from piql_backend.pulse.schemas import PulseRead, VersionsRead
from piql_backend.pulse.versions import versions_of
from piql_backend.web.visitor import Sees

SECONDS_KEPT = 1.0  # by so much news may be late, beside the time until a page asks again
SECONDS_FOR_A_PAGE = 0.5  # between two news of one kind, for each page that asks: so often all of them read it anew
MOST_SECONDS_BETWEEN_NEWS = 15.0
_SECONDS_TO_COUNT = 4.0  # as often as a page asks
_MOST_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class _Beat:
    """What is the same for everybody who asks."""

    state: EnvironmentState
    versions: VersionsRead


@dataclass(slots=True)
class _Pages:
    """How many pages ask about an environment: as many as have asked in the last whole count of some seconds."""

    began_at: float
    asked: int = 0
    counted: int = 0

    def ask(self, at: float) -> None:
        if at - self.began_at >= _SECONDS_TO_COUNT:
            is_last = at - self.began_at < 2 * _SECONDS_TO_COUNT
            self.began_at, self.asked, self.counted = at, 0, self.asked if is_last else 0
        self.asked += 1


class Pulse:
    """Reads pulses; used on the event loop alone."""

    def __init__(
        self,
        applications: Applications,
        environments: Environments,
        health: Health,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._applications = applications
        self._environments = environments
        self._health = health
        self._clock = clock
        self._beats: dict[EnvironmentName, tuple[float, asyncio.Task[_Beat]]] = {}
        self._pages: dict[EnvironmentName, _Pages] = {}

    async def read(self, application: str, environment: str, sees: Sees) -> PulseRead:
        """The pulse of an environment, also of one that cannot be opened; ApiError 404 for none of that name."""
        name = EnvironmentName(application, environment)
        beat = await self._beat(name)
        self._count(name)
        return PulseRead(health=self._health.as_seen(beat.state, sees), versions=beat.versions)

    async def _beat(self, name: EnvironmentName) -> _Beat:
        """The last beat while it is new, or is being worked out; else the next one."""
        began_at, task = self._beats.get(name, (0.0, None))
        if task is None or (task.done() and self._clock() - began_at >= SECONDS_KEPT):
            if len(self._beats) >= _MOST_KEPT:
                self._beats.clear()
            task = asyncio.create_task(self._worked_out(name))
            self._beats[name] = (self._clock(), task)
        try:
            return await asyncio.shield(task)  # others may wait for it, too
        except BaseException:
            if task.done() and self._beats.get(name, (0.0, None))[1] is task:
                del self._beats[name]
            raise

    async def _worked_out(self, name: EnvironmentName) -> _Beat:
        state = await self._health.look_at(name.application, name.environment)
        environment = self._environments.find(name)
        seconds = self._seconds_between_news(name)
        versions = await asyncio.to_thread(
            versions_of, name, environment, self._applications, self._environments, seconds
        )
        return _Beat(state, versions)

    def _count(self, name: EnvironmentName) -> None:
        at = self._clock()
        if len(self._pages) >= _MOST_KEPT:
            self._pages.clear()
        self._pages.setdefault(name, _Pages(at)).ask(at)

    def _seconds_between_news(self, name: EnvironmentName) -> float:
        """Few pages hear of every change; of many, all together read what changes all the time as often as few."""
        pages = self._pages.get(name)
        return 0.0 if pages is None else min(MOST_SECONDS_BETWEEN_NEWS, pages.counted * SECONDS_FOR_A_PAGE)
