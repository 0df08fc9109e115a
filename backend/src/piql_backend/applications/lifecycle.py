"""Makes, renames, duplicates, archives and deletes applications.

    data/environments/shop/       made first, with a mark of the sample that its store is to get
    data/applications/shop/       then moved to its name in one step: from now on the application exists

A deletion moves both below `data/deleted/`; nothing is removed. A process that is killed between two steps leaves an
application with empty environments, or environments without an application. Such environments are moved away when an
application of their name is made again.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

from piql_backend.applications.repository import Applications
from piql_backend.applications.schemas import ApplicationCreate, ApplicationSummaryRead, ApplicationUpdate
from piql_backend.applications.templates import TEMPLATES
from piql_backend.data_layout import DEVELOPMENT, environment_folder
from piql_backend.environments.registry import EnvironmentName, Environments
from piql_backend.environments.sample import mark_for_sample
from piql_backend.environments.settings_file import EnvironmentSettings, write_settings
from piql_backend.errors import ApiError

_MOST_ID = 60
_EMPTY = "-- CREATE TABLE says what is kept, CREATE QUERY what is asked of it.\n"


class Lifecycle:
    """Changes whole applications, each with its environments."""

    def __init__(self, data: Path, samples: Path, applications: Applications, environments: Environments) -> None:
        self._data = data
        self._samples = samples
        self._applications = applications
        self._environments = environments

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
        application = self._make(request.id, request.title, texts or {"schema.piql": _EMPTY}, request.template)
        await self._environments.opened(EnvironmentName(application, DEVELOPMENT))
        return self._summary(application)

    def duplicate(self, application: str, title: str) -> ApplicationSummaryRead:
        """Make an application with the same files, and an empty store of its own."""
        texts = self._applications.texts(application)
        return self._summary(self._make(None, title, texts, None))

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
        await self._environments.close_all_of(application)
        aside = self._aside(application)
        self._move_environments(application, aside)
        self._applications.move_away(application, aside / "files")

    def _summary(self, application: str) -> ApplicationSummaryRead:
        return self._applications.summary(application, self._environments.names(application))

    def _make(self, wished_id: str | None, title: str, texts: dict[str, str], template: str | None) -> str:
        application = wished_id or self._free_id(title)
        if application in self._applications.ids():
            raise ApiError(409, "application-exists", f"There is an application {application} already.")
        if self._environments_of(application).exists():
            self._move_environments(application, self._aside(application))
        folder = environment_folder(self._data, application, DEVELOPMENT)
        write_settings(folder, EnvironmentSettings())
        if template is not None:
            mark_for_sample(folder, template)
        self._applications.create(application, title, texts)
        return application

    def _free_id(self, title: str) -> str:
        """An id made of a title that no application has yet."""
        stem, taken, number = id_of(title), set(self._applications.ids()), 1
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


def id_of(title: str) -> str:
    """`Köln, a Shop!` becomes `koln-a-shop`."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:_MOST_ID].strip("-") or "application"
