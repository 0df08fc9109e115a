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
_MOST_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class _Beat:
    """What is the same for everybody who asks."""

    state: EnvironmentState
    versions: VersionsRead


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

    async def read(self, application: str, environment: str, sees: Sees) -> PulseRead:
        """The pulse of an environment, also of one that cannot be opened; ApiError 404 for none of that name."""
        beat = await self._beat(EnvironmentName(application, environment))
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
        versions = await asyncio.to_thread(versions_of, name, environment, self._applications, self._environments)
        return _Beat(state, versions)
