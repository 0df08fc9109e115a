"""Runs SELECTs that are not deployed: compiled by a worker, read-only, over the version that is live.

live texts + statement  →  worker: compile_select  →  a bounded query over indexes that there are  →  one page
"""

from __future__ import annotations

import pickle

from piql.client.database import Database, Page
from piql.client.selects import Selects
from piql.compiler.result import CompiledQuery
from piql.runtime.deployment import Deployment, Redeployed

from piql_backend.ad_hoc.compiling import SelectJob
from piql_backend.ad_hoc.schemas import SelectCreate, SelectRead
from piql_backend.compilations.reading import read_parameter
from piql_backend.deployments.service import LIVE, Deployments
from piql_backend.executions.service import Executions, read_page
from piql_backend.executions.values import from_json
from piql_backend.stores.connection import StoreConnection
from piql_backend.web.errors import ApiError
from piql_backend.web.gone_clients import unless_gone
from piql_backend.workers.pool import WorkerPool

_TRIES = 3  # of a statement that meets a deployment
_NAME = "select"  # that its rows are shown and saved under


class AdHoc:
    """Runs one statement at a time in each thread of the executions."""

    def __init__(
        self, deployments: Deployments, executions: Executions, store: StoreConnection, workers: WorkerPool
    ) -> None:
        self._deployments = deployments
        self._executions = executions
        self._store = store
        self._workers = workers
        self._selects: tuple[Database, Selects] | None = None

    async def run(self, request: SelectCreate) -> SelectRead:
        """Run a SELECT; without values for its parameters, only say which they are.

        Raises ApiError 422 for what is no bounded SELECT over the indexes that there are, 404 where nothing is
        deployed, 409 where one deployment follows the other; errors of the engine as executions do.
        """
        for _ in range(_TRIES):
            deployment_id, deployment = await self._executions.in_pool(self._live)
            query = await self._compiled(request.text, deployment)
            if request.parameters is None and query.parameters:
                return _read(query)
            values = from_json(request.parameters or {}, query.parameters)
            try:
                page = await self._executions.in_pool(self._run, query, deployment, values, request.cursor)
            except Redeployed:
                continue
            assert query.bound is not None
            execution = read_page(query, page, _NAME, deployment_id, query.bound.operations)
            return _read(query).model_copy(update={"execution": execution})
        message = "Another version went live each time that the statement was run."
        raise ApiError(409, "deployed-meanwhile", message, "Run it again.")

    async def _compiled(self, text: str, deployment: Deployment) -> CompiledQuery:
        job = SelectJob(text, dict(deployment.texts))
        pickled = await unless_gone(self._workers.submit("compile_select", job, job.texts))
        if pickled is None:
            raise ApiError(422, "text-too-costly", "The statement is nested too deeply.", "Write it with fewer levels.")
        query: CompiledQuery = pickle.loads(pickled)
        return query

    def _live(self) -> tuple[str, Deployment]:
        """The id of the live version, and that version as the store has it now."""
        live = self._deployments.live(LIVE)
        return live.read.id, self._store.database().deployment

    def _run(self, query: CompiledQuery, deployment: Deployment, values: dict[str, object], cursor: str | None) -> Page:
        database = self._store.database()
        if self._selects is None or self._selects[0] is not database:
            self._selects = database, Selects(database)
        return self._selects[1].run(query, deployment, values, cursor)


def _read(query: CompiledQuery) -> SelectRead:
    """What is known of a SELECT that has not run."""
    assert query.bound is not None
    return SelectRead(
        parameters=[read_parameter(parameter) for parameter in query.parameters],
        operations=query.bound.operations,
        formula=query.bound.formula,
        indexes=[index.name for index in query.indexes],
        execution=None,
    )
