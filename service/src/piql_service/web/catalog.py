"""The set that is served now, with what each query needs to be read; another version replaces it as a whole."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import orjson
from piql.client.database import Database
from piql.errors import NotDeployed, PiqlError

from piql_service.contract.deployed_set import ServedQuery, ServedSet, served_set
from piql_service.contract.openapi import document
from piql_service.contract.values import Reading, reading

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5  # less than the engine's, so that it is this thread that loads a new version


class Entry:
    """One version of the set."""

    def __init__(self, served: ServedSet) -> None:
        self.served = served
        self.queries: dict[str, tuple[ServedQuery, Reading]] = {
            name: (query, reading(query.parameters)) for name, query in served.queries.items()
        }

    @cached_property
    def document(self) -> bytes:
        return orjson.dumps(document(self.served))


class Catalog:
    """Follows what is deployed; `names` are the only queries that are served, None for all."""

    def __init__(self, database: Database, names: Collection[str] | None = None) -> None:
        self._database = database
        self._names = names
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="catalog")
        self._looking: asyncio.Future[None] | None = None
        self.problem: str | None = None  # why the store did not answer when it was last asked
        self.entry = Entry(ServedSet(0, (), {}))
        self._epoch = -1

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    async def follow(self) -> None:
        """Look again and again, for ever."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Load the version in force, in a thread; calls at the same time share one look."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().run_in_executor(self._pool, self._look)
        await asyncio.shield(self._looking)

    def _look(self) -> None:
        try:
            deployment = self._database.deployment
            if deployment.epoch != self._epoch:
                self.entry = Entry(served_set(deployment.compilation, deployment.version, self._names))
                self._epoch = deployment.epoch
            self.problem = None
        except PiqlError as error:
            if self.problem is None:
                log.error("the store does not answer: %s", error)
            self.problem = str(error)

    async def query(self, name: str) -> tuple[ServedQuery, Reading]:
        """Return a query with what reads its parameters; look once for one that is unknown, then raise NotDeployed."""
        known = self.entry.queries.get(name)
        if known is None:
            await self.look()
            known = self.entry.queries.get(name)
        if known is None:
            raise NotDeployed(f"no query {name!r} is deployed")
        return known
