"""One environment of an application: a store, what is live in it, and what was measured and observed there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Literal

import duckdb
from piql.store.open import capabilities_of

from piql_backend.ad_hoc.service import AdHoc
from piql_backend.alerts.repository import AlertTable
from piql_backend.alerts.service import Alerts, Target
from piql_backend.applications.repository import Applications
from piql_backend.bursts.service import Bursts
from piql_backend.canaries.repository import CanaryTable
from piql_backend.canaries.service import Canaries
from piql_backend.canaries.watching import CanaryWatch
from piql_backend.compilations.service import Compilations
from piql_backend.data_folder.files import write_atomically
from piql_backend.database.opening import open_database
from piql_backend.deploy_requests.service import DeployRequests
from piql_backend.deployments.naming import VersionNames
from piql_backend.deployments.promoting import preview_promotion, promote
from piql_backend.deployments.repository import DeploymentTable
from piql_backend.deployments.schemas import BuildRead, PromotionCreate, PromotionPreviewCreate, PromotionPreviewRead
from piql_backend.deployments.service import Deployments
from piql_backend.environments.allowed_stores import AllowedStores
from piql_backend.environments.imported_slos import take_waiting
from piql_backend.environments.sample import Sample
from piql_backend.environments.settings_file import own_store, read_settings, stamp_of
from piql_backend.executions.observations import Observations
from piql_backend.executions.service import Executions
from piql_backend.generations.service import Generations
from piql_backend.headroom.service import HeadroomCounts
from piql_backend.imports.service import Imports
from piql_backend.latency.comparing import Comparing
from piql_backend.latency.plans import Plans
from piql_backend.latency.repository import ObservationTable
from piql_backend.latency.schemas import LatencyRead
from piql_backend.latency.service import Latency
from piql_backend.latency.shared_answers import SharedAnswers
from piql_backend.load_runs.service import LoadRuns
from piql_backend.operator_times.repository import OperatorTimesTable
from piql_backend.operator_times.service import OperatorTimes
from piql_backend.otlp.repository import SeriesTable
from piql_backend.otlp.service import Otlp
from piql_backend.predictions.by_workers import PredictionsByWorkers
from piql_backend.prices.service import Prices
from piql_backend.profile_runs.service import ProfileRuns
from piql_backend.profile_runs.stores import MeasurableStores
from piql_backend.reports.repository import ReportedTable
from piql_backend.reports.service import Reports
from piql_backend.settings import SampleSize
from piql_backend.slos.repository import SloTable
from piql_backend.slos.service import Slos
from piql_backend.stores.connection import StoreConnection
from piql_backend.stores.schemas import StoreRead
from piql_backend.tables.exports import Exports
from piql_backend.tables.service import Tables
from piql_backend.web.errors import ApiError
from piql_backend.web.schemas import ProblemRead
from piql_backend.workers.pool import WorkerPool

_MADE = ".made"  # this file is in its folder once the DuckDB file was made
KEPT_OBSERVATIONS = timedelta(days=31)


@dataclass(frozen=True, slots=True)
class Shared:
    """What all environments of a workbench have in common.

    `may_review` says whether somebody may review in an application now: it takes the application, and a name.
    """

    applications: Applications
    compilations: Compilations
    workers: WorkerPool
    allowed_stores: AllowedStores
    samples: Path
    sample_size: SampleSize
    profile_stores: Sequence[str]
    profile_runner: Literal["ray", "local"]
    alerts_to: Sequence[Target]
    report_bytes: int
    may_review: Callable[[str, str], bool]


class Environment:
    """The services that belong to one store, in the order in which they are opened, and closed the other way round."""

    def __init__(self, folder: Path, application: str, store: StoreConnection, shared: Shared) -> None:
        """Build the services and open the DuckDB file; if an earlier start made one that is gone, that is a problem."""
        self.place = (application, folder.name)
        self._folder = folder
        self.store = store
        self._sample = Sample(folder, shared.samples, shared.sample_size)
        is_expected = (folder / _MADE).exists()
        self.database, self._new_file = open_database(folder / "workbench.duckdb", is_expected=is_expected)
        write_atomically(folder / _MADE, "")
        self.observations = Observations(self.database)
        self._observation_table = ObservationTable(self.database)
        self._slo_table = SloTable(self.database)
        self.reports = Reports(ReportedTable(self.database), shared.report_bytes)
        self.otlp = Otlp(SeriesTable(self.database), self.reports)
        self.profile_runs = ProfileRuns(
            folder / "profile-runs", MeasurableStores(store.url, shared.profile_stores), shared.profile_runner
        )
        self.predictions = PredictionsByWorkers(shared.workers, self.profile_runs)
        deployment_table = DeploymentTable(self.database)
        self.deployments = Deployments(
            application,
            deployment_table,
            shared.applications,
            shared.compilations,
            self.predictions,
            self.store,
            VersionNames(deployment_table, shared.applications, application, folder.name),
        )
        self.executions = Executions(self.deployments, self.store, self.observations)
        self.ad_hoc = AdHoc(self.deployments, self.executions, self.store, shared.workers)
        self.bursts = Bursts(self.executions)
        self.tables = Tables(self.store)
        self.exports = Exports(folder / "exports", self.store, self.tables)
        self.imports = Imports(folder / "imports", self.store, self.tables)
        self.generations = Generations(folder / "generation.json", self.store)
        self.headroom = HeadroomCounts(folder / "headroom.json", self.store, shared.compilations.compile_texts)
        self.prices = Prices(lambda: read_settings(folder).prices, capabilities_of(store.url).is_file, shared.workers)
        self.slos = Slos(
            application, self._slo_table, self.deployments, self.predictions, shared.applications, shared.compilations
        )
        canary_table = CanaryTable(self.database)
        self.canaries = Canaries(
            canary_table, self.database, self._slo_table, self.deployments, self.observations, self.store
        )
        self._canary_watch = CanaryWatch(self.canaries)
        self.deploy_requests = DeployRequests(
            folder,
            self.database,
            shared.applications,
            shared.compilations,
            self.deployments,
            self.slos,
            self.profile_runs,
            self.store,
            canary_table,
            partial(shared.may_review, application),
        )
        self.load_runs = LoadRuns(
            folder / "load-runs",
            store.url,
            self.deployments,
            self._slo_table,
            lambda: self.profile_runs.is_under_way,
        )
        self.latency = Latency(
            self._observation_table,
            self._slo_table,
            self.deployments,
            self.observations,
            Plans(self.deployments),
            Comparing(self.deployments, self.predictions),
            self.prices,
        )

        self.answers = SharedAnswers(
            lambda: f"{self.database.version()} {stamp_of(folder)}",
            lambda: self.database.is_told_later or self.observations.is_settled,
            self.observations.flush,
        )
        self.operator_times = OperatorTimes(OperatorTimesTable(self.database), self.latency)
        self.alerts = Alerts(
            self.place,
            AlertTable(self.database),
            self._read_last_hour,
            lambda: self.latency.all_unusual_now("live"),
            shared.alerts_to,
        )

    def _read_last_hour(self) -> LatencyRead:
        return self.latency.read("live", 3600)

    @property
    def emptied(self) -> str | None:
        """That the store lost what was deployed, None where it did not.

        Where another store was chosen, it may have been chosen because it is empty.
        """
        is_known = self.store.url == own_store(self._folder) or self.store.was_known
        return self.deployments.history.emptied if is_known else None

    def read_problems(self) -> tuple[StoreRead, list[ProblemRead]]:
        """Ask the store and the DuckDB file; the health of the store, and all problems of the environment.

        While the store is away, that the history does not follow it is not news.
        """
        store, problems = self.store.read_health(), self._problems_kept()
        if not store.healthy:
            away = ProblemRead(
                what="store", message=store.message or "The store does not answer.", help=self.store.advice
            )
            problems = [away, *(problem for problem in problems if problem.what != "deployments")]
        try:
            with self.database.read() as cursor:
                cursor.execute("SELECT count(*) FROM migrations").fetchall()
        except duckdb.Error as error:
            problems.append(
                ProblemRead(what="history", message=f"DuckDB does not answer: {error}", help="See the log.")
            )
        return store, problems

    def _problems_kept(self) -> list[ProblemRead]:
        """The problems that are known without asking anything."""
        problems = []
        if self.deployments.history.problem is not None:
            message, advice = self.deployments.history.problem, self.deployments.history.advice
            problems.append(ProblemRead(what="deployments", message=message, help=advice or "See the log."))
        if self.emptied is not None:
            message = self.emptied
            help_ = "Stop the workbench and put a copy of the store back, or deploy to begin anew."
            problems.append(ProblemRead(what="deployments", message=message, help=help_))
        if self.observations.problem is not None:
            message = self.observations.problem
            problems.append(ProblemRead(what="observations", message=message, help=self.observations.advice))
        if self._sample.problem is not None:
            problems.append(self._sample.problem)
        if self.alerts.problem is not None:
            message = f"Alerts wait: {self.alerts.problem}"
            problems.append(
                ProblemRead(what="environment", message=message, help="Look at ALERT_WEBHOOK and ALERT_MAIL.")
            )
        if self._new_file is not None:
            message, advice = self._new_file.message, self._new_file.advice
            problems.append(ProblemRead(what="history", message=message, help=advice, is_over=True))
        for message in self.profile_runs.damaged:
            help_ = "Remove the file that was set aside when you no longer need it."
            problems.append(ProblemRead(what="profile-runs", message=message, help=help_, is_over=True))
        return problems

    def preview_promotion(self, source: Environment, request: PromotionPreviewCreate) -> PromotionPreviewRead:
        """What deploying what is live in another environment would change here."""
        preview, files = preview_promotion(source.deployments, self.deployments, request)
        return preview.model_copy(update={"slos_at_risk": list(self.slos.at_risk(files, request.run_id))})

    def promote(self, source: Environment, request: PromotionCreate, details: Mapping[str, str]) -> BuildRead:
        """Begin to deploy here what is live in another environment."""
        return promote(source.deployments, self.deployments, request, details)

    async def open(self) -> None:
        """Open all services, go on with what an earlier start left, and fill the store of a new sample."""
        self.profile_runs.open()
        await asyncio.to_thread(self.load_runs.open)
        await asyncio.to_thread(self.exports.open)
        await asyncio.to_thread(self.imports.open)
        self.observations.open()
        await asyncio.to_thread(self._observation_table.delete_older_than, KEPT_OBSERVATIONS)
        await asyncio.to_thread(self.reports.tidy)
        await asyncio.to_thread(self.deployments.open)
        await asyncio.to_thread(take_waiting, self._folder, self._slo_table)
        with suppress(ApiError):  # it is among the problems
            await asyncio.to_thread(self.fill_sample)
        self.alerts.open()
        self._canary_watch.open()

    def fill_sample(self) -> None:
        """Deploy and load the sample that could not be loaded, if there is one; ApiError where that fails again."""
        self._sample.fill(self.deployments, self.store)

    @property
    def is_busy(self) -> bool:
        """Whether work goes on in it, such as a profile run, that must not end because nobody looks at it."""
        parts = (
            self.deployments.building,
            self.bursts,
            self.imports,
            self.generations,
            self.headroom,
            self.profile_runs,
            self.load_runs,
        )
        return any(part.is_under_way for part in parts)

    async def close(self) -> None:
        """Stop what runs, write the observations that wait, and close the files."""
        await asyncio.gather(
            self.bursts.close(),
            self.imports.close(),
            self.generations.close(),
            self.headroom.close(),
            self.profile_runs.close(),
            self.load_runs.close(),
        )
        await asyncio.to_thread(self._canary_watch.close)
        await asyncio.to_thread(self.alerts.close)
        await asyncio.to_thread(self.executions.close)
        await asyncio.to_thread(self.deployments.close)
        await asyncio.to_thread(self.observations.close)
        await asyncio.to_thread(self.store.close)
        await asyncio.to_thread(self.database.close)
