"""Runs deployed queries in a pool of threads, and records how long each took and how many requests it made."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ParamSpec, TypeVar

import orjson
import piql
from piql.client.database import Observation, OperatorTiming
from piql.compiler.physical.operators import LocalProjection, PhysicalNode
from piql.compiler.physical.unit_plan import UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import CompiledQuery
from piql.errors import OUR_FAULT, BoundExceeded, DeployedMeanwhile
from piql.schema.json_values import to_json
from piql_profiler.measure.sampling import ParameterSampler

from piql_backend.database.connection import now
from piql_backend.deployments.history import LiveDeployment
from piql_backend.deployments.service import Deployments
from piql_backend.executions.observations import Observations, ObservedExecution
from piql_backend.executions.schemas import ExecutionCreate, ExecutionRead, ResultColumnRead, SampleParametersRead
from piql_backend.executions.values import from_json
from piql_backend.stores.connection import StoreConnection
from piql_backend.web.errors import ApiError

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 16
MOST_LOOKS = 5  # at what is live, for one execution, while others deploy


@dataclass(frozen=True, slots=True)
class Job:
    """A query of the live deployment, ready to run; with `tried_version`, as the version has it that is tried."""

    live: LiveDeployment
    query: CompiledQuery
    tried_version: int | None = None

    @property
    def version(self) -> int | None:
        """The store's number of the version, which may differ from the history's; None while it does not answer."""
        if self.tried_version is not None:
            return self.tried_version
        return None if self.live.deployment is None else self.live.deployment.version

    @property
    def is_one_scan(self) -> bool:
        """Whether the time of the query is that of its only request, so that no operators need to be timed."""
        return self.bound_operations <= 1

    @property
    def bound_operations(self) -> int:
        """The most requests that one execution can make."""
        return self.query.bound.operations if self.query.bound else 0


class Executions:
    """Runs one query at a time in each of its threads."""

    def __init__(self, deployments: Deployments, store: StoreConnection, observations: Observations) -> None:
        self._deployments = deployments
        self._store = store
        self._observations = observations
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="execution")

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def job(self, deployment_id: str, name: str) -> Job:
        """Find a query of a deployment; ApiError 404 for an unknown one, 409 for a deployment that is not live."""
        live = self._deployments.live_with(deployment_id, name)
        if live.deployment is None:  # taken from the history while the store did not answer
            self._deployments.history.look()
            live = self._deployments.live_with(deployment_id, name)
        return Job(live, live.query(name))

    async def execute(self, deployment_id: str, name: str, request: ExecutionCreate) -> bytes:
        """Run a query and return an `ExecutionRead` as JSON."""
        return await self.in_pool(self._execute_to_json, deployment_id, name, request)

    async def sample_parameters(self, deployment_id: str, name: str) -> SampleParametersRead:
        """A value for each parameter, drawn from the data."""
        return await self.in_pool(self._sample, deployment_id, name)

    async def in_pool(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Let a thread of the executions make a call, and return what it returns."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, lambda: call(*args, **kwargs))

    def sampler(self, job: Job) -> ParameterSampler:
        """Read the values from which parameters are drawn."""
        return ParameterSampler.of(job.query, job.live.compilation, self._store.database())

    def run(self, job: Job, parameters: dict[str, object], cursor: str | None = None) -> piql.Page:
        """Run a query and record the observation, also of a failure of the store; a refused request leaves none.

        The query is that of the job's version: DeployedMeanwhile where another one is in force by then. Otherwise
        raises the PiqlError of the engine.
        """
        database = self._store.database()
        timed: list[Observation] = []
        if not job.is_one_scan:
            database = database.observed_by(timed.append)
        started_at, started = now(), time.perf_counter()
        try:
            page = database.execute(job.query.name, parameters, cursor, version=job.version)
        except OUR_FAULT as error:
            elapsed_ms = (time.perf_counter() - started) * 1000
            operations = job.bound_operations + 1 if isinstance(error, BoundExceeded) else 0
            self._record(job, started_at, piql.Page([], operations=operations, elapsed_ms=elapsed_ms), failed=True)
            raise
        self._record(job, started_at, page, operators=timed[0].operators if timed else ())
        for incident in page.incidents:
            log.error("%s: %s", job.query.name, incident)
        if page.operations > job.bound_operations:
            log.error("%s made %d requests, its bound is %d", job.query.name, page.operations, job.bound_operations)
        return page

    def run_drawn(self, job: Job, parameters: dict[str, object], cursor: str | None = None) -> tuple[Job, piql.Page]:
        """Run a query as `run` does, or in the version that is tried beside the live one, as its share has it.

        Return the page, and the job as it was run.
        """
        drawn = self._drawn(job, cursor)
        try:
            return drawn, self.run(drawn, parameters, cursor)
        except DeployedMeanwhile:
            if drawn.tried_version is None:
                raise
            return job, self.run(job, parameters, cursor)  # it was withdrawn a moment ago

    def _drawn(self, job: Job, cursor: str | None) -> Job:
        database = self._store.database()
        version = database.drawn(job.query.name, cursor)
        if version == job.version or (tried := database.tried) is None or tried.version != version:
            return job
        return replace(job, query=tried.compilation.queries[job.query.name], tried_version=version)

    def _record(
        self,
        job: Job,
        started_at: datetime,
        page: piql.Page,
        failed: bool = False,
        operators: tuple[OperatorTiming, ...] = (),
    ) -> None:
        """Add an execution to the observations; the page of one that failed is empty."""
        observation = Observation(
            job.query.name,
            job.live.read.version if job.tried_version is None else job.tried_version,
            started_at,
            page.elapsed_ms,
            page.operations,
            page.round_trips,
            len(page.rows),
            operators,
        )
        incident = page.incidents[0].kind if page.incidents else None
        self._observations.add(ObservedExecution(observation, job.bound_operations, failed, incident))

    def _execute_to_json(self, deployment_id: str, name: str, request: ExecutionCreate) -> bytes:
        job, page = self._run_live(deployment_id, name, request)
        read = read_page(job.query, page, job.query.name, job.live.read.id, job.bound_operations)
        return orjson.dumps({**read.model_dump(mode="python"), "tried_version": job.tried_version})

    def _run_live(self, deployment_id: str, name: str, request: ExecutionCreate) -> tuple[Job, piql.Page]:
        """Run a query of a deployment; ApiError 409 once another one is live, unless it was asked for as `live`."""
        for _ in range(MOST_LOOKS):
            job = self.job(deployment_id, name)
            parameters = from_json(request.parameters, job.query.parameters)
            try:
                return self.run_drawn(job, parameters, request.cursor)
            except DeployedMeanwhile:
                self._deployments.history.look()
        raise ApiError(409, "deployment-replaced", "Another version is deployed again and again.", "Try again.")

    def _sample(self, deployment_id: str, name: str) -> SampleParametersRead:
        job = self.job(deployment_id, name)
        sampler = self.sampler(job)
        drawn = {name: to_json(value) for name, value in sampler.draw(is_for_form=True).items()}
        return SampleParametersRead(parameters=drawn, sources=sampler.sources)


def read_page(
    query: CompiledQuery, page: piql.Page, name: str, deployment_id: str, bound_operations: int
) -> ExecutionRead:
    """A page as the API sends it."""
    columns = columns_of(query)
    names = [column.name for column in columns] or list(page.rows[0] if page.rows else ())
    return ExecutionRead(
        query=name,
        deployment_id=deployment_id,
        columns=columns or [ResultColumnRead(name=name, type=None) for name in names],
        rows=[[to_json(row[name]) for name in names] for row in page.rows],
        cursor=page.cursor,
        operations=page.operations,
        bound_operations=bound_operations,
        round_trips=page.round_trips,
        repair_operations=page.repair_operations,
        elapsed_ms=page.elapsed_ms,
        rows_affected=page.rows_affected,
    )


def columns_of(query: CompiledQuery) -> list[ResultColumnRead]:
    """The columns of a query's rows, from the topmost projection of its plan, or of a write's RETURNING."""
    if isinstance(query.plan, WritePlan | UnitPlan):
        return [ResultColumnRead(name=output.name, type=_type_of(output.expression)) for output in query.plan.returning]
    if query.kind != "select" or query.plan is None:
        return []
    top: PhysicalNode | None = next(iter(query.plan.find(LocalProjection)), None)
    if not isinstance(top, LocalProjection):
        return []
    return [ResultColumnRead(name=output.name, type=_type_of(output.expression)) for output in top.outputs]


def _type_of(expression: object) -> str | None:
    expression_type = getattr(expression, "type", None)
    return None if expression_type is None else str(expression_type)
