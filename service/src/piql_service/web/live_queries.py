"""The queries that can be called now. When another version is deployed, its queries replace them all at once.

While a version is tried beside the one that is live, a part of the requests is executed in it, drawn by its share. Both
take the same parameters and give the same columns, so a client need not know.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import orjson
from piql.client.database import Database
from piql.errors import NotDeployed, PiqlError
from piql.runtime.deployment import Deployment
from piql.trees.cached_property import cached_property

from piql_service.contract.deployed_set import ServedQuery, ServedSet, served_set
from piql_service.contract.openapi import document
from piql_service.contract.values import Reading, reading
from piql_service.execution.executor import Request

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5  # shorter than the engine's interval, so that a new version is loaded here and not by an execution


class ServedVersion:
    """The queries of one version, each with the function that reads its parameters, and their OpenAPI document."""

    def __init__(self, served: ServedSet) -> None:
        self.served = served
        self.queries: dict[str, tuple[ServedQuery, Reading]] = {
            name: (query, reading(query.parameters)) for name, query in served.queries.items()
        }

    @cached_property
    def document(self) -> bytes:
        return orjson.dumps(document(self.served))


class LiveQueries:
    """Follows what is deployed. Only queries in `names` are served; None serves all."""

    def __init__(self, database: Database, names: Collection[str] | None = None) -> None:
        self._database = database
        self._names = names
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="live-queries")
        self._looking: asyncio.Future[None] | None = None
        self.problem: str | None = None  # why the store did not answer when it was last asked
        self.current = ServedVersion(ServedSet(0, (), {}))
        self.tried: ServedVersion | None = None  # beside the current one
        self._epoch = -1

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    async def follow(self) -> None:
        """Look for another version every half second, until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Load the live version in a thread, if it changed. Calls that overlap share one look."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().run_in_executor(self._pool, self._look)
        await asyncio.shield(self._looking)

    def _look(self) -> None:
        try:
            deployment = self._database.deployment
            if deployment.epoch != self._epoch:
                tried = self._database.tried
                self.current = self._served(deployment)
                self.tried = None if tried is None else self._served(tried)
                self._epoch = deployment.epoch
            self.problem = None
        except PiqlError as error:
            if self.problem is None:
                log.error("the store does not answer: %s", error)
            self.problem = str(error)

    def _served(self, deployment: Deployment) -> ServedVersion:
        return ServedVersion(served_set(deployment.compilation, deployment.version, self._names))

    async def query(self, name: str) -> tuple[ServedQuery, Reading]:
        """Return a query with what reads its parameters; look once for one that is unknown, then raise NotDeployed.

        It is that of the live version, where this has it.
        """
        known = self._known(name)
        if known is None:
            await self.look()
            known = self._known(name)
        if known is None:
            raise NotDeployed(f"no query {name!r} is deployed")
        return known

    def drawn(self, request: Request) -> Request:
        """Return a request with the query of the version that it is executed in."""
        tried = self.tried
        if tried is None:
            return request
        name = request.query.name
        known = tried.queries.get(name)
        if known is None or self._database.drawn(name, request.cursor) != tried.served.version:
            return request
        return replace(request, query=known[0])

    def _known(self, name: str) -> tuple[ServedQuery, Reading] | None:
        known = self.current.queries.get(name)
        if known is None and self.tried is not None:
            known = self.tried.queries.get(name)
        return known
