"""Puts a template's queries and rows into the empty store of a new environment, and goes on after an interruption.

That it fails is a problem of the environment, until somebody lets it be tried again, or the next start does.

A mark in the environment's folder names the template, and is removed at the end. A store that holds anything else is
never written to. The deployment of a sample carries the token of its mark, so that the next start recognizes it.

sample.json     {"template": "scadr", "token": "5f3a…"}
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from piql.errors import PiqlError
from piql.versions.deploy import versions

from piql_backend.applications.templates import TEMPLATES
from piql_backend.data_folder.files import write_atomically
from piql_backend.deployments.history import FIRST_START
from piql_backend.deployments.schemas import DeploymentCreate
from piql_backend.deployments.service import Deployments
from piql_backend.settings import SampleSize
from piql_backend.stores.connection import StoreConnection
from piql_backend.web.errors import ApiError, from_engine
from piql_backend.web.schemas import ProblemRead

log = logging.getLogger(__name__)

_FILE = "sample.json"


@dataclass(frozen=True, slots=True)
class _Mark:
    """The content of the file."""

    template: str
    token: str


def mark_for_sample(folder: Path, template: str, token: str | None = None) -> None:
    """Note that an environment is to be filled with a template's data when it is opened."""
    mark = _Mark(template, token or secrets.token_hex(8))
    write_atomically(folder / _FILE, json.dumps(asdict(mark)))


def is_to_be_filled(folder: Path) -> bool:
    """Whether an environment has a mark."""
    return (folder / _FILE).exists()


class Sample:
    """Fills one environment; `problem` says why it is not filled."""

    def __init__(self, folder: Path, samples: Path, size: SampleSize) -> None:
        self._file = folder / _FILE
        self._samples = samples
        self._size = size
        self._filling = threading.Lock()
        self.problem: ProblemRead | None = None

    def fill(self, deployments: Deployments, store: StoreConnection) -> None:
        """Deploy the application and load the template's rows, where the mark asks for it and the store is empty.

        Raises ApiError, and keeps the problem, where that does not succeed.
        """
        with self._filling:
            mark = self._read_mark()
            if mark is None:
                return
            title, started = TEMPLATES[mark.template].title, time.perf_counter()
            try:
                is_ours = _is_ours(mark, store)
                if is_ours:
                    self._deploy_and_load(mark, deployments, store)
            except (PiqlError, ApiError) as error:
                refusal = error if isinstance(error, ApiError) else from_engine(error)
                log.error("the sample is not loaded; the next start or a new attempt loads it: %s", error)
                message = f"The sample {title} is not loaded: {refusal.body.message.rstrip('.')}."
                help_ = f"{refusal.body.help or 'See the log.'} Then try again on the page of all applications."
                self.problem = ProblemRead(what="sample", message=message, help=help_)
                raise ApiError(refusal.status, refusal.code, message, refusal.body.help) from error
            self._file.unlink(missing_ok=True)
            self.problem = None
            if not is_ours:
                message = f"The store holds data already: the sample {title} is neither deployed nor loaded."
                log.warning("%s", message)
                help_ = "Make an application of the template to try it."
                self.problem = ProblemRead(what="sample", message=message, help=help_, is_over=True)
                raise ApiError(409, "store-not-empty", message, help_)
            log.info("the sample %s was loaded in %.1f s", mark.template, time.perf_counter() - started)

    def _deploy_and_load(self, mark: _Mark, deployments: Deployments, store: StoreConnection) -> None:
        live = deployments.history.reconcile()  # of an interrupted start, this very version
        request = DeploymentCreate(base_version=live.read.version if live else 0)
        deployments.deploy(request, {FIRST_START: mark.token})
        self._load(mark.template, store)

    def _load(self, template: str, store: StoreConnection) -> None:
        database = store.database()
        for table, rows in TEMPLATES[template].rows(self._samples, self._size).items():
            database.load(table, rows, resume=f"sample {table}")

    def _read_mark(self) -> _Mark | None:
        try:
            return _Mark(**json.loads(self._file.read_text()))
        except FileNotFoundError:
            return None


def _is_ours(mark: _Mark, store: StoreConnection) -> bool:
    """Whether the store is empty, or holds only what the sample of this mark has deployed, or is deploying."""
    database = store.database()
    deployment = database.deployment
    is_first = deployment.version == 1 and deployment.origin.details.get(FIRST_START) == mark.token
    change = next((living for living in versions(database.store) if living.state == "coming"), None)
    is_coming = change is not None and change.deployment.origin.details.get(FIRST_START) == mark.token
    return is_first or is_coming or database.store.is_empty()
