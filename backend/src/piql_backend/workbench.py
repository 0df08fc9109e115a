"""The running workbench: what its environments share, and the environments; opened at the start, closed at the end."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Mapping

import piql
from piql.compiler.result import Compilation

from piql_backend.compilations.service import Compilations
from piql_backend.data_lock import DataLock
from piql_backend.environments.environment import Environment
from piql_backend.first_start import FirstStart
from piql_backend.health.service import Health
from piql_backend.probes.service import Probes
from piql_backend.profile_runs.stores import MeasurableStores
from piql_backend.settings import Settings
from piql_backend.store import StoreConnection
from piql_backend.workers.pool import WorkerPool
from piql_backend.workspaces.repository import Workspaces


class Workbench:
    """Holds the texts of all applications, the processes that compile them, and the environment they run in."""

    def __init__(self, settings: Settings, workers: WorkerPool | None = None) -> None:
        """Take a data folder; with `workers` of somebody else's, which stay open, or with its own."""
        data = settings.data
        self._lock = DataLock(data)
        self.workers = workers or WorkerPool(settings.worker_limits)
        self._own_workers = self.workers if workers is None else None
        self._first_start = FirstStart(settings)
        self.workspaces = Workspaces(data / "workspaces")
        self.compilations = Compilations(self._compile)
        self.environment = Environment(
            data,
            StoreConnection(settings.store_url),
            MeasurableStores(settings.store_url, settings.profile_stores),
            settings.profile_runner,
            self.workspaces,
            self.compilations,
            self.workers,
            is_expected=bool(self.workspaces.ids()),  # each start before has made one
        )
        self.health = Health(self.environment.store, data, self.environment.problems)
        self.probes = Probes(
            self.environment.store, self.environment.database, self.environment.observations, self.workers
        )

    async def open(self) -> None:
        """Read what earlier starts left; the very first one makes the sample workspace."""
        await self.environment.open()
        deployments, store = self.environment.deployments, self.environment.store
        await asyncio.to_thread(self._first_start.carry_out, self.workspaces, deployments, store)

    async def close(self) -> None:
        """Stop what runs, and write what waits."""
        await self.environment.close()
        if self._own_workers is not None:
            await asyncio.to_thread(self._own_workers.close)
        self._lock.release()

    def _compile(self, texts: Mapping[str, str]) -> Compilation:
        """Let a worker compile, within its limits."""
        pickled: bytes | None = self.workers.submit("compile", dict(texts), texts).result()
        if pickled is None:
            return piql.compile(texts)
        compilation: Compilation = pickle.loads(pickled)
        return compilation
