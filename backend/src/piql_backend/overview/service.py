"""Reads the dashboards of many environments, each once for all who ask within some seconds."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from piql_backend.applications.repository import Applications
from piql_backend.environments.environment import Environment
from piql_backend.environments.registry import EnvironmentName, Environments
from piql_backend.environments.settings_file import read_settings
from piql_backend.latency.danger import is_in_danger, worst_first
from piql_backend.latency.schemas import LatencyRead
from piql_backend.overview.schemas import OverviewRead
from piql_backend.web.errors import ApiError, NotFound
from piql_backend.web.pages import Listing, Page, PageWish
from piql_backend.web.visitor import Sees

SECONDS_KEPT = 10.0
MOST_WORST = 10  # queries of one environment
_AT_ONCE = 4  # environments that are read at a time: each takes a dozen statements
_MOST_KEPT = 1_000
_PLACES = Listing[EnvironmentName, str]("overview", str, str)
_Kept = tuple[float, "asyncio.Task[OverviewRead | None]"]


class Overview:
    """Reads overviews; used on the event loop alone."""

    def __init__(
        self, applications: Applications, environments: Environments, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._applications = applications
        self._environments = environments
        self._clock = clock
        self._kept: dict[tuple[EnvironmentName, float], _Kept] = {}
        self._reading = asyncio.Semaphore(_AT_ONCE)

    async def page(self, wish: PageWish, window_seconds: float, sees: Sees) -> Page[OverviewRead]:
        """A page of the environments of the applications that somebody sees, by name; ApiError 422 as `Listing`."""
        page = _PLACES.page_of(wish, await asyncio.to_thread(self._names, sees))
        read = await asyncio.gather(*(self._read(name, window_seconds) for name in page.items))
        return Page(items=[item for item in read if item is not None], next=page.next)

    def _names(self, sees: Sees) -> list[EnvironmentName]:
        names = []
        for application in filter(sees, self._applications.ids()):
            try:
                if not self._applications.is_archived(application):
                    names += [EnvironmentName(application, name) for name in self._environments.names(application)]
            except ApiError:  # deleted meanwhile
                continue
        return names

    async def _read(self, name: EnvironmentName, window_seconds: float) -> OverviewRead | None:
        """What is kept while it is new, or is being worked out; None for an environment that is gone."""
        key = (name, window_seconds)
        began_at, task = self._kept.get(key, (0.0, None))
        if task is None or (task.done() and self._clock() - began_at >= SECONDS_KEPT):
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            task = asyncio.create_task(self._worked_out(name, window_seconds))
            self._kept[key] = (self._clock(), task)
        try:
            return await asyncio.shield(task)  # others may wait for it, too
        except BaseException:
            if task.done() and self._kept.get(key, (0.0, None))[1] is task:
                del self._kept[key]
            raise

    async def _worked_out(self, name: EnvironmentName, window_seconds: float) -> OverviewRead | None:
        async with self._reading:
            try:
                place = await asyncio.to_thread(self._place, name)
                async with self._environments.using(name.application, name.environment) as environment:
                    latency = await asyncio.to_thread(_live_latency, environment, window_seconds)
            except NotFound:  # deleted meanwhile
                return None
            except ApiError as error:
                if error.body.code == "application-archived":
                    return None
                return _overview(place, None, error.body.message)
        return _overview(place, latency, None)

    def _place(self, name: EnvironmentName) -> dict[str, Any]:
        """Where it is: the names, titles and colour."""
        title, colour = name.environment, "grey"
        folder = self._environments.folder(name)
        with contextlib.suppress(ApiError):  # opening it says what is wrong with its file
            settings = read_settings(folder)
            title, colour = settings.title or title, settings.colour or colour
        return {
            "application": name.application,
            "application_title": self._applications.title(name.application),
            "environment": name.environment,
            "environment_title": title,
            "colour": colour,
        }


def _live_latency(environment: Environment, window_seconds: float) -> tuple[int, LatencyRead] | None:
    live = environment.deployments.history.live
    if live is None:
        return None
    return live.read.version, environment.latency.read("live", window_seconds)


def _overview(place: dict[str, Any], live: tuple[int, LatencyRead] | None, problem: str | None) -> OverviewRead:
    queries = [] if live is None else live[1].queries
    in_danger = [query for query in queries if is_in_danger(query)]
    return OverviewRead(
        **place,
        version=None if live is None else live[0],
        queries=len(queries),
        executed=sum(query.was_executed for query in queries),
        executions=sum(query.executions for query in queries),
        promised=sum(query.slo is not None for query in queries),
        in_danger=len(in_danger),
        slower=sum(query.agreement is not None and query.agreement.outcome == "slower" for query in queries),
        worst=worst_first(in_danger)[:MOST_WORST],
        problem=problem,
        updated_at=datetime.now(UTC),
    )
