"""The first start: the sample application becomes a workspace; an empty store gets it deployed, and its data.

A store that holds anything is never written to: its texts, as far as PIQL deployed them, become the workspace instead.
A mark in the data folder says how far the first start has come. The next start goes on from there: files are copied
again, and the load goes on where the store says that it was broken off. Nothing is removed, of the store least of all.

{"token": "5f3a…", "step": "files"}     the files of the sample are being copied
{"token": "5f3a…", "step": "store"}     they are the user's now; the store has not got all of the sample yet
"""

from __future__ import annotations

import importlib.util
import json
import logging
import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol, cast

from piql.errors import NotAStore, PiqlError
from piql.versions.deploy import versions

from piql_backend.deployments.history import FIRST_START
from piql_backend.deployments.schemas import DeploymentCreate
from piql_backend.deployments.service import Deployments
from piql_backend.errors import ApiError
from piql_backend.files import write_atomically
from piql_backend.schema import is_file_path
from piql_backend.settings import Settings
from piql_backend.store import StoreConnection
from piql_backend.workspaces.repository import Workspaces

log = logging.getLogger(__name__)

WORKSPACE = "scadr"
FROM_STORE = "application"
_REMARK = "-- The store holds data that PIQL has not deployed. Write CREATE TABLE here for tables of your own.\n"


class _DataModule(Protocol):
    def generate(
        self, users: int, thoughts_per_user: int, subscriptions_per_user: int
    ) -> Mapping[str, Iterable[dict[str, object]]]: ...


@dataclass(frozen=True, slots=True)
class _Mark:
    """How far a first start has come; the deployment that it makes has the token, too."""

    token: str
    step: Literal["files", "store"]


class FirstStart:
    """Makes the first workspace, once."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._file = settings.data / ".first-start-under-way"

    def carry_out(self, workspaces: Workspaces, deployments: Deployments, store: StoreConnection) -> None:
        """Make a workspace where there is none, and put the sample into an empty store."""
        mark = self._read_mark()
        if mark is None:
            if workspaces.ids() or not self._settings.sample.is_dir():
                return
            if not self._may_be_empty(store):
                self._copy_from_store(deployments)
                return
            mark = _Mark(secrets.token_hex(8), "files")
        else:
            log.warning("the first start was interrupted; it goes on")
        if mark.step == "files":
            self._write_mark(mark)
            self._copy_files()
            mark = replace(mark, step="store")
            self._write_mark(mark)
        self._fill_store(mark, deployments, store)

    def _fill_store(self, mark: _Mark, deployments: Deployments, store: StoreConnection) -> None:
        started = time.perf_counter()
        try:
            if not self._is_ours(mark, store):
                log.warning("the store holds data already: the sample is neither deployed nor loaded")
            else:
                live = deployments.history.reconcile()  # of an interrupted first start, this very version
                request = DeploymentCreate(workspace_id=WORKSPACE, base_version=live.read.version if live else 0)
                deployments.deploy(request, {FIRST_START: mark.token})
                self._load(store)
                log.info("the sample was loaded in %.1f s", time.perf_counter() - started)
        except (PiqlError, ApiError) as error:
            log.error("the sample is not loaded; the next start tries again: %s", error)
            return
        self._file.unlink(missing_ok=True)

    def _is_ours(self, mark: _Mark, store: StoreConnection) -> bool:
        """Whether the store is empty, or holds nothing but what this very first start put there."""
        database = store.database()
        deployment = database.deployment
        is_first = deployment.version == 1 and deployment.origin.details.get(FIRST_START) == mark.token
        change = next((living for living in versions(database.store) if living.state == "coming"), None)
        is_coming = change is not None and change.deployment.origin.details.get(FIRST_START) == mark.token
        return is_first or is_coming or database.store.is_empty()

    def _may_be_empty(self, store: StoreConnection) -> bool:
        """Whether the store is empty; of one that is away nobody knows, and it is looked at again."""
        try:
            return store.database().store.is_empty()
        except NotAStore:
            return False
        except (PiqlError, ApiError):
            return True

    def _copy_files(self) -> None:
        sample = self._settings.sample
        for file in (sample / "schema.piql", *sorted((sample / "queries").glob("*.piql"))):
            self._write(WORKSPACE, str(file.relative_to(sample)), file.read_text(encoding="utf-8"))

    def _copy_from_store(self, deployments: Deployments) -> None:
        """Make a workspace of the texts that are live, or one with nothing but a remark."""
        live = deployments.history.live
        texts = dict(live.deployment.texts) if live is not None and live.deployment is not None else {}
        workspace_id = live.read.workspace_id if live is not None else None
        log.warning("the store holds data already: no sample is loaded, and the workspace is made of what is live")
        if not texts:
            texts = {"schema.piql": _REMARK}
        for number, (name, text) in enumerate(texts.items(), 1):
            path = name if is_file_path(name) else f"deployed-{number}.piql"
            self._write(workspace_id or FROM_STORE, path, text)

    def _write(self, workspace_id: str, path: str, text: str) -> None:
        write_atomically(self._settings.data / "workspaces" / workspace_id / path, text)

    def _load(self, store: StoreConnection) -> None:
        size = self._settings.sample_size
        tables = _data_module(self._settings.sample / "data.py").generate(
            size.users, size.thoughts_per_user, size.subscriptions_per_user
        )
        database = store.database()
        for table, rows in tables.items():
            database.load(table, rows, resume=f"sample {table}")

    def _read_mark(self) -> _Mark | None:
        try:
            return _Mark(**json.loads(self._file.read_text()))
        except FileNotFoundError:
            return None

    def _write_mark(self, mark: _Mark) -> None:
        write_atomically(self._file, json.dumps(asdict(mark)))


def _data_module(file: Path) -> _DataModule:
    specification = importlib.util.spec_from_file_location("piql_sample_data", file)
    assert specification is not None
    assert specification.loader is not None
    module: Any = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return cast(_DataModule, module)
