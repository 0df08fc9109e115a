"""The very first start: the sample application becomes a workspace, deployed and with data.

A mark in the data folder says that it is under way; a start that finds the mark removes what was made and begins anew,
so that a half loaded store is never taken for a whole one.
"""

from __future__ import annotations

import importlib.util
import logging
import shutil
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, cast

from piql.errors import PiqlError

from piql_backend.deployments.schemas import DeploymentCreate
from piql_backend.deployments.service import Deployments
from piql_backend.errors import ApiError
from piql_backend.files import write_atomically
from piql_backend.settings import Settings
from piql_backend.store import StoreConnection
from piql_backend.workspaces.repository import Workspaces

log = logging.getLogger(__name__)

WORKSPACE = "scadr"


class _DataModule(Protocol):
    def generate(
        self, users: int, thoughts_per_user: int, subscriptions_per_user: int
    ) -> Mapping[str, Iterable[dict[str, object]]]: ...


class FirstStart:
    """Makes the sample workspace once."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._under_way = settings.data / ".first-start-under-way"
        self._to_load = settings.data / ".sample-to-load"  # the store was away; the files are the user's since then

    def undo_interrupted(self) -> None:
        """Remove what an interrupted first start made; called before anything in the data folder is opened."""
        if not self._under_way.exists():
            return
        log.warning("the first start was interrupted; it begins anew")
        data = self._settings.data
        for made in (data / "workspaces", *data.glob("store*"), *data.glob("workbench.duckdb*")):
            if made.is_dir():
                shutil.rmtree(made)
            else:
                made.unlink(missing_ok=True)

    def carry_out(self, workspaces: Workspaces, deployments: Deployments, store: StoreConnection) -> None:
        """Make, deploy and load the sample, unless that has been done."""
        if not self._to_load.exists():
            if workspaces.ids() or not self._settings.sample.is_dir():
                return
            self._under_way.touch()
            self._copy_files()
        started = time.perf_counter()
        try:
            deployments.deploy(DeploymentCreate(workspace_id=WORKSPACE))
            self._load(store)
        except (PiqlError, ApiError) as error:
            log.error("the sample is not loaded; the next start tries again: %s", error)
            self._to_load.touch()
            self._under_way.unlink(missing_ok=True)
            return
        log.info("the sample was loaded in %.1f s", time.perf_counter() - started)
        self._under_way.unlink(missing_ok=True)
        self._to_load.unlink(missing_ok=True)

    def _copy_files(self) -> None:
        sample = self._settings.sample
        for file in (sample / "schema.piql", *sorted((sample / "queries").glob("*.piql"))):
            text = file.read_text(encoding="utf-8")
            write_atomically(self._settings.data / "workspaces" / WORKSPACE / file.relative_to(sample), text)

    def _load(self, store: StoreConnection) -> None:
        size = self._settings.sample_size
        tables = _data_module(self._settings.sample / "data.py").generate(
            size.users, size.thoughts_per_user, size.subscriptions_per_user
        )
        database = store.database()
        for table, rows in tables.items():
            database.load(table, rows)


def _data_module(file: Path) -> _DataModule:
    specification = importlib.util.spec_from_file_location("piql_sample_data", file)
    assert specification is not None
    assert specification.loader is not None
    module: Any = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return cast(_DataModule, module)
