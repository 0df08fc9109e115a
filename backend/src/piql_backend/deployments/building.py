"""The version on its way: its indexes are built while the live one runs; once in force it is the live one."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Protocol

import piql
from piql.errors import DeploymentInProgress, PiqlError
from piql.evolution.composition import EARLIER

from piql_backend.deployments.repository import DeploymentTable
from piql_backend.deployments.schemas import BuildRead, DeploymentDetailRead
from piql_backend.errors import NotFound
from piql_backend.store import StoreConnection

log = logging.getLogger(__name__)

_LOOK_SECONDS = 0.1


class _Live(Protocol):
    def __call__(self, coming: DeploymentDetailRead) -> DeploymentDetailRead: ...


class Building:
    """Follows one build at a time, also one that an earlier start of the workbench began."""

    def __init__(self, table: DeploymentTable, store: StoreConnection, make_live: _Live) -> None:
        self._table = table
        self._store = store
        self._make_live = make_live
        self._build: piql.Build | None = None
        self._version: int | None = None  # of the live deployment that came of the build
        self._closing = threading.Event()
        self._follower: threading.Thread | None = None

    def open(self) -> None:
        """Go on with what an earlier start left; one that was paused stays so."""
        coming = self._table.read_coming()
        if coming is None:
            return
        try:
            database = self._store.database()
            build = database.build
            if build is not None:
                self._build = build
                if not build.progress.is_paused:
                    build.resume()
                self._follow(coming)
            elif is_of(database.deployment.texts, coming):
                self._make_live(coming)
            else:
                self._table.forget_coming()
        except PiqlError as error:
            log.error("the version on its way rests: %s", error)

    def begin(self, coming: DeploymentDetailRead, begin: Callable[[], piql.Build]) -> BuildRead:
        """Begin a build; a change that needs none is live at once."""
        if self._follower is not None and self._follower.is_alive():
            raise DeploymentInProgress("a version is on its way: wait for it, resume it or cancel it first")
        self._table.keep_coming(coming)
        try:
            build = begin()
        except BaseException:
            self._table.forget_coming()
            raise
        self._build, self._version = build, None
        if build.progress.is_done:
            self._end(coming, build)
        else:
            self._follow(coming)
        return self._read(build)

    def read(self) -> BuildRead | None:
        """Give the build that is under way, or the last one of this start."""
        return None if self._build is None else self._read(self._build)

    def _read(self, build: piql.Build) -> BuildRead:
        progress = build.progress
        return BuildRead(
            phase=progress.phase,
            rows_done=progress.rows_done,
            rows_estimate=progress.rows_estimate,
            is_paused=progress.is_paused,
            is_running=progress.is_running,
            started_at=progress.started_at,
            reason=progress.reason,
            deployment_id=None if self._version is None else f"d{self._version}",
        )

    def pause(self) -> BuildRead:
        self._known().pause()
        return self._read(self._known())

    def resume(self) -> BuildRead:
        self._known().resume()
        return self._read(self._known())

    def cancel(self) -> BuildRead:
        self._known().cancel()
        if self._follower is not None:
            self._follower.join()
        return self._read(self._known())

    def close(self) -> None:
        """Leave the build to the next start."""
        self._closing.set()
        if self._follower is not None:
            self._follower.join()
        if self._build is not None:
            self._build.stop()

    def _known(self) -> piql.Build:
        if self._build is None:
            raise NotFound("no-build", "No version is on its way.")
        return self._build

    def _follow(self, coming: DeploymentDetailRead) -> None:
        build = self._known()

        def follow() -> None:
            while not self._closing.wait(_LOOK_SECONDS):
                try:
                    if build.progress.is_done:
                        self._end(coming, build)
                        return
                except PiqlError as error:
                    log.warning("the version on its way cannot be looked at: %s", error)

        self._follower = threading.Thread(target=follow, name="follow-build", daemon=True)
        self._follower.start()

    def _end(self, coming: DeploymentDetailRead, build: piql.Build) -> None:
        if build.progress.phase == "in force":
            self._version = self._make_live(coming).version
        else:
            self._table.forget_coming()


def is_of(texts: Mapping[str, str], version: DeploymentDetailRead) -> bool:
    """Say whether the texts of a deployment are those of a version, besides what was deployed earlier."""
    return {name: text for name, text in texts.items() if name != EARLIER} == {
        each.path: each.text for each in version.files
    }
