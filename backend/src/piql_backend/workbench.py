"""The running workbench: builds all services of the backend, opens them at the start, and closes them at the end.

Services of one environment are built in `environments/environment.py`.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

import piql
from piql.compiler.result import Compilation

from piql_backend.alerts.destination import destination_of
from piql_backend.alerts.mailbox import MailSettings, mailbox_of
from piql_backend.application_imports.allowed_sources import AllowedSources
from piql_backend.application_imports.service import ApplicationImports
from piql_backend.applications.repository import Applications
from piql_backend.archives.writing import Archives
from piql_backend.compilations.service import Compilations
from piql_backend.data_folder.layout import PEOPLE_FILE, applications_folder
from piql_backend.data_folder.lock import DataLock
from piql_backend.environments.allowed_stores import AllowedStores
from piql_backend.environments.changes import EnvironmentChanges
from piql_backend.environments.environment import Shared
from piql_backend.environments.registry import Environments
from piql_backend.experiments.service import Experiments
from piql_backend.experiments.stores import ExperimentStores
from piql_backend.file_history.service import FileHistories
from piql_backend.health.service import Health
from piql_backend.lifecycle import Lifecycle
from piql_backend.live_sessions.service import LiveSessions
from piql_backend.oidc.registration import registration_of
from piql_backend.overview.service import Overview
from piql_backend.parameter_sets.repository import ParameterSets
from piql_backend.probes.service import Probes
from piql_backend.pulse.service import Pulse
from piql_backend.settings import Settings
from piql_backend.starting.earlier_layout import move_earlier_layout
from piql_backend.starting.first_start import FirstStart
from piql_backend.threads.service import Threads
from piql_backend.web.needs import suffices
from piql_backend.web.visitor import Visitor
from piql_backend.workers.pool import WorkerPool

if TYPE_CHECKING:
    from piql_backend.oidc.service import SignIns
    from piql_backend.people.service import People


class Workbench:
    """Holds the texts of all applications, the processes that compile them, and the environments they run in."""

    def __init__(self, settings: Settings, workers: WorkerPool | None = None, lock: DataLock | None = None) -> None:
        """Move the data folder, and build the services; `workers` that are given stay open at the end.

        The folder is locked, unless a `lock` is given; it is released at the end.

        Raises DataInUse where another backend uses the folder, ValueError for alerts that may not go there, for a
        provider that may not be used, and for a team that nobody administers.
        """
        data = settings.data
        webhook = destination_of(settings.alert_webhook, settings.alert_hosts, settings.alert_secret)
        mail = MailSettings(
            settings.alert_mail,
            settings.alert_mail_from,
            settings.alert_mail_to,
            settings.alert_smtp_user,
            settings.alert_smtp_password,
        )
        mailbox = mailbox_of(mail, settings.alert_hosts)
        alerts_to = [target for target in (webhook, mailbox) if target is not None]
        self._lock = lock or DataLock(data)
        try:
            self._people = _people_of(settings)
            self.team = self._people if settings.team else None
            self.sign_ins = _sign_ins_of(settings, self.team)
        except BaseException:
            self._lock.release()
            raise
        move_earlier_layout(data, settings.samples)
        self.workers = workers or WorkerPool(settings.worker_limits)
        self._own_workers = self.workers if workers is None else None
        self.histories = FileHistories(data / "histories")
        self.applications = Applications(applications_folder(data), self.histories)
        self.live_sessions = LiveSessions(self.applications)
        self.parameter_sets = ParameterSets(self.applications.folder)
        self.compilations = Compilations(self._compile)
        self.threads = Threads(self.applications, self.compilations)
        allowed_stores = AllowedStores(settings.allowed_stores, settings.store)
        shared = Shared(
            self.applications,
            self.compilations,
            self.workers,
            allowed_stores,
            settings.samples,
            settings.sample_size,
            settings.profile_stores,
            settings.profile_runner,
            alerts_to,
            settings.report_megabytes * 1_000_000,
            self._may_review,
        )
        self.environments = Environments(data, settings.store, shared)
        self.environment_changes = EnvironmentChanges(data, self.applications, self.environments, allowed_stores)
        self.lifecycle = Lifecycle(
            data, settings.samples, self.applications, self.parameter_sets, self.environments, self._forget_roles
        )
        self.archives = Archives(data / "archives", self.applications, self.parameter_sets, self.environments)
        allowed_sources = AllowedSources(settings.allowed_sources)
        self.application_imports = ApplicationImports(
            data / "application-imports",
            self.lifecycle,
            self.environment_changes,
            allowed_sources,
            allowed_stores,
        )
        self.experiments = Experiments(data / "experiments", settings.samples)
        self.experiment_stores = ExperimentStores(self.applications, self.environments, allowed_stores)
        self._first_start = FirstStart(settings, self.applications)
        self.health = Health(data, self.applications, self.environments, self.histories)
        self.pulse = Pulse(self.applications, self.environments, self.health)
        self.overview = Overview(self.applications, self.environments)
        self.probes = Probes(data, self.applications, self.environments, self.workers)

    async def open(self) -> None:
        """Make the first applications where there is none, and open the environments that were open at the last end."""
        await asyncio.to_thread(self.archives.open)
        await asyncio.to_thread(self.application_imports.open)
        await asyncio.to_thread(self._first_start.carry_out)
        await self.environments.open()

    async def close(self) -> None:
        """Close all environments and services, and release the data folder."""
        await self.live_sessions.close()
        await self.experiments.close()
        await self.environments.close()
        await asyncio.to_thread(self.application_imports.close)
        if self._own_workers is not None:
            await asyncio.to_thread(self._own_workers.close)
        self.histories.close()
        if self.sign_ins is not None:
            await self.sign_ins.close()
        if self._people is not None:
            await asyncio.to_thread(self._people.close)
        self._lock.release()

    def give_to(self, application: str, visitor: Visitor | None) -> None:
        """Make whoever made an application its administrator; nobody, where the workbench serves somebody alone."""
        if self.team is not None and visitor is not None:
            self.team.accounts.set_role(visitor.name, application, "administrator")

    def _may_review(self, application: str, person: str) -> bool:
        """Whether somebody of that name may review now; anybody, where the workbench serves somebody alone."""
        if self.team is None:
            return True
        visitor = self.team.accounts.visitor(person)
        role = None if visitor is None else visitor.role_in(application)
        return role is not None and suffices(role, "reviewer")

    def _forget_roles(self, application: str) -> None:
        """Take away all roles and tokens of an application that is deleted, or made anew."""
        if self._people is not None:
            self._people.accounts.forget_application(application)

    def _compile(self, texts: Mapping[str, str]) -> Compilation:
        """Let a worker compile, within its limits; a result too deeply nested to be sent is compiled again here."""
        pickled: bytes | None = self.workers.submit("compile", dict(texts), texts).result()
        if pickled is None:
            return piql.compile(texts)
        compilation: Compilation = pickle.loads(pickled)
        return compilation


def _sign_ins_of(settings: Settings, team: People | None) -> SignIns | None:
    """What signs people in at an OpenID provider; None where there is none. ValueError for one that cannot be used."""
    registration = registration_of(settings)
    if registration is None or team is None:
        return None
    from piql_backend.oidc.service import SignIns  # Authlib and httpx take half a second to import

    return SignIns(registration, team)


def _people_of(settings: Settings) -> People | None:
    """The people of a team, also while somebody works alone on its data; None where there is none.

    Raises ValueError for a team in which nobody could give anybody a role.
    """
    data = settings.data
    is_there = settings.metadata is not None or os.path.lexists(data / PEOPLE_FILE)
    if not is_there and not settings.team:
        return None
    from piql_backend.people.opening import open_people  # SQLAlchemy and Alembic take a third of a second to import

    people = open_people(data, settings.metadata) if is_there else None
    if settings.team and (people is None or not people.accounts.has_administrator()):
        if people is not None:
            people.close()
        place = "--metadata …" if settings.metadata is not None else f"--data {shlex.quote(str(data))}"
        command = f"piql user add NAME --role administrator {place}"
        raise ValueError(f"--team: nobody administers this workbench yet. Add somebody: {command}")
    return people
