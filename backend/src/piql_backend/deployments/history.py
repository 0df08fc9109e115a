"""What is live, as the store's document says it, and the history that is made from that document.

The document is written in one transaction of the store, by whoever deploys, and carries an id, who deployed and when.
A row of the history is made from it afterwards: at the start, after each deployment made here, and once a second, when
another process may have deployed. A crash between the two leaves a row out until the next look, and nothing else.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from piql.compiler.logical.operators import Stop
from piql.compiler.result import Compilation, CompiledQuery
from piql.errors import PiqlError
from piql.runtime.deployment import Deployer, Deployment
from piql.versions.change.composition import EARLIER
from piql.versions.deploy import LivingVersion, versions

from piql_backend.compilations.reading import read_bound, read_indexes, read_parameter
from piql_backend.compilations.service import Compilations
from piql_backend.deployments.repository import DeploymentTable
from piql_backend.deployments.schemas import (
    DeployedFileRead,
    DeployedQueryRead,
    DeploymentDetailRead,
    QueryBoundRead,
)
from piql_backend.errors import ApiError, NotFound
from piql_backend.store import StoreConnection

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
FIRST_START = "first start"  # the detail by which a first start knows its own deployment again
_AN_APPLICATION = "an application"
_APPLICATION = "workspace"  # the detail of a stored deployment that names the application: it was called so at first


@dataclass(frozen=True, slots=True)
class LiveDeployment:
    """The version that runs, compiled; `id` is the store's own, `owners` says whose each query is."""

    read: DeploymentDetailRead
    compilation: Compilation
    id: str
    owners: Mapping[str, tuple[str, ...]]
    deployment: Deployment | None = None  # None while the store has not said it

    def query(self, name: str) -> CompiledQuery:
        query = self.compilation.queries.get(name)
        if query is None:
            names = ", ".join(self.compilation.queries)
            raise NotFound("unknown-query", f"{self.read.id} has no query {shown(name)}.", f"It has {names}.")
        return query


class History:
    """Follows the store's document."""

    def __init__(self, table: DeploymentTable, compilations: Compilations, store: StoreConnection) -> None:
        self._table = table
        self._compilations = compilations
        self._store = store
        self._live: LiveDeployment | None = None
        self._looking = threading.Lock()
        self._closing = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="watch-store", daemon=True)
        self.problem: str | None = None
        self.on_new: Callable[[DeploymentDetailRead], None] = lambda version: None
        """Called with each version that is seen for the first time."""

    def open(self) -> None:
        """Read what is live; while the store is away, what was live as far as the history knows."""
        self.look()
        newest = self._table.newest()
        if self._live is None and newest and self.problem is not None:
            read = self._table.read(newest, newest)
            assert read is not None
            self._live = LiveDeployment(read, self._compilations.compile_texts(self._table.texts(newest)), "", {})
        self._watcher.start()

    def close(self) -> None:
        self._closing.set()
        if self._watcher.is_alive():
            self._watcher.join()

    @property
    def live(self) -> LiveDeployment | None:
        """What was live at the last look."""
        return self._live

    def look(self) -> None:
        """Look at the store if it answers; what is the matter otherwise is kept for the health check."""
        try:
            self.reconcile()
        except (PiqlError, ApiError) as error:
            self.problem = str(error)
        except Exception as error:
            if self.problem != str(error):
                log.exception("the history of deployments does not follow the store")
            self.problem = f"the history of deployments does not follow the store: {error}"

    def reconcile(self) -> LiveDeployment | None:
        """Make the history agree with the store, and give what is live."""
        with self._looking:
            database = self._store.database()
            deployment = database.deployment
            if self._live is None or self._live.deployment is None or self._live.id != deployment.origin.id:
                self._live = self._follow([*versions(database.store)])
            self.problem = None
            return self._live

    def version_before(self) -> int:
        """The version that a rollback returns to, 0 for none."""
        kept = versions(self._store.database().store)
        before = next((version.deployment for version in kept if version.state == "before"), None)
        return 0 if before is None else self._table.version_of(before.origin.id) or 0

    def _follow(self, kept: list[LivingVersion]) -> LiveDeployment | None:
        """Make the rows that are missing, the older first."""
        live: LiveDeployment | None = None
        for state in ("before", "in force"):
            for deployment in (version.deployment for version in kept if version.state == state):
                read = self._row_of(deployment)
                if state == "in force":
                    owners = _owners(deployment, read)
                    live = LiveDeployment(read, deployment.compilation, deployment.origin.id, owners, deployment)
        return live

    def _row_of(self, deployment: Deployment) -> DeploymentDetailRead:
        version = self._table.version_of(deployment.origin.id)
        if version is None:
            version = self._new_row(deployment)
        read = self._table.read(version, version)
        assert read is not None
        return read

    def _new_row(self, deployment: Deployment) -> int:
        known = self._table.version_without_id(deployment.texts)
        version = known or max(self._table.newest() + 1, deployment.version)
        earlier = self._table.read(known, 0) if known else None
        read = _read(version, deployment, earlier)
        self._table.put(deployment.origin.id, read, deployment.texts)
        self.on_new(read)
        return version

    def _watch(self) -> None:
        while not self._closing.wait(LOOK_SECONDS):
            self.look()


def deployer_of(
    application_id: str, seen: str | None, run_id: str | None, model: str | None, predicted: Mapping[str, float]
) -> Deployer:
    """What the store is to keep of a deployment, so that its row can be made from the store alone."""
    details = {_APPLICATION: application_id}
    if run_id is not None and model is not None:
        details |= {"run": run_id, "model": model, "predicted": json.dumps(predicted)}
    return Deployer(application_id, details, seen)


def application_of(deployment: Deployment) -> str | None:
    """The application that made a deployment, None for a program or the command line."""
    return deployment.origin.details.get(_APPLICATION)


def is_paginated(query: CompiledQuery) -> bool:
    """Whether a query gives its rows by the page."""
    return query.logical is not None and any(node.is_page for node in query.logical.find(Stop))


def shown(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"


def _owners(deployment: Deployment, read: DeploymentDetailRead) -> Mapping[str, tuple[str, ...]]:
    """The application that each query belongs to; in a store of an older format, the one that the history names."""
    if deployment.origin.owners or read.application_id is None:
        return deployment.origin.owners
    files = {file.path for file in read.files}
    queries = deployment.compilation.queries.values()
    return {query.name: (read.application_id,) for query in queries if query.span.file in files}


def _read(version: int, deployment: Deployment, earlier: DeploymentDetailRead | None) -> DeploymentDetailRead:
    """The row of a deployment; `earlier` is the row that a history without ids had of it."""
    details, compilation = deployment.origin.details, deployment.compilation
    application_id = application_of(deployment) or (earlier.application_id if earlier else None)
    predicted: dict[str, float | None] = json.loads(details.get("predicted", "{}"))
    if earlier is not None:
        predicted = {query.name: query.predicted_p99_ms for query in earlier.queries}
    return DeploymentDetailRead(
        id=f"d{version}",
        version=version,
        application_id=application_id,
        deployed_by=deployment.origin.by or application_id or _AN_APPLICATION,
        created_at=deployment.deployed_at or datetime.now(UTC),
        is_live=True,
        run_id=details.get("run") or (earlier.run_id if earlier else None),
        model=details.get("model") or (earlier.model if earlier else None),
        queries=[
            _query(query, predicted.get(query.name)) for query in compilation.queries.values() if query.is_bounded
        ],
        files=[DeployedFileRead(path=path, text=text) for path, text in deployment.texts.items() if path != EARLIER],
        bounds=[
            QueryBoundRead(query=query.name, text=query.text, bound=read_bound(query.bound))
            for query in compilation.queries.values()
            if query.bound is not None
        ],
        indexes=read_indexes(compilation),
    )


def _query(query: CompiledQuery, predicted_p99_ms: float | None) -> DeployedQueryRead:
    assert query.bound is not None
    return DeployedQueryRead(
        name=query.name,
        kind=query.kind,
        is_paginated=is_paginated(query),
        scaling_class=query.scaling_class,
        operations=query.bound.operations,
        formula=query.bound.formula,
        parameters=[read_parameter(parameter) for parameter in query.parameters],
        predicted_p99_ms=predicted_p99_ms,
    )
