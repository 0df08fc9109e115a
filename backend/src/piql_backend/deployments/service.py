"""Deploys query sets: all of a set or nothing; what is live is kept compiled."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from piql.compilation import Compilation, CompiledQuery
from piql.deploy import LivingVersion, versions
from piql.errors import CompilationRefused, PiqlError
from piql.logical.operators import Stop

from piql_backend.compilations.reading import (
    read_bound,
    read_diagnostic,
    read_diagnostics,
    read_indexes,
    read_parameter,
)
from piql_backend.compilations.service import Compilations
from piql_backend.deployments.building import Building, is_of
from piql_backend.deployments.repository import DeploymentTable
from piql_backend.deployments.schemas import (
    BoundChangeRead,
    BuildCreate,
    BuildRead,
    DeployedFileRead,
    DeployedQueryRead,
    DeploymentCreate,
    DeploymentDetailRead,
    DeploymentRead,
    PreviewRead,
    QueryBoundRead,
    ShortBoundRead,
)
from piql_backend.deployments.table_changes import table_changes
from piql_backend.errors import ApiError, NotFound
from piql_backend.predictions.service import Predictions
from piql_backend.schema import SourceFile
from piql_backend.store import StoreConnection
from piql_backend.workspaces.repository import Workspaces

LIVE = "live"


@dataclass(frozen=True, slots=True)
class LiveDeployment:
    """The version that runs, compiled."""

    read: DeploymentDetailRead
    compilation: Compilation

    def query(self, name: str) -> CompiledQuery:
        query = self.compilation.queries.get(name)
        if query is None:
            names = ", ".join(self.compilation.queries)
            raise NotFound("unknown-query", f"{self.read.id} has no query {_shown(name)}.", f"It has {names}.")
        return query


class Deployments:
    """All versions, and the live one."""

    def __init__(
        self,
        table: DeploymentTable,
        workspaces: Workspaces,
        compilations: Compilations,
        predictions: Predictions,
        store: StoreConnection,
    ) -> None:
        self._table = table
        self._workspaces = workspaces
        self._compilations = compilations
        self._predictions = predictions
        self._store = store
        self._deploying = threading.Lock()
        self._live: LiveDeployment | None = None
        self.building = Building(table, store, self._make_live)

    def open(self) -> None:
        """Compile what is live, and go on with what is on its way."""
        read = self._table.read_live()
        if read is not None:
            self._live = self._compiled(read)
        self.building.open()

    def list(self) -> list[DeploymentRead]:
        """Give all versions, the newest first; the one that a rollback returns to is marked where the store answers."""
        with suppress(PiqlError, ApiError):
            before = self._before(versions(self._store.database().store))
            if before is not None:
                return [
                    each.model_copy(update={"is_before": each.version == before.version}) for each in self._table.list()
                ]
        return self._table.list()

    def read(self, deployment_id: str) -> DeploymentDetailRead:
        """Give one version, or the live one."""
        if deployment_id == LIVE:
            return self.live(LIVE).read
        number = deployment_id.removeprefix("d")
        is_id = number.isascii() and number.isdigit() and len(number) < 10 and deployment_id == f"d{int(number)}"
        read = self._table.read(int(number)) if is_id else None
        if read is None:
            raise NotFound("unknown-deployment", f"There is no deployment {_shown(deployment_id)}.")
        return read

    def live(self, deployment_id: str) -> LiveDeployment:
        """Give the live version, named by `live` or by its id; 409 for one that has been replaced."""
        live = self._live
        if live is not None and deployment_id in (LIVE, live.read.id):
            return live
        if deployment_id != LIVE:
            self.read(deployment_id)
            if live is not None:
                message = f"{deployment_id} has been replaced by {live.read.id}."
                raise ApiError(409, "deployment-replaced", message, "Run the query of the live deployment.")
        raise NotFound("nothing-deployed", "Nothing is deployed.", "Deploy the workspace first.")

    def preview(self, files: Sequence[SourceFile]) -> PreviewRead:
        """Compare files with the live version."""
        compilation = self._compilations.compile(files)
        live = self._live.compilation if self._live else None
        before = live.queries if live else {}
        after = compilation.queries
        both = [name for name in after if name in before]
        has_changed = {name: _is_different(before[name], after[name]) for name in both}
        old_indexes = live.indexes if live else {}
        return PreviewRead(
            can_deploy=not compilation.has_errors and bool(after),
            diagnostics=read_diagnostics(compilation),
            tables=table_changes(live.tables if live else {}, compilation.tables),
            added=[name for name in after if name not in before],
            changed=[name for name in both if has_changed[name]],
            removed=[name for name in before if name not in after],
            unchanged=[name for name in both if not has_changed[name]],
            indexes_added=[each for each in read_indexes(compilation) if each.name not in old_indexes],
            indexes_removed=[name for name in old_indexes if name not in compilation.indexes],
            bounds_changed=[
                change for name in both if (change := _bound_change(name, before[name], after[name])) is not None
            ],
        )

    def deploy(self, request: DeploymentCreate) -> DeploymentRead:
        """Deploy a query set, or refuse it with the editor's own diagnostics."""
        new, compilation = self._next(request)
        database = self._store.database()
        with self._deploying:
            try:
                read = self._table.insert(new, lambda: database.deploy(compilation, self._forgotten(compilation)))
            except CompilationRefused as error:
                raise _refused(str(error), error, compilation) from error
            self._live = LiveDeployment(read, compilation)
        return _short(read)

    def begin(self, request: BuildCreate) -> BuildRead:
        """Begin to deploy a query set whose indexes are built while the live one runs."""
        new, compilation = self._next(request)
        database = self._store.database()
        rate = request.rows_per_second
        with self._deploying:
            try:
                return self.building.begin(
                    new,
                    lambda: database.deploy(
                        compilation, self._forgotten(compilation), background=True, rows_per_second=rate
                    ),
                )
            except CompilationRefused as error:
                raise _refused(str(error), error, compilation) from error

    def rollback(self) -> DeploymentRead:
        """Make the version before the live one live again, as a new version; all rows stay."""
        database = self._store.database()
        with self._deploying:
            before = self._before(versions(database.store))
            if before is None:
                raise ApiError(409, "nothing-before", "There is no version before the live one.")
            new = before.model_copy(update={"created_at": datetime.now(UTC), "is_live": True})
            compiled = self._compiled(new)
            try:
                read = self._table.insert(new, database.rollback)
            except CompilationRefused as error:
                raise _refused(str(error), error, compiled.compilation) from error
            self._live = LiveDeployment(read, compiled.compilation)
        return _short(read)

    def _before(self, kept: Sequence[LivingVersion]) -> DeploymentDetailRead | None:
        """Give the newest version with the files that the store would return to."""
        texts = next((each.deployment.texts for each in kept if each.state == "before"), None)
        if texts is None:
            return None
        found = (self._table.read(each.version) for each in self._table.list())
        return next((each for each in found if each is not None and is_of(texts, each)), None)

    def _make_live(self, coming: DeploymentDetailRead) -> DeploymentDetailRead:
        """Note that the version on its way is in force."""
        read = self._table.insert(coming, lambda: None)
        self._table.forget_coming()
        self._live = self._compiled(read)
        return read

    def _forgotten(self, compilation: Compilation) -> set[str]:
        return set(self._live.compilation.queries) - set(compilation.queries) if self._live else set()

    def _next(self, request: DeploymentCreate) -> tuple[DeploymentDetailRead, Compilation]:
        """Give the version that a request asks for, not yet numbered."""
        texts = self._workspaces.texts(request.workspace_id)
        files = request.files
        if files is None:
            files = [SourceFile(path=path, text=text) for path, text in texts.items()]
        compilation = self._compilations.compile(files)
        refuse_errors(compilation)
        model: str | None = None
        predicted: dict[str, float] = {}
        if request.run_id is not None:
            model, predicted = self._predictions.predict_all(compilation, request.run_id)
        new = DeploymentDetailRead(
            id="",
            version=0,
            workspace_id=request.workspace_id,
            created_at=datetime.now(UTC),
            is_live=True,
            run_id=request.run_id,
            model=model,
            queries=[_deployed(each, predicted.get(each.name)) for each in compilation.queries.values()],
            files=[DeployedFileRead(path=each.path, text=each.text) for each in files],
            bounds=[
                QueryBoundRead(query=each.name, text=each.text, bound=read_bound(each.bound))
                for each in compilation.queries.values()
                if each.bound is not None
            ],
            indexes=read_indexes(compilation),
        )
        return new, compilation

    def knows_query(self, name: str) -> bool:
        """Whether any version has a query of that name."""
        return any(query.name == name for each in self._table.list() for query in each.queries)

    def _compiled(self, read: DeploymentDetailRead) -> LiveDeployment:
        files = [SourceFile(path=each.path, text=each.text) for each in read.files]
        return LiveDeployment(read, self._compilations.compile(files))


def _short(read: DeploymentDetailRead) -> DeploymentRead:
    return DeploymentRead(**{name: getattr(read, name) for name in DeploymentRead.model_fields})


def refuse_errors(compilation: Compilation) -> None:
    """Raise the refusal of a set with errors, or of one without queries."""
    errors = [each for each in compilation.diagnostics if each.severity == "error"]
    if errors:
        raise ApiError(
            422,
            "compilation-refused",
            f"Nothing is deployed: {errors[0].message}" + (f" ({len(errors) - 1} more)" if len(errors) > 1 else ""),
            "Fix the problems that the editor shows.",
            diagnostics=read_diagnostics(compilation),
        )
    if not compilation.queries:
        raise ApiError(422, "nothing-to-deploy", "The files have no CREATE QUERY.", "Write a query first.")


def _refused(message: str, error: CompilationRefused, compilation: Compilation) -> ApiError:
    sources = {each.name: each for each in compilation.sources}
    diagnostics = [read_diagnostic(each, sources) for each in error.diagnostics]
    return ApiError(422, "compilation-refused", message, None, diagnostics=diagnostics)


def _deployed(query: CompiledQuery, predicted_p99_ms: float | None) -> DeployedQueryRead:
    assert query.bound is not None
    return DeployedQueryRead(
        name=query.name,
        kind=query.kind,
        is_paginated=is_paginated(query),
        scaling_class=query.scaling_class,
        operations=query.bound.operations,
        formula=query.bound.formula,
        parameters=[read_parameter(each) for each in query.parameters],
        predicted_p99_ms=predicted_p99_ms,
    )


def is_paginated(query: CompiledQuery) -> bool:
    """Whether a query gives its rows by the page."""
    return query.logical is not None and any(each.is_page for each in query.logical.find(Stop))


def _is_different(before: CompiledQuery, after: CompiledQuery) -> bool:
    return before.text != after.text or before.plan != after.plan


def _bound_change(name: str, before: CompiledQuery, after: CompiledQuery) -> BoundChangeRead | None:
    if before.bound is None or after.bound is None:
        return None
    old = ShortBoundRead(operations=before.bound.operations, formula=before.bound.formula)
    new = ShortBoundRead(operations=after.bound.operations, formula=after.bound.formula)
    return None if old == new else BoundChangeRead(query=name, before=old, after=new)


def _shown(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"
