"""Profile runs: one at a time, the others wait. Each is a process; its progress is sent to all who listen.

    queued  →  starting  →  running  →  done
      ↓           ↓            ↓     →  failed       the profiler failed, or the backend was stopped
    cancelled  ←  cancelling  ←┘

A run that was cancelled or has failed may be resumed, and is queued again.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
import secrets
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from piql.store.schemes import EMBEDDED, TEMPORARY_STORE
from piql_profiler.commands.profile import STALE
from piql_profiler.measure.grid import Grid
from piql_profiler.measure.store_urls import without_password
from piql_profiler.measure.workload import Workload
from piql_profiler.runs.run_files import read_info

from piql_backend.data_folder.files import write_atomically
from piql_backend.measuring.process import MeasuringProcess, end_orphan
from piql_backend.profile_runs.drift import drift_of
from piql_backend.profile_runs.repository import ProfileRunFiles, StoredRun
from piql_backend.profile_runs.schemas import (
    GridLevels,
    ProfileRunCreate,
    ProfileRunImport,
    ProfileRunRead,
    ProfileSettingsRead,
)
from piql_backend.profile_runs.stores import MeasurableStores
from piql_backend.profile_runs.summary import summary_of
from piql_backend.web.errors import ApiError, NotFound
from piql_backend.web.pages import Listing, Page, PageWish

log = logging.getLogger(__name__)

ENDED = ("cancelled", "failed", "done")  # states that a run leaves only when it is resumed
SECONDS_BETWEEN_PINGS = 10.0
MOST_QUEUED = 20
MOST_POINTS = 2000
IMPORTED = "imported"  # the grid of a run that is made of a log

_RUNS = Listing[ProfileRunRead, str](
    "profile-runs",
    str,
    lambda run: f"{run.created_at.astimezone(UTC).isoformat(timespec='microseconds')} {run.id}",
    is_descending=True,
)


class ProfileRuns:
    """All runs by id. Everything here happens on the event loop, so nothing needs a lock.

    `_running` is the id of the run that is measured now, by `_process`. `_changed` is set at each change, and replaced
    by a new event: whoever waits takes the event first and looks at the runs then.
    """

    def __init__(self, root: Path, stores: MeasurableStores, runner: Literal["ray", "local"] = "ray") -> None:
        self._runner = runner
        self._files = ProfileRunFiles(root)
        self._stores = stores
        self._runs: dict[str, StoredRun] = {}
        self._process: MeasuringProcess | None = None
        self._running: str | None = None
        self._worker: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._is_closing = False

    def open(self) -> None:
        """Read the runs on disk; one that was under way has failed, one that waited goes on waiting."""
        for run in self._files.load_all():
            if run.read.state in ("starting", "running", "cancelling"):
                end_orphan(self._files.measurements(run.read.id))
                message = "The backend was stopped while this run was under way."
                ended = run.read.model_copy(
                    update={"state": "failed", "message": message, "ended_at": _now(), "eta_seconds": None}
                )
                run = replace(run, read=ended)
                self._files.save(run)
                self._files.delete_store(run.read.id)
            self._runs[run.read.id] = run
        self._worker = asyncio.create_task(self._work())

    async def close(self) -> None:
        """End the process under way; its run is kept as failed."""
        self.end_streams()
        if self._process is not None:
            await self._process.cancel()
        if self._worker is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._worker

    @property
    def damaged(self) -> Sequence[str]:
        """What is to be said of runs whose files were damaged at the start."""
        return self._files.damaged

    @property
    def is_under_way(self) -> bool:
        """Whether a run is measured or waits for that."""
        is_waiting = any(run.read.state not in ENDED for run in self._runs.values())
        return self._running is not None or is_waiting

    def end_streams(self) -> None:
        """End all streams of events, and start no further run."""
        self._is_closing = True
        self._wake()

    def page(self, wish: PageWish) -> Page[ProfileRunRead]:
        return _RUNS.page_of(wish, (run.read for run in self._runs.values()))

    def newest_done(self) -> str | None:
        """The id of the newest run that is done, None where none is."""
        done = [run.read for run in list(self._runs.values()) if run.read.state == "done"]
        return max(done, key=_RUNS.key).id if done else None

    def read(self, run_id: str) -> ProfileRunRead:
        return self._run(run_id).read

    async def create(self, request: ProfileRunCreate) -> ProfileRunRead:
        """Queue a run.

        Raises ApiError 409 when too many wait or a run to refresh is not stale, 403 and 422 for a store that may not be
        measured, and 422 for a grid that measures nothing or too much.
        """
        self._refuse_when_full()
        if request.refreshes is not None:
            request = self._as_refreshed(request, request.refreshes)
        levels = request.grid if isinstance(request.grid, GridLevels) else None
        if levels is not None:
            _refuse_unmeasurable(levels)
        store_url = without_password(self._stores.url(request.store_url))
        if request.store_url is not None:
            request = request.model_copy(update={"store_url": store_url})
        settings = ProfileSettingsRead(
            grid="custom" if levels else str(request.grid),
            levels=levels,
            interval_seconds=request.interval_seconds,
            intervals=request.intervals,
            store_url=store_url,
        )
        return self._queue(_new_id(), request, settings)

    async def import_log(self, request: ProfileRunImport) -> ProfileRunRead:
        """Queue a run that is made of a log, by a process of its own; ApiError 409 when too many wait."""
        self._refuse_when_full()
        run_id, asked = _new_id(), ProfileRunCreate(label=request.label)
        settings = ProfileSettingsRead(
            grid=IMPORTED,
            levels=None,
            interval_seconds=asked.interval_seconds,
            intervals=asked.intervals,
            store_url=without_password(self._stores.url(None)),
        )
        await asyncio.to_thread(write_atomically, self._files.imported_log(run_id), request.log)
        return self._queue(run_id, asked, settings)

    def _queue(self, run_id: str, request: ProfileRunCreate, settings: ProfileSettingsRead) -> ProfileRunRead:
        read = ProfileRunRead(
            id=run_id,
            label=request.label,
            state="queued",
            progress=0.0,
            points_done=0,
            points_total=0,
            eta_seconds=None,
            message=None,
            created_at=_now(),
            started_at=None,
            ended_at=None,
            settings=settings,
            operators_summary=[],
        )
        run = StoredRun(read, request)
        self._files.save(run)
        self._runs[run_id] = run
        self._wake()
        return read

    async def cancel(self, run_id: str) -> ProfileRunRead:
        """Stop a run; it is `cancelling` until its process has ended. ApiError 409 where it has ended already."""
        run = self._run(run_id)
        if run.read.state in ENDED:
            raise ApiError(409, "run-ended", f"The run is already {run.read.state}.")
        if run.read.state == "queued":
            self._change(run_id, state="cancelled", ended_at=_now())
        elif run.read.state != "cancelling":
            self._change(run_id, state="cancelling", eta_seconds=None)
            if self._process is not None and self._running == run_id:
                asyncio.create_task(self._process.cancel())  # noqa: RUF006 - the worker waits for the process itself
        return self.read(run_id)

    async def resume(self, run_id: str) -> ProfileRunRead:
        """Queue a run again that was cancelled or failed; ApiError 409 for any other."""
        run = self._run(run_id)
        if run.read.state not in ("cancelled", "failed"):
            raise ApiError(409, "run-not-broken-off", f"The run is {run.read.state}: there is nothing to resume.")
        if run.read.settings.grid == IMPORTED:
            raise ApiError(409, "run-imported", "The log of this run is not kept.", "Import the log again.")
        self._refuse_when_full()
        self._change(run_id, state="queued", message=None, ended_at=None, eta_seconds=None)
        return self.read(run_id)

    async def look(self, run_id: str) -> ProfileRunRead:
        """Measure a few points of a run again; ApiError 409 while something else is measured, or where that fails."""
        self.measurements_of(run_id)
        if self._running is not None:
            raise ApiError(409, "measuring", "Another measurement is running.", "Check again when it has ended.")
        folder = self._files.measurements(run_id).resolve()
        self._running = run_id
        try:
            arguments, url = ("--look", "1", "--out", str(folder)), self._url(run_id)
            self._process = await MeasuringProcess.start("profile", arguments, self._files.folder(run_id), url)
            code, complaint = await self._process.follow(lambda progress: None)
        finally:
            self._process, self._running = None, None
            self._wake()
        await asyncio.to_thread(self._files.delete_store, run_id)
        if code not in (0, STALE):
            raise ApiError(409, "look-failed", f"The store could not be measured: {complaint or code}.")
        self._change(run_id, drift=drift_of(folder))
        self._files.save(self._runs[run_id])
        return self.read(run_id)

    async def delete(self, run_id: str) -> None:
        """Delete a run that has ended; ApiError 409 while it is measured, for the first time or again."""
        run = self._run(run_id)
        if run.read.state not in ENDED:
            raise ApiError(409, "run-under-way", f"The run is {run.read.state}.", "Cancel it first.")
        if self._running == run_id:
            raise ApiError(
                409,
                "measuring",
                "The run is being checked.",
                "Wait until the check ends.",
            )
        del self._runs[run_id]
        await asyncio.to_thread(self._files.delete, run_id)
        self._wake()

    def events(self, run_id: str) -> AsyncIterator[str]:
        """The run as server-sent events: at once, at each change, and a last time when it has ended."""
        self._run(run_id)
        return self._events(run_id)

    def measurements_of(self, run_id: str) -> Path:
        """The folder of a run that is done; ApiError 404 or 409 for any other."""
        run = self._run(run_id)
        if run.read.state != "done":
            raise ApiError(409, "run-not-done", f"The run is {run.read.state}, not done.", "Choose a run that is done.")
        return self._files.measurements(run_id)

    async def _events(self, run_id: str) -> AsyncIterator[str]:
        last = None
        while not self._is_closing and run_id in self._runs:
            changed = self._changed
            read = self._runs[run_id].read
            if read != last:
                yield f"event: progress\ndata: {read.model_dump_json()}\n\n"
                last = read
                if read.state in ENDED:
                    return
            try:
                await asyncio.wait_for(changed.wait(), SECONDS_BETWEEN_PINGS)
            except TimeoutError:
                yield ": still here\n\n"

    async def _work(self) -> None:
        """Carry out queued runs, the oldest first, until `end_streams` is called."""
        while not self._is_closing:
            changed = self._changed
            waiting = [run.read for run in self._runs.values() if run.read.state == "queued"]
            if waiting and self._running is None:
                run_id = min(waiting, key=lambda run: run.created_at).id
                try:
                    await self._carry_out(run_id)
                except Exception:  # the next run must not wait for ever
                    log.exception("profile run %s", run_id)
                    self._process, self._running = None, None
                    if run_id in self._runs:
                        message = "The backend failed while it supervised this run."
                        self._change(run_id, state="failed", message=message, ended_at=_now())
            else:
                await changed.wait()

    async def _carry_out(self, run_id: str) -> None:
        """Measure a run, from `starting` to its end."""
        self._change(run_id, state="starting", started_at=_now())
        self._running = run_id
        try:
            folder, url = self._files.folder(run_id), self._url(run_id)
            self._process = await MeasuringProcess.start("profile", self._arguments(run_id), folder, url)
        except (OSError, ApiError) as error:
            self._running = None
            self._change(run_id, state="failed", message=f"The profiler does not start: {error}.", ended_at=_now())
            return
        if self._is_closing or self._runs[run_id].read.state == "cancelling":
            await self._process.cancel()
        code, complaint = await self._process.follow(lambda progress: self._progress(run_id, progress))
        self._process, self._running = None, None
        await asyncio.to_thread(self._files.delete_store, run_id)
        await self._end(run_id, code, complaint)

    async def _end(self, run_id: str, code: int, complaint: str) -> None:
        """Write down how a run ended, by the exit code of its process and the last line on its stderr."""
        read = self._runs[run_id].read
        if self._is_closing and read.state != "cancelling":
            message = "The backend was stopped while this run was under way."
            self._change(run_id, state="failed", message=message, ended_at=_now(), eta_seconds=None)
        elif read.state == "cancelling":
            self._change(run_id, state="cancelled", ended_at=_now(), eta_seconds=None)
        elif code != 0:
            message = read.message or complaint or _early_end(code)
            self._change(run_id, state="failed", message=message, ended_at=_now(), eta_seconds=None)
        else:
            summary = await asyncio.to_thread(summary_of, self._files.measurements(run_id))
            done: dict[str, Any] = {
                "progress": 1.0,
                "points_done": read.points_total,
                "eta_seconds": 0.0,
                "message": None,
            }
            if read.settings.grid == IMPORTED:
                done["settings"] = self._settings_of_log(run_id)
            self._change(run_id, state="done", ended_at=_now(), operators_summary=summary, **done)

    def _settings_of_log(self, run_id: str) -> ProfileSettingsRead:
        """The settings of a run that is made of a log, with the intervals that the log has."""
        measured = read_info(self._files.measurements(run_id)).settings
        changes = {"interval_seconds": measured.interval_seconds, "intervals": measured.intervals}
        return self._runs[run_id].read.settings.model_copy(update=changes)

    def _progress(self, run_id: str, line: dict[str, Any]) -> None:
        """Take over a progress line; what it says in another form than expected is ignored."""
        read = self._runs[run_id].read
        changes: dict[str, Any] = {}
        done, total = line.get("points_done"), line.get("points_total")
        if isinstance(done, int) and isinstance(total, int) and total > 0:
            changes |= {"points_done": done, "points_total": total, "progress": min(1.0, max(0.0, done / total))}
        eta = line.get("eta_seconds")
        if isinstance(eta, int | float) and math.isfinite(eta):
            changes["eta_seconds"] = max(0.0, float(eta))
        if isinstance(line.get("message"), str):
            changes["message"] = without_password(line["message"])
        if line.get("state") == "running" and read.state == "starting":
            changes["state"] = "running"
        if changes:
            self._change(run_id, **changes)

    def _as_refreshed(self, request: ProfileRunCreate, run_id: str) -> ProfileRunCreate:
        """The request that measures the stale operators of a run: that run's own request under the new label."""
        self.measurements_of(run_id)
        stale = self._run(run_id)
        if stale.read.drift is None or not stale.read.drift.stale_operators:
            raise ApiError(409, "run-not-stale", "No check has found this run stale.", "Check it first.")
        return stale.request.model_copy(update={"refreshes": run_id, "label": request.label})

    def _refuse_when_full(self) -> None:
        if sum(run.read.state == "queued" for run in self._runs.values()) >= MOST_QUEUED:
            raise ApiError(409, "queue-full", f"{MOST_QUEUED} runs are waiting already.", "Cancel one of them.")

    def _arguments(self, run_id: str) -> Sequence[str]:
        """The arguments of `piql profile`: for a run that has begun already, to go on with it."""
        request = self._runs[run_id].request
        if self._runs[run_id].read.settings.grid == IMPORTED:
            log_file, measurements = self._files.imported_log(run_id), self._files.measurements(run_id)
            return ("--import", str(log_file.resolve()), "--out", str(measurements.resolve()), "--progress", "none")
        grid = request.grid if isinstance(request.grid, str) else json.dumps(request.grid.model_dump())
        measurements = self._files.measurements(run_id).resolve()
        if (measurements / "run.json").exists():
            return ("--out", str(measurements), "--resume", "--progress", "json")
        if request.refreshes is not None:
            stale = str(self._files.measurements(request.refreshes).resolve())
            return ("--refresh", stale, "--out", str(measurements), "--progress", "json")
        return (
            *("--grid", grid),
            *("--interval", f"{request.interval_seconds:g}"),
            *("--intervals", str(request.intervals)),
            *("--out", str(measurements)),
            *("--runner", self._runner),
            *("--progress", "json"),
        )

    def _url(self, run_id: str) -> str:
        """The URL of the store to measure: an embedded one is always new, so rows for measuring never mix with data."""
        url = self._stores.url(self._runs[run_id].request.store_url)
        return f"{EMBEDDED}:{self._files.store(run_id).resolve()}" if url == TEMPORARY_STORE else url

    def _change(self, run_id: str, **changes: Any) -> None:
        """Change fields of a run, and wake all who follow it; a new state is saved."""
        run = self._runs[run_id]
        new = replace(run, read=run.read.model_copy(update=changes))
        self._runs[run_id] = new
        if new.read.state != run.read.state:
            self._files.save(new)
        self._wake()

    def _run(self, run_id: str) -> StoredRun:
        if run_id not in self._runs:
            raise NotFound("unknown-run", f"There is no profile run {run_id}.")
        return self._runs[run_id]

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def _refuse_unmeasurable(levels: GridLevels) -> None:
    """Raise ApiError 422 for a grid that measures nothing, or has too many points."""
    try:
        grid = Grid.from_levels(levels.model_dump())
        Workload(grid)  # raises ValueError for what cannot be measured
    except ValueError as error:
        raise ApiError(422, "invalid-grid", f"{error}.") from None
    if len(grid.points) > MOST_POINTS:
        raise ApiError(422, "invalid-grid", f"The grid has {len(grid.points)} points; {MOST_POINTS} are allowed.")


def _new_id() -> str:
    return f"run-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def _now() -> datetime:
    return datetime.now(UTC)


def _early_end(code: int) -> str:
    """What is said of a profiler that ended without a word, by its exit code; -9 is a SIGKILL."""
    if code < 0:
        return f"The profiler was killed by signal {-code}. Resume the run: what was measured is kept."
    return f"The profiler ended with code {code}."
