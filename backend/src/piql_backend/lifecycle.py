"""Makes, renames, duplicates, archives and deletes applications.

    data/environments/shop/       made first, with a mark of the sample that its store is to get
    data/applications/shop/       then moved to its name in one step: from now on the application exists

A deletion moves both below `data/deleted/`, the application first; nothing is removed. A process that is killed between
two steps leaves environments without an application: nobody sees them, and they are moved away when an application of
their name is made again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from piql.store.schemes import EMBEDDED

from piql_backend.applications.ids import id_of
from piql_backend.applications.repository import Applications
from piql_backend.applications.schemas import ApplicationCreate, ApplicationSummaryRead, ApplicationUpdate
from piql_backend.applications.templates import TEMPLATES
from piql_backend.archives.layout import ArchivedEnvironment
from piql_backend.data_folder.layout import DEVELOPMENT, environment_folder
from piql_backend.environments.imported_slos import let_wait
from piql_backend.environments.registry import EnvironmentName, Environments
from piql_backend.environments.sample import mark_for_sample
from piql_backend.environments.settings_file import EnvironmentSettings, StoreChoice, write_settings
from piql_backend.parameter_sets.repository import ParameterSets
from piql_backend.parameter_sets.sets_file import NO_SETS, KeptSets
from piql_backend.web.errors import ApiError, unknown_application

_EMPTY = "-- CREATE TABLE says what is kept, CREATE QUERY what is asked of it.\n"


@dataclass(frozen=True, slots=True)
class _Content:
    """What a new application begins with; without environments it gets an empty development."""

    texts: dict[str, str]
    history: Path | None = None
    environments: tuple[ArchivedEnvironment, ...] = ()
    parameter_sets: KeptSets = NO_SETS


class Lifecycle:
    """Changes whole applications, each with its environments."""

    def __init__(
        self,
        data: Path,
        samples: Path,
        applications: Applications,
        parameter_sets: ParameterSets,
        environments: Environments,
        forget_roles: Callable[[str], None],
    ) -> None:
        """`forget_roles` takes away what people may do in an application that is deleted, or made anew."""
        self._data = data
        self._forget_roles = forget_roles
        self._samples = samples
        self._applications = applications
        self._parameter_sets = parameter_sets
        self._environments = environments
        self._making = threading.Lock()
        self._leaving: set[str] = set()  # applications that are being deleted

    async def create(self, request: ApplicationCreate) -> ApplicationSummaryRead:
        """Make an application; one from a template is deployed and has its rows when this returns.

        Raises ApiError 409 where there is one of that id, 422 for a template that there is not.
        """
        template = None
        if request.template is not None:
            template = TEMPLATES.get(request.template)
            if template is None:
                message = f"There is no template {request.template[:60]}."
                raise ApiError(422, "unknown-template", message, f"There are {', '.join(TEMPLATES)}.")
        texts = {file.path: file.text for file in request.files}
        if template is not None:
            texts = {**template.files(self._samples), **texts}
        application = self._make(
            request.id, request.title, _Content(texts or {"schema.piql": _EMPTY}), request.template
        )
        await self._environments.opened(EnvironmentName(application, DEVELOPMENT))
        return self._summary(application)

    def duplicate(self, application: str, title: str) -> ApplicationSummaryRead:
        """Make an application with the same files and saved values, and an empty store of its own."""
        texts, kept = self._applications.texts(application), self._parameter_sets.kept(application)
        return self._summary(self._make(None, title, _Content(texts, parameter_sets=kept)))

    def import_application(
        self,
        title: str,
        wished_id: str | None,
        texts: Mapping[str, str],
        history: Path | None,
        environments: Sequence[ArchivedEnvironment],
        parameter_sets: KeptSets,
    ) -> ApplicationSummaryRead:
        """Make an application of what comes from elsewhere; no store of its environments is connected to.

        Raises ApiError 409 where there is one of that id.
        """
        content = _Content(dict(texts), history, tuple(environments), parameter_sets)
        return self._summary(self._make(wished_id, title, content))

    async def update(self, application: str, request: ApplicationUpdate) -> ApplicationSummaryRead:
        """Change the title, or put an application into the archive, where it is closed, or take it out."""
        self._applications.update(application, request.title, request.is_archived)
        if request.is_archived:
            await self._environments.close_all_of(application)
        return self._summary(application)

    async def delete(self, application: str, name: str) -> None:
        """Move an application away with its environments; ApiError 409 unless `name` is its id."""
        self._applications.refuse_unknown(application)
        if name != application:
            message = f"Nothing was deleted: the name given is not {application}."
            raise ApiError(409, "not-confirmed", message, "Give the id of the application as `name`.")
        if application in self._leaving:
            raise unknown_application(application)
        self._leaving.add(application)
        try:
            await self._environments.close_all_of(application)
            aside = self._aside(application)
            self._applications.move_away(application, aside / "files")
            await self._environments.close_all_of(application)  # that somebody has opened while the others were closed
            self._move_environments(application, aside)
            self._forget_roles(application)
        finally:
            self._leaving.discard(application)

    def _summary(self, application: str) -> ApplicationSummaryRead:
        return self._applications.summary(application, self._environments.names(application))

    def _make(self, wished_id: str | None, title: str, content: _Content, template: str | None = None) -> str:
        with self._making:
            application = wished_id or self._free_id(title)
            if application in self._applications.ids() or application in self._leaving:
                raise ApiError(409, "application-exists", f"There is already an application {application}.")
            self._move_leftovers(application)
            self._forget_roles(application)
            folder = environment_folder(self._data, application, DEVELOPMENT)
            for environment in content.environments:
                _write_environment(folder.with_name(environment.id), environment)
            if not content.environments:
                write_settings(folder, EnvironmentSettings())
            if template is not None:
                mark_for_sample(folder, template)
            self._applications.create(application, title, content.texts, content.history, content.parameter_sets)
            return application

    def _move_leftovers(self, application: str) -> None:
        """Move away what a killed process has left of an application that there is not."""
        if self._environments_of(application).exists():
            self._move_environments(application, self._aside(application))
        if self._applications.has_history(application):
            self._applications.move_history_away(application, self._aside(application) / "history.git")

    def _free_id(self, title: str) -> str:
        """An id made of a title that no application has yet."""
        stem, taken, number = id_of(title), {*self._applications.ids(), *self._leaving}, 1
        while (candidate := stem if number == 1 else f"{stem}-{number}") in taken:
            number += 1
        return candidate

    def _environments_of(self, application: str) -> Path:
        return environment_folder(self._data, application, DEVELOPMENT).parent

    def _aside(self, application: str) -> Path:
        folder = self._data / "deleted" / f"{application}-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}"
        folder.mkdir(parents=True)
        return folder

    def _move_environments(self, application: str, aside: Path) -> None:
        folder = self._environments_of(application)
        if folder.exists():
            folder.rename(aside / "environments")


def _write_environment(folder: Path, environment: ArchivedEnvironment) -> None:
    """Write an environment that comes from elsewhere: a store that it names is connected to by nobody for now."""
    store = StoreChoice()
    if environment.kind == "named" and environment.store is not None and environment.store.url != EMBEDDED:
        store = StoreChoice(kind="unconfirmed", named=environment.store)
    settings = EnvironmentSettings(store=store, title=environment.title, colour=environment.colour, slo=environment.slo)
    let_wait(folder, environment.slos)
    write_settings(folder, settings)
