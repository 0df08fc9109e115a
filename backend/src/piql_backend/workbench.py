"""The running workbench: its services, opened at the start and closed at the end, in this order and back."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Mapping
from datetime import timedelta

import piql
from piql.compiler.result import Compilation

from piql_backend.bursts.service import Bursts
from piql_backend.compilations.service import Compilations
from piql_backend.data_lock import DataLock
from piql_backend.database.opening import open_database
from piql_backend.deployments.repository import DeploymentTable
from piql_backend.deployments.service import Deployments
from piql_backend.disk import FREE_SOME
from piql_backend.executions.observations import Observations
from piql_backend.executions.service import Executions
from piql_backend.first_start import FirstStart
from piql_backend.health.schemas import ProblemRead
from piql_backend.health.service import Health
from piql_backend.latency.comparing import Comparing
from piql_backend.latency.plans import Plans
from piql_backend.latency.repository import ObservationTable
from piql_backend.latency.service import Latency
from piql_backend.predictions.by_workers import PredictionsByWorkers
from piql_backend.probes.service import Probes
from piql_backend.profile_runs.service import ProfileRuns
from piql_backend.profile_runs.stores import MeasurableStores
from piql_backend.settings import Settings
from piql_backend.slos.repository import SloTable
from piql_backend.slos.service import Slos
from piql_backend.store import StoreConnection
from piql_backend.workers.pool import WorkerPool
from piql_backend.workspaces.repository import Workspaces

KEPT_OBSERVATIONS = timedelta(days=31)


class Workbench:
    """Holds one service for each resource."""

    def __init__(self, settings: Settings, workers: WorkerPool | None = None) -> None:
        """Take a data folder; with `workers` of somebody else's, which stay open, or with its own."""
        data = settings.data
        self._lock = DataLock(data)
        self.workers = workers or WorkerPool(settings.worker_limits)
        self._own_workers = self.workers if workers is None else None
        self._first_start = FirstStart(settings)
        self.workspaces = Workspaces(data / "workspaces")
        is_expected = bool(self.workspaces.ids())  # each start before has made one
        self._database, self._new_file = open_database(data / "workbench.duckdb", is_expected=is_expected)
        self._store = StoreConnection(settings.store_url)
        self._observations = Observations(self._database)
        self._observation_table = ObservationTable(self._database)
        slo_table = SloTable(self._database)
        self.health = Health(self._store, data, self._problems)
        self.probes = Probes(self._store, self._database, self._observations, self.workers)
        self.compilations = Compilations(self._compile)
        stores = MeasurableStores(settings.store_url, settings.profile_stores)
        self.profile_runs = ProfileRuns(data / "profile-runs", stores, settings.profile_runner)
        self.predictions = PredictionsByWorkers(self.workers, self.profile_runs)
        self.deployments = Deployments(
            DeploymentTable(self._database), self.workspaces, self.compilations, self.predictions, self._store
        )
        self.executions = Executions(self.deployments, self._store, self._observations)
        self.bursts = Bursts(self.executions)
        self.slos = Slos(slo_table, self.deployments, self.predictions, self.workspaces, self.compilations)
        plans = Plans(self.deployments)
        self.latency = Latency(
            self._observation_table,
            slo_table,
            self.deployments,
            self._observations,
            plans,
            Comparing(self._observation_table, self.deployments, self.predictions),
        )

    def _problems(self) -> list[ProblemRead]:
        """What is the matter with what the workbench keeps."""
        problems = []
        if self.deployments.history.problem is not None:
            message = self.deployments.history.problem
            problems.append(ProblemRead(what="deployments", message=message, help="The log says more."))
        if self._observations.problem is not None:
            message = self._observations.problem
            problems.append(ProblemRead(what="observations", message=message, help=FREE_SOME))
        if self._new_file is not None:
            message, advice = self._new_file.message, self._new_file.advice
            problems.append(ProblemRead(what="history", message=message, help=advice, is_over=True))
        return problems

    async def open(self) -> None:
        """Read what earlier starts left; the very first one makes the sample workspace."""
        self.profile_runs.open()
        self._observations.open()
        await asyncio.to_thread(self._observation_table.delete_older_than, KEPT_OBSERVATIONS)
        await asyncio.to_thread(self.deployments.open)
        await asyncio.to_thread(self._first_start.carry_out, self.workspaces, self.deployments, self._store)

    async def close(self) -> None:
        """Stop what runs, and write what waits."""
        await asyncio.gather(self.bursts.close(), self.profile_runs.close())
        await asyncio.to_thread(self.executions.close)
        await asyncio.to_thread(self.deployments.close)
        await asyncio.to_thread(self._observations.close)
        await asyncio.to_thread(self._store.close)
        await asyncio.to_thread(self._database.close)
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
