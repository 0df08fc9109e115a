"""Drives a change step by step, at a pace that leaves room for others; any process may drive, pause or cancel it."""

from __future__ import annotations

import os
import secrets
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import monotonic, sleep, time
from typing import Literal, Self

from piql.errors import CompilationRefused, DeploymentInProgress, InvalidParameter, PiqlError, StoreUnavailable
from piql.forking import renew_in_children
from piql.runtime.arguments import number_in, rate_in
from piql.runtime.deployment import Deployment
from piql.store.base import Store
from piql.versions.change.progress import Progress, progress_in, read_progress
from piql.versions.change.state import Canary, Change, load_deployment, read_state, state_in
from piql.versions.change.steps import GRACE_SECONDS, SchemaSteps, Stand, given_up, keep, living_indexes, promoted

LEASE_SECONDS = 10.0  # without a step for so long, a driver counts as gone
_LOOK_SECONDS = 0.05  # between two looks of `wait`
_ATTEMPTS = 6  # of a step while the store does not answer …
_FIRST_PAUSE_SECONDS = 0.2  # … with a pause between them that doubles each time


@dataclass(frozen=True, slots=True)
class BackfillRate:
    """How fast a change may go: `busy_share` of the time at most, `rows_per_second` at most.

    One step is one transaction over `step_rows` rows, for which writers wait. The transaction that announces a change
    does up to `first_rows`, so a change that needs no more is in force, or refused, as soon as it is announced.
    """

    step_rows: int = 500
    rows_per_second: float | None = None
    busy_share: float = 0.5
    first_rows: int = 500


EAGER = BackfillRate(step_rows=1000, busy_share=0.8, first_rows=20_000)
BACKGROUND = BackfillRate()


def backfill_rate(rows_per_second: float | None) -> BackfillRate:
    """Return the rate of a build in the background, which fills at most `rows_per_second`; None for no limit."""
    rate = rate_in("rows_per_second", rows_per_second)
    if rate is None:
        return BACKGROUND
    step = max(1, min(BACKGROUND.step_rows, int(rate / 4)))  # at least four steps a second
    return BackfillRate(step_rows=step, rows_per_second=rate, first_rows=step)


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """How far a build has come; `reason` says why it was refused, or why this process could not go on with it.

    With a `canary`, it stays in the phase of this name until somebody promotes or cancels it; `closing` ends it.
    """

    version: int
    phase: Literal["filling", "checking", "canary", "closing", "in force", "refused", "cancelled"]
    rows_done: int
    rows_estimate: int
    is_paused: bool
    is_running: bool
    started_at: datetime
    reason: str | None = None
    canary: Canary | None = None

    @property
    def is_done(self) -> bool:
        return self.phase in ("in force", "refused", "cancelled")

    @property
    def share(self) -> float:
        """Return how much of the work is done, from 0 to 1."""
        if self.phase == "in force":
            return 1.0
        return self.rows_done / self.rows_estimate if self.rows_estimate else 0.0


class Build:
    """A version that is being built: its indexes are filled and existing rows checked, before it is in force.

    Any process may follow, pause, resume or cancel it, whichever process began it.
    """

    def __init__(
        self,
        store: Store,
        id: str,
        pace: BackfillRate = BACKGROUND,
        driver: str | None = None,
        end: Progress | None = None,
    ) -> None:
        self._store = store
        self._id = id
        self._pace = pace
        self._driver = driver or new_driver()
        self._steps: SchemaSteps | None = None
        self._epoch = 0  # of the state for which `_steps` are
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()  # a thread that ends, and one that is to be started
        self._is_wanted = False  # somebody has started it since its thread last looked
        self._stop = threading.Event()
        self._turn = threading.Lock()  # held by a step, and by a call that pauses, resumes or cancels
        self._failure: PiqlError | None = None
        self._end = end
        self._follow: Callable[[], None] | None = None
        renew_in_children(self, Build._renew)

    def _renew(self) -> None:
        """Leave it to the parent process to drive it, and look on as another process does."""
        self._driver = new_driver()
        self._thread = None
        self._starting = threading.Lock()
        self._stop = threading.Event()
        self._turn = threading.Lock()

    @property
    def id(self) -> str:
        """Return the id that the version has once it is in force."""
        return self._id

    def followed_by(self, follow: Callable[[], None]) -> Self:
        """Call `follow`, from any thread, as soon as this process knows that the build is over, or tried otherwise."""
        self._follow = follow
        if self._end is not None:
            follow()
        return self

    def _ended(self, end: Progress) -> None:
        """Remember how the build ended, and tell whoever follows it."""
        self._end = end
        self._tell()

    def _tell(self) -> None:
        if self._follow is not None:
            self._follow()

    @property
    def progress(self) -> BuildProgress:
        """Return how far it has come, read from the store."""
        settings = self._store.settings()  # both documents as they were at one moment
        progress, change = self._read(settings), state_in(settings).change
        phase = progress.outcome or _phase_of(change)
        failure = self._failure if progress.outcome is None else None
        return BuildProgress(
            progress.version,
            phase,
            progress.rows_done,
            progress.rows_estimate,
            progress.is_paused,
            progress.outcome is None and not progress.is_paused and failure is None and is_driven(progress),
            datetime.fromisoformat(progress.started_at),
            progress.reason if failure is None else str(failure),
            change.canary if change is not None and progress.outcome is None else None,
        )

    def pause(self) -> None:
        """Stop building until it is resumed; writers go on keeping its indexes up to date."""
        self._change_progress(lambda progress: replace(progress, is_paused=True, driver=None))
        self._join()

    def resume(self) -> None:
        """Go on building in a thread of this process, unless another process drives it."""
        self.unpause(self._driver)
        if self._read().outcome is None:
            self.start()

    def unpause(self, driver: str | None = None) -> None:
        """Take the pause back, so that any process may go on building; `driver` is the one that will."""
        self._change_progress(
            lambda progress: replace(
                progress, is_paused=False, driver=progress.driver if is_driven(progress) else driver
            )
        )

    def cancel(self, reason: str | None = None) -> None:
        """Stop the build for good: the version in force stays as it is, and `reason` is kept.

        Where executions go to the version, no more do from now on. It ends a moment later, in a thread of this process.
        Raises DeploymentInProgress where the build is over, or its version is read already.
        """
        with self._turn, self._store.transaction() as transaction:
            stand = self._stand()
            if stand is None:
                raise DeploymentInProgress(f"it is over: {self.words()}")
            if stand.state.change is None:
                raise DeploymentInProgress(f"version {stand.progress.version} is in force already: roll back instead")
            after = stand if stand.state.change.is_closing else given_up(stand, reason)
            keep(transaction, stand.state, after)
        self._tell()
        self._join()
        if after.progress.outcome is None:
            self.start()
        else:
            collect(self._store)

    def set_share(self, share: float) -> None:
        """Let another share of the executions, from 0 to 1, go to the version; every process knows in a second."""
        known_share(share)
        with self._turn, self._store.transaction() as transaction:
            stand, change = self._tried()
            assert change.canary is not None
            change = replace(change, canary=replace(change.canary, share=float(share), since=datetime.now(UTC)))
            keep(transaction, stand.state, Stand(replace(stand.state, change=change), stand.progress))
        self._tell()

    def promote(self) -> Deployment:
        """Put a version that executions are tried on in force, and return it.

        Raises DeploymentInProgress where none are tried on it now.
        """
        with self._turn, self._store.transaction() as transaction:
            stand, _ = self._tried()
            after = promoted(Stand(stand.state, replace(stand.progress, driver=self._driver)))
            if self._store.row_writes is None:
                after = SchemaSteps(self._store, after.state).advance(transaction, after, self._pace.step_rows)
            keep(transaction, stand.state, after)
        if after.progress.outcome is not None:
            self._ended(after.progress)
            collect(self._store)
        return self.run()

    def run_to_canary(self) -> BuildProgress:
        """Build in this thread until executions go to the version, and return how far it is; raises as `wait` does."""
        while self.step():
            pass
        progress = self._read()
        if progress.outcome in ("refused", "cancelled"):
            self._outcome(progress)
        return self.progress

    def _tried(self) -> tuple[Stand, Change]:
        """Return where a change stands that executions go to, and the change. Called inside a transaction."""
        stand = self._stand()
        change = stand.state.change if stand is not None else None
        if stand is None or change is None or change.open_canary is None:
            raise DeploymentInProgress(f"no executions go to version {self.progress.version}: {self.words()}")
        return stand, change

    def wait(self, timeout: float | None = None) -> Deployment:
        """Wait until the version is in force, and return it.

        Raises CompilationRefused where existing rows do not fit it, DeploymentInProgress where it was cancelled, and
        TimeoutError after `timeout` seconds.
        """
        until = None if timeout is None else monotonic() + timeout
        while (progress := self._read()).outcome is None:
            if self._failure is not None:
                raise self._failure
            if until is not None and monotonic() > until:
                raise TimeoutError(f"version {progress.version} is not in force after {timeout:g} s: {self.words()}")
            sleep(_LOOK_SECONDS)
        self._join()
        return self._outcome(progress)

    def start(self) -> None:
        """Build in a thread of this process."""
        with self._starting:
            self._is_wanted = True
            if self._thread is None or not self._thread.is_alive():
                self._stop.clear()
                self._failure = None
                self._thread = threading.Thread(target=self._drive, name="piql-build", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """End the building thread of this process; another process, or a later `resume`, goes on."""
        self._stop.set()
        self._join()
        with suppress(PiqlError):
            self._change_progress(self._left)

    def run(self) -> Deployment:
        """Build to the end in this thread, and return the version that is in force then; raises as `wait` does."""
        while self.step():
            pass
        progress = self._read()
        if progress.outcome is None:
            raise DeploymentInProgress(f"version {progress.version} is not in force: {self.words()}")
        return self._outcome(progress)

    def _drive(self) -> None:
        """Do steps until there is nothing more to do here, in the thread; a failure is kept for `wait`."""
        try:
            attempts = 0
            while not self._stop.is_set():
                try:
                    self._is_wanted = False
                    if not self.step() and self._may_end():
                        return
                    attempts = 0
                except StoreUnavailable:
                    attempts += 1
                    if attempts == _ATTEMPTS:
                        raise
                    self._stop.wait(_FIRST_PAUSE_SECONDS * 2 ** (attempts - 1))
        except PiqlError as failure:
            with self._starting:  # whoever resumes it now starts another thread
                self._failure, self._thread = failure, None

    def _may_end(self) -> bool:
        """Return whether the thread may end: nobody has called `start` since it last looked, so no resume is lost."""
        with self._starting:
            if not self._is_wanted:
                self._thread = None
            return not self._is_wanted

    def step(self) -> bool:
        """Do one step in this thread and rest after it; return whether there is more to do here."""
        began = monotonic()
        with self._turn, self._store.transaction() as transaction:
            stand = self._stand()
            if stand is None or stand.is_tried or stand.progress.is_paused or self._is_driven_elsewhere(stand.progress):
                return False
            if self._steps is None or self._epoch != stand.state.epoch:
                self._steps, self._epoch = SchemaSteps(self._store, stand.state), stand.state.epoch
            driven = Stand(stand.state, replace(stand.progress, driver=self._driver))
            wait = self._steps.seconds_to_wait(driven)
            after = driven if wait else self._steps.advance(transaction, driven, self._pace.step_rows)
            if self._store.row_writes is not None and not self._is_still(stand):
                return True  # paused, cancelled or driven on meanwhile: what was done here may be done again
            keep(transaction, stand.state, after)
        if after.progress.outcome is not None:
            self._ended(after.progress)
            collect(self._store)
            return False
        if wait:
            self._stop.wait(min(wait, LEASE_SECONDS / 2))
        else:
            self._rest(monotonic() - began, after.progress.rows_done - stand.progress.rows_done)
        return True

    def _is_still(self, stand: Stand) -> bool:
        """Return whether nobody changed anything during a step, on a store whose transactions keep nobody out."""
        now = self._stand()
        return now is not None and now.state == stand.state and now.progress.is_paused == stand.progress.is_paused

    def _rest(self, worked: float, rows: int) -> None:
        """Wait after a step that took `worked` seconds over `rows` rows, as the rate demands."""
        share = self._pace.busy_share
        pause = worked * (1 - share) / share
        if self._pace.rows_per_second is not None:
            pause = max(pause, rows / self._pace.rows_per_second - worked)
        self._stop.wait(min(pause, LEASE_SECONDS / 2))

    def _stand(self) -> Stand | None:
        """Return where the change stands; None when it is over. Called inside a transaction."""
        progress = read_progress(self._store)
        if progress is None or progress.id != self._id or progress.outcome is not None:
            return None
        return Stand(read_state(self._store), progress)

    def _is_driven_elsewhere(self, progress: Progress) -> bool:
        return progress.driver not in (None, self._driver) and is_driven(progress)

    def _left(self, progress: Progress) -> Progress:
        """Return the progress without this driver."""
        return replace(progress, driver=None) if progress.driver == self._driver else progress

    def _change_progress(self, change: Callable[[Progress], Progress]) -> None:
        """Store another progress in the place of the present one; raise DeploymentInProgress when the build is over."""
        with self._turn, self._store.transaction() as transaction:
            stand = self._stand()
            if stand is None:
                raise DeploymentInProgress(f"it is over: {self.words()}")
            keep(transaction, stand.state, Stand(stand.state, change(stand.progress)))

    def _read(self, settings: Mapping[str, str] | None = None) -> Progress:
        """Read the progress; how it ended is remembered."""
        if self._end is None:
            stored = progress_in(self._store.settings() if settings is None else settings)
            progress = stored.of(self._id) if stored is not None else None
            if progress is None:
                raise DeploymentInProgress(
                    "many versions have followed since, and nothing is stored about this one any more"
                )
            if progress.outcome is None:
                return progress
            self._ended(progress)
            return progress
        return self._end

    def words(self) -> str:
        """Return how far it has come, in words for a message."""
        progress = self.progress
        if progress.phase == "canary" and progress.canary is not None:
            return f"tried on {progress.canary.share:.4g} of the executions"
        suffix = "" if progress.is_done or not progress.is_paused else ", paused"
        return f"{progress.phase}{suffix}, {progress.rows_done:,} of about {progress.rows_estimate:,} rows"

    def _outcome(self, progress: Progress) -> Deployment:
        if progress.outcome == "in force":
            return load_deployment(self._store)
        if progress.outcome == "refused":
            raise CompilationRefused(progress.reason or "not deployed")
        raise DeploymentInProgress(f"version {progress.version} was cancelled")

    def _join(self) -> None:
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()


def known_share(share: float) -> float:
    """Return the share of a canary as it is; raise InvalidParameter for what is no number from 0 to 1."""
    if number_in("share", share) > 1 or share < 0:
        raise InvalidParameter(f"share is {share:g}: give a number from 0 to 1, such as 0.05 for 5 % of the executions")
    return float(share)


def _phase_of(change: Change | None) -> Literal["filling", "checking", "canary", "closing"]:
    if change is not None and change.is_closing:
        return "closing"
    if change is not None and change.open_canary is not None:
        return "canary"
    return "filling" if change is not None and change.phase != "checking" else "checking"


def new_driver() -> str:
    """Return a name for a build in this process: host, process id, and a random part."""
    return f"{socket.gethostname()}/{os.getpid()}/{secrets.token_hex(4)}"


def is_driven(progress: Progress) -> bool:
    """Return whether a process is building: seen in the last LEASE_SECONDS and, if of this machine, alive."""
    if progress.driver is None or time() - progress.beat > LEASE_SECONDS:
        return False
    host, process, _ = progress.driver.split("/")
    if host != socket.gethostname():
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def collect(store: Store) -> list[str]:
    """Drop the indexes that no living version has, one in a transaction, and return their stored names."""
    dropped: list[str] = []
    while True:
        state = read_state(store)
        living = living_indexes(store, state)
        with store.transaction() as transaction:
            if transaction.version() != state.epoch:
                continue
            unused = sorted(transaction.index_names() - living)
            if not unused:
                return dropped
            if store.row_writes is not None and not dropped:
                sleep(GRACE_SECONDS)  # until nobody writes or reads by what was in force before
            transaction.drop_index(unused[0])
            dropped.append(unused[0])
