"""What is live, and the history of deployments: both follow the store's own document.

    store's document (version 7 is live, 6 was before)  →  look  →  rows d6 and d7 of the table `deployments` in DuckDB

Whoever deploys writes the document in one transaction of the store, with an id, who deployed and when. Rows of the
history that are missing are made from it afterwards: at the start, after each deployment by this process, and once a
second, since another process may have deployed. So a crash between the two only delays a row until the next look.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count

from piql.compiler.result import Compilation, CompiledQuery
from piql.errors import PiqlError, StoreReplaced
from piql.runtime.deployment import Deployer, Deployment
from piql.versions.change.composition import EARLIER
from piql.versions.deploy import LivingVersion, versions

from piql_backend.compilations.reading import read_bound, read_indexes, read_parameter
from piql_backend.compilations.service import Compilations
from piql_backend.data_folder.disk import advice_on
from piql_backend.deployments.naming import VersionNames
from piql_backend.deployments.repository import DeploymentTable
from piql_backend.deployments.schemas import (
    PERSON,
    REQUEST,
    DeployedFileRead,
    DeployedQueryRead,
    DeploymentDetailRead,
    QueryBoundRead,
)
from piql_backend.stores.connection import StoreConnection
from piql_backend.web.errors import ApiError, ErrorRead, NotFound, from_engine

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
_LOOKS_BETWEEN_NAMES = 60  # after so many it is looked whether a version has no name
FIRST_START = "first start"  # the detail by which a first start recognizes its own deployment
_AN_APPLICATION = "an application"
_APPLICATION = "workspace"  # the detail that names the application; applications were called workspaces at first


@dataclass(frozen=True, slots=True)
class LiveDeployment:
    """The version that runs, compiled.

    `id` is the store's own id of the deployment, and `owners` has the applications that each query belongs to. While
    the store has not answered yet, a version is taken from the history: then `deployment` is None, `id` and `owners`
    are empty.
    """

    read: DeploymentDetailRead
    compilation: Compilation
    id: str
    owners: Mapping[str, tuple[str, ...]]
    deployment: Deployment | None = None

    def query(self, name: str) -> CompiledQuery:
        """A query of that name; ApiError 404 where there is none."""
        query = self.compilation.queries.get(name)
        if query is None:
            names = ", ".join(self.compilation.queries)
            raise NotFound("unknown-query", f"{self.read.id} has no query {shortened(name)}.", f"It has {names}.")
        return query


class History:
    """Follows the store's document.

    `problem` says why it could not at the last look, None where it could, and `advice` what to do if the disk is full.
    `replaced` is the error where another store is in the place of this one. `emptied` says that the store holds no
    version though the history has some. That the store does not answer, and that it answers again, is logged once.
    """

    def __init__(
        self, table: DeploymentTable, compilations: Compilations, store: StoreConnection, names: VersionNames
    ) -> None:
        self._table = table
        self._names = names
        self._compilations = compilations
        self._store = store
        self._live: LiveDeployment | None = None
        self._looking = threading.Lock()
        self._closing = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="watch-store", daemon=True)
        self._logged: str | None = None  # what is to be done about the problem, as the log says
        self.problem: str | None = None
        self.advice: str | None = None
        self.replaced: StoreReplaced | None = None
        self.emptied: str | None = None
        self.on_answer: Callable[[], None] = lambda: None
        """Called once a second as long as the store answers."""

    def open(self) -> None:
        """Read what is live; while the store does not answer, what is live according to the history."""
        self.look()
        newest = self._table.newest()
        if self._live is None and newest and self.problem is not None and self.replaced is None:
            read = self._table.read(newest, newest)
            assert read is not None
            self._live = LiveDeployment(read, self._compilations.compile_texts(self._table.texts(newest)), "", {})
        self._names.complete()
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
        """Reconcile with the store; where that fails, keep why in `problem`, for the health check."""
        try:
            self.reconcile()
        except (PiqlError, ApiError) as error:
            self.problem, self.advice = str(error), None
        except Exception as error:
            problem, self.advice = f"the history of deployments does not follow the store: {error}", advice_on(error)
            if problem != self.problem:
                log.error("%s", problem, exc_info=None if self.advice else error)
            self.problem = problem

    def reconcile(self) -> LiveDeployment | None:
        """Make the history agree with the store, and return what is live.

        Raises PiqlError where the store does not answer, StoreReplaced where it is not the one that was there.
        """
        with self._looking:
            before = self._live
            try:
                self._follow()
            except (PiqlError, ApiError) as error:
                self._log(error.body if isinstance(error, ApiError) else from_engine(error).body)
                if isinstance(error, StoreReplaced):
                    self._live, self.replaced = None, error
                    self._store.close()  # the next look connects to what is there then
                raise
            self.problem = self.replaced = None
            if self._logged is not None:
                log.info("the store %s answers again", self._store.shown_url)
                self._logged = None
            live = self._live
        if live is not before:
            self._names.complete()
        return live

    def _log(self, refusal: ErrorRead) -> None:
        """Say why the store cannot be followed, and what to do, unless the last line said to do the same."""
        advice = refusal.help or "See the health of its environment."
        if advice != self._logged:
            self._logged = advice
            log.error("the store %s: %s. %s", self._store.shown_url, refusal.message.rstrip("."), advice)

    def _follow(self) -> None:
        database = self._store.database()
        deployment = database.deployment
        if self._live is None or self._live.deployment is None or self._live.id != deployment.origin.id:
            self._store.refuse_other()
            self._live = self._add_rows([*versions(database.store)])
            self.emptied = self._emptied() if self._live is None else None
            if self._live is not None:
                self._store.remember()

    def version_before(self) -> int:
        """The version that a rollback returns to, 0 for none."""
        kept = versions(self._store.database().store)
        before = next((version.deployment for version in kept if version.state == "before"), None)
        return 0 if before is None else self._table.version_of(before.origin.id) or 0

    def _emptied(self) -> str | None:
        newest = self._table.newest()
        if newest == 0:
            return None
        return (
            f"The store has no version and no rows, although version {newest} was deployed from here: "
            "it was emptied, or its file is gone."
        )

    def _add_rows(self, kept: list[LivingVersion]) -> LiveDeployment | None:
        """Make the rows that the history lacks, the older first; return the version that is live."""
        live: LiveDeployment | None = None
        for state in ("before", "in force"):
            for deployment in (version.deployment for version in kept if version.state == state):
                read = self._row_of(deployment)
                if state == "in force":
                    owners = _owners(deployment, read)
                    live = LiveDeployment(read, deployment.compilation, deployment.origin.id, owners, deployment)
        return live

    def _row_of(self, deployment: Deployment) -> DeploymentDetailRead:
        """The row of a deployment, made now if there is none."""
        version = self._table.version_of(deployment.origin.id)
        if version is None:
            version = self._new_row(deployment)
        read = self._table.read(version, version)
        assert read is not None
        return read

    def _new_row(self, deployment: Deployment) -> int:
        """Make the row of a deployment, or give a row that an earlier format left without an id its id; its version."""
        version_without_id = self._table.version_without_id(deployment.texts)
        version = version_without_id or max(self._table.newest() + 1, deployment.version)
        earlier = self._table.read(version_without_id, 0) if version_without_id else None
        read = _read(version, deployment, earlier)
        self._table.put(deployment.origin.id, read, deployment.texts, deployment.origin.details.get(REQUEST))
        return version

    def _watch(self) -> None:
        for looks in count(1):
            if self._closing.wait(LOOK_SECONDS):
                return
            self.look()
            if self.problem is None:
                self.on_answer()
            if looks % _LOOKS_BETWEEN_NAMES == 0:
                self._names.complete()


def deployer_of(
    application_id: str, seen: str | None, run_id: str | None, model: str | None, predicted: Mapping[str, float]
) -> Deployer:
    """What the store is to keep of a deployment, so that its row can be made from the store alone.

    `seen` is the id of the deployment that was live for the user, `predicted` the p99 in ms of each query by `model`.
    """
    details = {_APPLICATION: application_id}
    if run_id is not None and model is not None:
        details |= {"run": run_id, "model": model, "predicted": json.dumps(predicted)}
    return Deployer(application_id, details, seen)


def details_of_rollback(before: DeploymentDetailRead | None, person: str | None) -> Mapping[str, str]:
    """What the store is to keep of a return to a version: who did it, and whose the version is.

    No deploy request asked for it. The history knows the application also of a version that an earlier format of the
    store kept without one.
    """
    application_id = None if before is None else before.application_id
    return {PERSON: person or "", REQUEST: "", **({_APPLICATION: application_id} if application_id else {})}


def application_of(deployment: Deployment) -> str | None:
    """The application that made a deployment, None for a program or the command line."""
    return deployment.origin.details.get(_APPLICATION)


def shortened(text: str) -> str:
    """A text of the user for a message, cut to 60 characters."""
    return text if len(text) <= 60 else text[:57] + "…"


def _owners(deployment: Deployment, read: DeploymentDetailRead) -> Mapping[str, tuple[str, ...]]:
    """The application that each query belongs to; in a store of an older format, the one that the history names."""
    if deployment.origin.owners or read.application_id is None:
        return deployment.origin.owners
    files = {file.path for file in read.files}
    queries = deployment.compilation.queries.values()
    return {query.name: (read.application_id,) for query in queries if query.span.file in files}


def _read(version: int, deployment: Deployment, earlier: DeploymentDetailRead | None) -> DeploymentDetailRead:
    """The row of a deployment; `earlier` is the row that earlier formats made of it, without an id."""
    details, compilation = deployment.origin.details, deployment.compilation
    application_id = application_of(deployment) or (earlier.application_id if earlier else None)
    predicted: dict[str, float | None] = json.loads(details.get("predicted", "{}"))
    if earlier is not None:
        predicted = {query.name: query.predicted_p99_ms for query in earlier.queries}
    return DeploymentDetailRead(
        id=f"d{version}",
        version=version,
        application_id=application_id,
        deployed_by=details.get(PERSON) or deployment.origin.by or application_id or _AN_APPLICATION,
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
        scaling_class=query.scaling_class,
        operations=query.bound.operations,
        formula=query.bound.formula,
        parameters=[read_parameter(parameter) for parameter in query.parameters],
        predicted_p99_ms=predicted_p99_ms,
    )
