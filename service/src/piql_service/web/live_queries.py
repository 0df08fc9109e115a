"""The queries that can be called now. When another version is deployed, its queries replace them all at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor

import orjson
from piql.client.database import Database
from piql.errors import NotDeployed, PiqlError
from piql.trees.cached_property import cached_property

from piql_service.contract.deployed_set import ServedQuery, ServedSet, served_set
from piql_service.contract.openapi import document
from piql_service.contract.values import Reading, reading

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
                self.current = ServedVersion(served_set(deployment.compilation, deployment.version, self._names))
                self._epoch = deployment.epoch
            self.problem = None
        except PiqlError as error:
            if self.problem is None:
                log.error("the store does not answer: %s", error)
            self.problem = str(error)

    async def query(self, name: str) -> tuple[ServedQuery, Reading]:
        """Return a query with what reads its parameters; look once for one that is unknown, then raise NotDeployed."""
        known = self.current.queries.get(name)
        if known is None:
            await self.look()
            known = self.current.queries.get(name)
        if known is None:
            raise NotDeployed(f"no query {name!r} is deployed")
        return known
