"""The first start of a data folder makes applications, from the first of these that there is:

    environments of applications whose files are gone    the texts that are live in each of them
    a served store that holds data                       the texts that PIQL deployed there, else a remark
    nothing                                              the sample applications

A mark in the data folder lists the sample applications to make, so that a start after an interrupted one makes the
rest. Nothing is removed, and a store that holds data is only read. The rows of a sample are loaded when its environment
is opened.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

from piql.errors import NotAStore, PiqlError
from piql.store.schemes import EMBEDDED

from piql_backend.applications.repository import Applications
from piql_backend.applications.templates import TEMPLATES
from piql_backend.data_folder.files import write_atomically
from piql_backend.data_folder.layout import DEVELOPMENT, environment_folder
from piql_backend.deployments.history import application_of
from piql_backend.environments.sample import mark_for_sample
from piql_backend.environments.settings_file import EnvironmentSettings, StoreChoice, read_settings, write_settings
from piql_backend.settings import Settings
from piql_backend.stores.connection import StoreConnection
from piql_backend.web.errors import ApiError
from piql_backend.web.schemas import is_file_path

log = logging.getLogger(__name__)

FROM_STORE = "application"
_REMARK = "-- The store holds data that PIQL has not deployed. Write CREATE TABLE here for tables of your own.\n"


class FirstStart:
    """Makes the first applications, once."""

    def __init__(self, settings: Settings, applications: Applications) -> None:
        self._settings = settings
        self._applications = applications
        self._mark = settings.data / ".first-start-under-way"

    def carry_out(self) -> None:
        """Make applications where there is none, or go on with a first start that was interrupted."""
        if self._mark.exists():
            log.warning("the first start was interrupted; it goes on")
        elif self._applications.ids() or self._restore_applications():
            return
        else:
            if not self._settings.samples.is_dir() or self._read_served_store():
                return
            write_atomically(self._mark, json.dumps(self._settings.sample_applications))
        for number, template in enumerate(json.loads(self._mark.read_text())):
            self._make(template, is_served=number == 0)
        self._mark.unlink()

    def _make(self, template: str, *, is_served: bool) -> None:
        """Make the environment of a sample application, and then, in one step, the application itself."""
        if template in self._applications.ids():
            return
        folder = self._folder(template)
        choice = StoreChoice(kind="served" if is_served else EMBEDDED)
        write_settings(folder, EnvironmentSettings(store=choice))
        mark_for_sample(folder, template)
        self._applications.create(
            template, TEMPLATES[template].title, TEMPLATES[template].files(self._settings.samples)
        )

    def _restore_applications(self) -> bool:
        """Make an application for each one that has an environment; return whether there was any environment."""
        root = self._settings.data / "environments"
        names = sorted(entry.name for entry in root.iterdir() if entry.is_dir()) if root.is_dir() else []
        for name in names:
            folder = self._folder(name)
            if folder.is_dir():
                log.warning("the files of the application %s are gone: they are made of what is live", name)
                title = TEMPLATES[name].title if name in TEMPLATES else name
                self._applications.create(name, title, self._live_texts(folder))
        return bool(names)

    def _live_texts(self, folder: Path) -> dict[str, str]:
        """The files of what is live in an environment; a remark where nobody may connect to its store yet."""
        try:
            _, texts = _live(read_settings(folder).store.url(folder, self._settings.store))
        except ApiError as error:
            log.error("what is live cannot be read: %s", error)
            return {"schema.piql": _REMARK}
        return texts

    def _read_served_store(self) -> bool:
        """Make an application of a served store that holds data; return whether it does."""
        url = self._settings.store
        if url is None or _may_be_empty(url):
            return False
        log.warning("the store holds data already: no sample is loaded, and an application is made of what is live")
        application, texts = _live(url)
        write_settings(self._folder(application), EnvironmentSettings(store=StoreChoice(kind="served")))
        self._applications.create(application, application, texts)
        return True

    def _folder(self, application: str) -> Path:
        return environment_folder(self._settings.data, application, DEVELOPMENT)


def _may_be_empty(url: str) -> bool:
    """Whether a store is empty, or does not answer: a sample checks again before it writes to it."""
    store = StoreConnection(url)
    try:
        return store.database().store.is_empty()
    except NotAStore:
        return False
    except (PiqlError, ApiError):
        return True
    finally:
        store.close()


def _live(url: str) -> tuple[str, dict[str, str]]:
    """The id of the application that deployed what is live in a store, and its files; a remark where nothing is."""
    store = StoreConnection(url)
    try:
        deployment = store.database().deployment
        application = application_of(deployment) or FROM_STORE
        texts = dict(deployment.texts)
    except (PiqlError, ApiError) as error:
        log.error("what is live cannot be read: %s", error)
        application, texts = FROM_STORE, {}
    finally:
        store.close()
    named = {
        path if is_file_path(path) else f"deployed-{number}.piql": text
        for number, (path, text) in enumerate(texts.items(), 1)
    }
    return application, named or {"schema.piql": _REMARK}
