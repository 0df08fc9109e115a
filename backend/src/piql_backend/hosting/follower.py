"""What a server does while another one is the writer: it compiles texts, answers editors, and serves the page."""

from __future__ import annotations

import asyncio
import re
from collections import Counter

from piql.telemetry.exposition import text_of

from piql_backend.people.service import People
from piql_backend.probes.of_process import process_families
from piql_backend.probes.schemas import ProbeRead
from piql_backend.workers.pool import WorkerPool

_HANDED_ON = re.compile(r"/api(/.*)?")
_ANSWERED_HERE = re.compile(r"POST /api/(compilations(/parts)?|comparisons|schema-imports|language/[^/]+)")


def is_answered_here(method: str, path: str) -> bool:
    """Whether a follower answers a request itself: it is about the page, the process, or texts that it carries."""
    return _HANDED_ON.fullmatch(path) is None or _ANSWERED_HERE.fullmatch(f"{method} {path}") is not None


class Follower:
    """Takes the place of the workbench in the application of a server that is not the writer."""

    def __init__(self, team: People, workers: WorkerPool) -> None:
        self.team = team
        self.workers = workers
        self.probes = FollowerProbes(team, workers)

    async def open(self) -> None:
        """There is nothing to open."""

    async def close(self) -> None:
        """There is nothing to close: the people and the workers are those of the server."""


class FollowerProbes:
    """Answers the probes of a follower, as `Probes` do those of a workbench."""

    def __init__(self, team: People, workers: WorkerPool) -> None:
        self._team = team
        self._workers = workers
        self.requests: Counter[tuple[str, int]] = Counter()

    def live(self) -> ProbeRead:
        """It runs."""
        return ProbeRead(is_well=True, problems=[])

    async def ready(self) -> ProbeRead:
        """Whether it can ask who somebody is: without, it answers nothing but the page."""
        try:
            await asyncio.to_thread(self._team.accounts.has_administrator)
        except Exception as error:
            return ProbeRead(is_well=False, problems=[str(error)])
        return ProbeRead(is_well=True, problems=[])

    async def metrics(self) -> str:
        """What this process has done, in Prometheus' text format."""
        return text_of(process_families(self.requests, self._workers))
