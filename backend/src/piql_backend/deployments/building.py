"""The version on its way: its indexes are built while the live version runs, and then it is the live one itself.

begin  →  filling, checking  →  in force       a thread watches, and tells the history when it has ended
                             →  refused        the rows break a new constraint
                             →  cancelled
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import piql
from piql.errors import DeploymentInProgress, PiqlError, StoreUnavailable

from piql_backend.deployments.repository import DeploymentTable
from piql_backend.deployments.schemas import BuildRead
from piql_backend.stores.connection import StoreConnection
from piql_backend.web.errors import NotFound

log = logging.getLogger(__name__)

_LOOK_SECONDS = 0.1


class Building:
    """Follows one build at a time, also one that an earlier start of the workbench, or another process, began.

    It keeps no state of a build: the store's document says what is on its way, and how it ended. A build whose process
    is gone goes on here.
    """

    def __init__(
        self,
        table: DeploymentTable,
        store: StoreConnection,
        update_history: Callable[[], object],
        deploying: threading.Lock,
    ) -> None:
        """Take the history of deployments, what brings it up to date once a build has ended, and the lock of `begin`.

        A deployment that waits for its end holds the lock, too: nobody else follows it.
        """
        self._table = table
        self._store = store
        self._update_history = update_history
        self._deploying = deploying
        self._build: piql.Build | None = None
        self._end_following = threading.Event()
        self._follower: threading.Thread | None = None
        self._logged: str | None = None  # why the store could not be asked, as the log says

    @property
    def is_under_way(self) -> bool:
        """Whether a build is followed that has not ended."""
        return self._follower is not None and self._follower.is_alive()

    def find(self) -> None:
        """Follow what is on its way in the store, whoever began it: unless something is followed, or deployed just now.

        What nobody builds goes on here, and what was paused stays paused. While the store does not answer, nothing is
        done: the history says so, and has this called again.
        """
        if self.is_under_way or not self._deploying.acquire(blocking=False):
            return
        try:
            build = self._store.database().build
            if build is not None and not self.is_under_way:
                self._follow(build)
        except StoreUnavailable:
            pass
        except PiqlError as error:
            if str(error) != self._logged:
                log.error("the version on its way cannot be read: %s", error)
            self._logged = str(error)
        finally:
            self._deploying.release()

    def begin(self, begin: Callable[[], piql.Build]) -> BuildRead:
        """Begin a build by calling `begin`, under the lock; a change that builds nothing is live at once.

        Raises DeploymentInProgress while another build is followed, and what `begin` raises.
        """
        if self.is_under_way and not self._current().progress.is_done:
            raise DeploymentInProgress("a version is on its way: wait for it, resume it or cancel it first")
        build = begin()
        if build.progress.is_done:
            self._build = build
            self._update_history()
        else:
            build.start()
            self._follow(build)
        return self._read(build)

    def read(self) -> BuildRead | None:
        """The build that is under way, or the last one of this start."""
        self.find()
        return None if self._build is None else self._read(self._build)

    def _read(self, build: piql.Build) -> BuildRead:
        progress = build.progress
        version = None
        if progress.phase == "in force":
            self._update_history()  # so that requests are answered by the version that is said to be in force
            version = self._table.version_of(build.id)
        return BuildRead(
            phase=progress.phase,
            rows_done=progress.rows_done,
            rows_estimate=progress.rows_estimate,
            is_paused=progress.is_paused,
            is_running=progress.is_running,
            started_at=progress.started_at,
            reason=progress.reason,
            deployment_id=None if version is None else f"d{version}",
        )

    def pause(self) -> BuildRead:
        """Pause the build; ApiError 404 where there is none."""
        build = self._current()
        build.pause()
        return self._read(build)

    def resume(self) -> BuildRead:
        """Go on with a paused build; ApiError 404 where there is none."""
        build = self._current()
        build.resume()
        return self._read(build)

    def cancel(self) -> BuildRead:
        """Give up the build; ApiError 404 where there is none."""
        build = self._current()
        build.cancel()
        self._end_follower()  # or it would go on asking for as long as the store does not answer
        self._update_history()
        return self._read(build)

    def close(self) -> None:
        """Leave the build to the next start."""
        self._end_follower()
        if self._build is not None:
            self._build.stop()

    def _end_follower(self) -> None:
        self._end_following.set()
        if self._follower is not None:
            self._follower.join()

    def _current(self) -> piql.Build:
        self.find()
        if self._build is None:
            raise NotFound("no-build", "No version is on its way.")
        return self._build

    def _follow(self, build: piql.Build) -> None:
        """Watch a build in a thread of its own, until it ends or `_end_follower` is called."""
        end_following = self._end_following = threading.Event()

        def follow() -> None:
            while not end_following.wait(_LOOK_SECONDS):
                try:
                    progress = build.progress
                    if progress.is_done:
                        self._update_history()
                        return
                    if progress.phase == "canary":
                        continue  # until somebody decides
                    if not (progress.is_paused or progress.is_running or progress.reason):
                        build.start()  # whoever built it is gone
                except PiqlError as error:
                    log.warning("the version on its way cannot be read: %s", error)

        self._build = build
        self._follower = threading.Thread(target=follow, name="follow-build", daemon=True)
        self._follower.start()
