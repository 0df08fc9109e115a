"""Deploys query sets: all of a set or nothing.

request  →  _wish        compile the texts, predict, refuse errors and files that have changed since
         →  _begun       refuse what the user has not seen, then begin the change in the store
         →  build        run here (`deploy`), or in the background (`begin`)
         →  history      what is live is what the store says; the answer is the row that is made from it
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType

from piql.compiler.result import Compilation
from piql.errors import CompilationRefused, DeployedMeanwhile, PiqlError
from piql.runtime.deployment import Deployer
from piql.versions.change.build import EAGER, BackfillRate, Build, backfill_rate
from piql.versions.change.state import Canary
from piql.versions.deploy import begin_deploy, begin_rollback, versions

from piql_backend.applications.repository import Applications
from piql_backend.comparisons.schemas import ChangesRead
from piql_backend.compilations.reading import read_diagnostic, read_diagnostics
from piql_backend.compilations.service import Compilations
from piql_backend.deployments.building import Building
from piql_backend.deployments.comparing import Touched, changes_from_live, is_deployable, preview_of, touched
from piql_backend.deployments.history import (
    FIRST_START,
    History,
    LiveDeployment,
    deployer_of,
    details_of_rollback,
    shortened,
)
from piql_backend.deployments.naming import VersionNames
from piql_backend.deployments.repository import DeploymentTable, VersionTime
from piql_backend.deployments.schemas import (
    REQUEST,
    BuildCreate,
    BuildRead,
    DeploymentCreate,
    DeploymentDetailRead,
    DeploymentRead,
    PreviewCreate,
    PreviewRead,
    RollbackCreate,
    RollbackPreviewRead,
)
from piql_backend.predictions.by_workers import PredictionsByWorkers
from piql_backend.stores.connection import StoreConnection
from piql_backend.web.errors import ApiError, BetweenRead, NotFound
from piql_backend.web.pages import Page, PageWish
from piql_backend.web.schemas import SourceFile

LIVE = "live"  # the id that stands for the live version
_MOST_BETWEEN = 20  # versions that a refusal names at most
_NO_DETAILS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _Wish:
    """What a request asks to deploy: compiled, predicted by the profile run's `model`, in ms, and with its details."""

    request: DeploymentCreate
    compilation: Compilation
    model: str | None
    predicted: Mapping[str, float]
    details: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class OnItsWay:
    """The id of a deploy request whose version is being built, or tried on a share of the executions."""

    request: str
    is_tried: bool


class Deployments:
    """The versions, and the one that is live.

    Deployments of this process take turns under a lock; reading waits for none of them.
    """

    def __init__(
        self,
        application: str,
        table: DeploymentTable,
        applications: Applications,
        compilations: Compilations,
        predictions: PredictionsByWorkers,
        store: StoreConnection,
        names: VersionNames,
    ) -> None:
        self._application = application
        self._table = table
        self._applications = applications
        self._compilations = compilations
        self._predictions = predictions
        self._store = store
        self._deploying = threading.Lock()
        self.history = History(table, compilations, store, names)
        self.building = Building(table, store, self.history.look, self._deploying)

    def open(self) -> None:
        """Make the history agree with the store, and go on with what is on its way."""
        self.history.open()
        self.building.find()
        self.history.on_answer = self.building.find

    def close(self) -> None:
        self.history.close()
        self.building.close()

    def page(self, wish: PageWish) -> Page[DeploymentRead]:
        """A page of versions, the newest first; where the store answers, the one a rollback returns to is marked."""
        self.history.look()
        before = 0
        with suppress(PiqlError, ApiError):
            before = self.history.version_before()
        page = self._table.page(wish, self._live_version())
        reads = [read.model_copy(update={"is_before": True}) if read.version == before else read for read in page.items]
        return Page(items=reads, next=page.next)

    def times(self, version: int, since: datetime) -> Sequence[VersionTime]:
        """When a version and those before it were deployed, back to the one that was live at `since`; newest first."""
        self.history.look()
        return self._table.times(version, since)

    def read(self, deployment_id: str) -> DeploymentDetailRead:
        """The version of that name, or the live one for `live`; ApiError 404 for none."""
        if deployment_id == LIVE:
            return self.live(LIVE).read
        number = deployment_id.removeprefix("d")
        is_id = number.isascii() and number.isdigit() and len(number) < 10 and deployment_id == f"d{int(number)}"
        read = self._table.read(int(number), self._live_version()) if is_id else None
        if read is None:
            raise NotFound("unknown-deployment", f"There is no deployment {shortened(deployment_id)}.")
        return read

    def texts(self, version: int) -> Mapping[str, str]:
        """All texts of a version by their names, also those of earlier deployments that stay live beside its own."""
        return self._table.texts(version)

    def compilation(self, version: int) -> Compilation:
        """Compile all texts of a version."""
        return self._compilations.compile_texts(self.texts(version))

    def live(self, deployment_id: str) -> LiveDeployment:
        """The live version, named by `live` or by its id.

        Raises ApiError 409 for one that has been replaced, 404 for an unknown one, and where nothing is deployed.
        """
        live = self.history.live
        if live is not None and deployment_id in (LIVE, live.read.id):
            return live
        self.history.look()  # another process may have deployed a moment ago
        live = self.history.live
        if live is not None and deployment_id in (LIVE, live.read.id):
            return live
        if self.history.replaced is not None:
            raise self.history.replaced
        if deployment_id != LIVE:
            self.read(deployment_id)
            if live is not None:
                message = f"{deployment_id} has been replaced by {live.read.id}."
                raise ApiError(409, "deployment-replaced", message, "Run the query of the live deployment.")
        if self.history.emptied is not None:
            raise NotFound("nothing-deployed", self.history.emptied, "Put the store's file back, or deploy again.")
        raise NotFound("nothing-deployed", "Nothing is deployed.", "Deploy the application first.")

    def live_with(self, deployment_id: str, query: str) -> LiveDeployment:
        """The live version; when it does not know a query, it is read again: another process may have deployed."""
        live = self.live(deployment_id)
        if query not in live.compilation.queries:
            self.history.look()
            live = self.live(deployment_id)
        return live

    def preview(self, request: PreviewCreate) -> PreviewRead:
        """Compare files with the live version."""
        self.history.look()
        live = self.history.live
        return preview_of(live, self._compilations.compile(request.files), self._application, request.removes)

    def preview_rollback(self) -> RollbackPreviewRead:
        """Compare the version before with the live one."""
        live = self.history.reconcile()
        kept = versions(self._store.database().store)
        before = next((living.deployment for living in kept if living.state == "before"), None)
        version = self.history.version_before()
        to = self._table.read(version, self._live_version()) if version else None
        if live is None or before is None or to is None:
            raise _nothing_before()
        changes = changes_from_live(live, before.compilation)
        return RollbackPreviewRead(
            **{name: getattr(changes, name) for name in ChangesRead.model_fields},
            base_version=live.read.version,
            to=_short(to),
        )

    def deploy(self, request: DeploymentCreate, details: Mapping[str, str] = _NO_DETAILS) -> DeploymentRead:
        """Deploy a query set, or refuse it with the editor's own diagnostics; `details` are kept with the version.

        Raises ApiError 409 where something else is live than the user saw, or a query of somebody else would be
        replaced, 422 for a set with errors or with nothing in it, and 428 without the version that the user saw.
        """
        wish = self._wish(request, details)
        with self._deploying:
            build = self._begun(wish, EAGER, is_background=False)
            try:
                build.run()
            except CompilationRefused as error:
                raise _refused(error, wish.compilation) from error
        return self._acknowledged(build)

    def begin(
        self, request: BuildCreate, details: Mapping[str, str] = _NO_DETAILS, canary: Canary | None = None
    ) -> BuildRead:
        """Begin to deploy a query set whose indexes are built while the live one runs; `details` as for `deploy`.

        With a `canary`, it is tried on a share of the executions once they are built.
        """
        wish, rate = self._wish(request, details), backfill_rate(request.rows_per_second)
        with self._deploying:
            return self.building.begin(lambda: self._begun(wish, rate, is_background=True, canary=canary))

    def rollback(self, request: RollbackCreate, person: str | None = None) -> DeploymentRead:
        """Make the version before the live one live again, as a new version of that person; all rows stay."""
        with self._deploying:
            live = self.history.reconcile()
            self._refuse_unseen(live, request.base_version)
            version_before = self.history.version_before()
            if live is None or not version_before:
                raise _nothing_before()
            try:
                details = details_of_rollback(self._table.read(version_before, 0), person)
                deployer = Deployer(details=details, seen=live.id)
                build = begin_rollback(self._store.database().store, EAGER, deployer, is_background=False)
                build.run()
            except CompilationRefused as error:
                raise _refused(error, live.compilation) from error
            except DeployedMeanwhile:
                raise self._deployed_meanwhile(request.base_version) from None
        return self._acknowledged(build)

    def knows_query(self, name: str) -> bool:
        """Whether any version has a query of that name."""
        return self._table.has_query(name)

    def _begun(self, wish: _Wish, rate: BackfillRate, *, is_background: bool, canary: Canary | None = None) -> Build:
        """Begin to change what is live now, which has to be what the user saw."""
        request, live = wish.request, self.history.reconcile()
        if live is not None and request.base_version is None:
            raise _base_version_needed(live)
        self._refuse_unseen(live, request.base_version)
        if self.history.emptied is not None:
            self._store.forget()
        touches = touched(live, wish.compilation, self._application, request.removes)
        _refuse_replacing(touches, request.removes)
        seen = live.id if live else ""
        deployer = deployer_of(self._application, seen, request.run_id, wish.model, wish.predicted)
        deployer = replace(deployer, details={**_first_start_of(live), **deployer.details, **wish.details})
        try:
            return begin_deploy(
                self._store.database().store,
                wish.compilation,
                touches.forgotten,
                rate,
                deployer,
                is_background=is_background,
                canary=canary,
            )
        except CompilationRefused as error:
            raise _refused(error, wish.compilation) from error
        except DeployedMeanwhile:
            raise self._deployed_meanwhile(request.base_version or 0) from None

    def _acknowledged(self, build: Build) -> DeploymentRead:
        """The row of a version that is in force; from now on every request here is answered with it.

        ApiError 507 where the disk takes no row: the store has the version, so it is not said that nothing was written.
        """
        try:
            self.history.reconcile()
        except OSError as error:
            raise _not_noted(error) from error
        return self.short_of(build.id)

    def short_of(self, id: str) -> DeploymentRead:
        """The row of a version by the store's id, which is or was in force."""
        version = self._table.version_of(id)
        read = self._table.read(version, self._live_version()) if version is not None else None
        if read is None:  # somebody has deployed twice since
            return _short(self.live(LIVE).read)
        return _short(read)

    def has_deployed(self, id: str) -> bool:
        """Whether a version is or was live, by the store's id."""
        self.history.look()
        return self._table.version_of(id) is not None

    def _wish(self, request: DeploymentCreate, details: Mapping[str, str] = _NO_DETAILS) -> _Wish:
        """Compile and predict what a request asks for; ApiError 409 for newer files, 422 for errors."""
        texts = self._applications.texts(self._application)
        if request.base_revisions is not None:
            self._applications.refuse_newer(self._application, request.base_revisions)
        files = request.files
        if files is None:
            files = [SourceFile(path=path, text=text) for path, text in texts.items()]
        wished = {file.path: file.text for file in files}
        compilation = self._compilations.compile_texts(wished)
        refuse_errors(compilation)
        if request.run_id is None:
            return _Wish(request, compilation, None, {}, details)
        model, predicted = self._predictions.for_all(wished, request.run_id)
        return _Wish(request, compilation, model, predicted, details)

    def _live_version(self) -> int:
        live = self.history.live
        return live.read.version if live else 0

    def refuse_unseen(self, base_version: int) -> None:
        """Raise ApiError 409 with what came between, where another version is live than one that was seen."""
        self._refuse_unseen(self.history.reconcile(), base_version)

    def _refuse_unseen(self, live: LiveDeployment | None, base_version: int | None) -> None:
        if base_version is not None and base_version != (live.read.version if live else 0):
            raise self._deployed_meanwhile(base_version)

    def between(self, base_version: int) -> Sequence[BetweenRead]:
        """The versions that were deployed after one, the newest first, and twenty at most."""
        newest = self._table.newest_of(_MOST_BETWEEN, self._live_version())
        return [BetweenRead.model_validate(read) for read in newest if read.version > base_version]

    def request_on_its_way(self) -> OnItsWay | None:
        """The deploy request whose version is being built or tried, None for none."""
        if not self.building.is_under_way:
            return None
        coming = next((living for living in versions(self._store.database().store) if living.state == "coming"), None)
        request = None if coming is None else coming.deployment.origin.details.get(REQUEST)
        if coming is None or request is None:
            return None
        return OnItsWay(request, coming.canary is not None and coming.canary.stage == "open")

    def live_version(self) -> int:
        """The version that is live now, 0 for none."""
        self.history.look()
        return self._live_version()

    def _deployed_meanwhile(self, base_version: int) -> ApiError:
        """The refusal that says which versions were deployed after the one that the user saw."""
        self.history.look()
        between = self.between(base_version)
        seen = f"version {base_version} was live" if base_version else "nothing was deployed"
        since = ", ".join(f"version {read.version} by {read.deployed_by}" for read in between[:3])
        message = f"Nothing was changed: when you looked, {seen}{f'; since then came {since}' if since else ''}."
        return ApiError(
            409, "deployed-meanwhile", message, "Check again what would change, then deploy.", between=between
        )


def _short(read: DeploymentDetailRead) -> DeploymentRead:
    return DeploymentRead(**{name: getattr(read, name) for name in DeploymentRead.model_fields})


def _first_start_of(live: LiveDeployment | None) -> Mapping[str, str]:
    """The first start's own detail of the live version.

    A deployment keeps it: without it, deploying the same texts again would make another version.
    """
    details = live.deployment.origin.details if live is not None and live.deployment is not None else {}
    return {name: value for name, value in details.items() if name == FIRST_START}


def _base_version_needed(live: LiveDeployment) -> ApiError:
    """The refusal to replace what is live for somebody who does not say which version was live for them."""
    number, owner = live.read.version, live.read.deployed_by
    message = f"Nothing was changed: version {number} by {owner} is live, and the request has no base_version."
    advice = f"Check what would change, then deploy with base_version {number}."
    return ApiError(428, "base-version-needed", message, advice)


def _not_noted(error: OSError) -> ApiError:
    return ApiError(
        507,
        "deployed-but-not-noted",
        f"The version is live in the store, but could not be noted in the history: {error.strerror}.",
        "Let the data folder be written again: the version is noted then by itself.",
    )


def _nothing_before() -> ApiError:
    return ApiError(409, "nothing-before", "There is no earlier version to roll back to.")


def refuse_errors(compilation: Compilation) -> None:
    """Raise the refusal of a set with errors, or of one with nothing in it."""
    errors = [diagnostic for diagnostic in compilation.diagnostics if diagnostic.severity == "error"]
    if errors:
        raise ApiError(
            422,
            "compilation-refused",
            f"Nothing was changed: {errors[0].message}" + (f" ({len(errors) - 1} more)" if len(errors) > 1 else ""),
            "Fix the problems that the editor shows.",
            diagnostics=read_diagnostics(compilation),
        )
    if not is_deployable(compilation):
        raise ApiError(422, "nothing-to-deploy", "The files have no table and no query.", "Write CREATE TABLE first.")


def _refuse_replacing(touches: Touched, removes: Collection[str]) -> None:
    """Refuse to put a query in the place of somebody else's, unless that was agreed to."""
    unseen = [read for read in touches.replaced if read.query not in removes]
    if unseen:
        names = ", ".join(read.query for read in unseen)
        owners = ", ".join(dict.fromkeys(read.deployed_by for read in unseen))
        raise ApiError(
            409,
            "replaces-queries",
            f"Nothing was changed: {names} would be replaced, deployed by {owners}.",
            "Name the queries differently, or agree to replace them.",
        )


def _refused(error: CompilationRefused, compilation: Compilation) -> ApiError:
    """The refusal of the engine, with those of its diagnostics that lie in the texts of the set."""
    sources = {source.name: source for source in compilation.sources}
    diagnostics = [
        read_diagnostic(diagnostic, sources) for diagnostic in error.diagnostics if diagnostic.span.file in sources
    ]
    return ApiError(422, "compilation-refused", str(error), None, diagnostics=diagnostics)
