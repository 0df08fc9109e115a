"""Load runs: one at a time is carried out in an environment, as a process; its seconds are sent to all who listen.

Others are carried out elsewhere and reported (`begin_reported`, `add_reported`, `end_reported`).

    starting  →  running  →  done
       ↓            ↓     →  stopped     a threshold was passed
       ↓            ↓     →  failed      the command failed, or the backend was stopped
    cancelling  ←───┘     →  cancelled

What was measured until a run ended is kept, however it ended.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from piql_profiler.commands.load_test import CLIENT_LIMIT, CROSSED, INTERRUPTED
from piql_profiler.load_runs.result_file import UnreadableResult
from piql_profiler.measure.store_urls import refuse_bucket
from pydantic import ValidationError

from piql_backend.deployments.history import LiveDeployment
from piql_backend.deployments.service import LIVE, Deployments
from piql_backend.load_runs.arguments import arguments_for, mixes_of, seconds_of, weights_for
from piql_backend.load_runs.repository import LoadRunFiles
from piql_backend.load_runs.results import comparison_of, objectives_of, page_of, result_of
from piql_backend.load_runs.schemas import (
    LoadComparisonRead,
    LoadedQueryRead,
    LoadMixRead,
    LoadResultRead,
    LoadRunCreate,
    LoadRunRead,
    LoadRunReport,
    LoadSecondRead,
)
from piql_backend.measuring.process import MeasuringProcess
from piql_backend.slos.repository import SloTable
from piql_backend.web.background_work import BackgroundWork
from piql_backend.web.errors import ApiError, NotFound
from piql_backend.web.pages import Listing, Page, PageWish

log = logging.getLogger(__name__)

ENDED = ("cancelled", "stopped", "failed", "done")
SECONDS_BETWEEN_PINGS = 10.0
SILENT_SECONDS = 60.0  # until a run that is reported is taken for lost
_MEASURED = (0, CLIENT_LIMIT, CROSSED, INTERRUPTED)  # exit codes of a run that has a result
_STOPPED = "The backend was stopped while this run was under way."

_RUNS = Listing[LoadRunRead, str](
    "load-runs",
    str,
    lambda run: f"{run.created_at.astimezone(UTC).isoformat(timespec='microseconds')} {run.id}",
    is_descending=True,
)


class LoadRuns:
    """All runs by id. Everything here happens on the event loop, so nothing needs a lock.

    `_timelines` has the seconds of the runs under way, `_process` the process of the one that is carried out here.
    Others are reported by the commands that carry them out. `_changed` is set at each change, and
    replaced by a new event.
    """

    def __init__(
        self,
        root: Path,
        store_url: str,
        deployments: Deployments,
        slos: SloTable,
        is_measuring: Callable[[], bool],
    ) -> None:
        self._files = LoadRunFiles(root)
        self._store_url = store_url
        self._deployments = deployments
        self._slos = slos
        self._is_measuring = is_measuring
        self._runs: dict[str, LoadRunRead] = {}
        self._timelines: dict[str, list[LoadSecondRead]] = {}
        self._silent: dict[str, asyncio.TimerHandle] = {}
        self._process: MeasuringProcess | None = None
        self._work = BackgroundWork()
        self._changed = asyncio.Event()
        self._is_closing = False

    def open(self) -> None:
        """Read the runs on disk; one that was under way has failed."""
        for run in self._files.load_all():
            if run.state not in ENDED:
                has_result = self._files.has_result(run.id)
                changes = {"state": "failed", "message": _STOPPED, "ended_at": _now(), "has_result": has_result}
                run = run.model_copy(update=changes)
                self._files.save(run)
            self._runs[run.id] = run

    async def close(self) -> None:
        """End the process under way; what it measured is kept."""
        self.end_streams()
        for waiting in self._silent.values():
            waiting.cancel()
        if self._process is not None:
            await self._process.cancel()
        await self._work.wait()

    @property
    def is_under_way(self) -> bool:
        """Whether a run calls queries."""
        return self._work.is_under_way

    def end_streams(self) -> None:
        """End all streams of events, and start no further run."""
        self._is_closing = True
        self._wake()

    def page(self, wish: PageWish) -> Page[LoadRunRead]:
        return _RUNS.page_of(wish, self._runs.values())

    def read(self, run_id: str) -> LoadRunRead:
        """One run; ApiError 404 for none."""
        if run_id not in self._runs:
            raise NotFound("unknown-run", f"There is no load run {run_id[:60]}.")
        return self._runs[run_id]

    async def mixes(self) -> list[LoadMixRead]:
        """The mixes of the samples whose queries are all live; ApiError 404 where nothing is."""
        live = await asyncio.to_thread(self._deployments.live, LIVE)
        return mixes_of(live.compilation.queries)

    async def create(self, request: LoadRunCreate, started_by: str) -> LoadRunRead:
        """Start a run; ApiError 409 beside another one or a profile run, 422 for what cannot be called."""
        try:
            refuse_bucket(self._store_url)
        except ValueError as error:
            raise ApiError(409, "store-not-loadable", f"{error}.") from None
        live = await asyncio.to_thread(self._deployments.live, LIVE)
        weights = weights_for(request, live.compilation.queries)
        queries = await asyncio.to_thread(self._called, live, weights)
        self._refuse_beside_others()
        run = LoadRunRead(
            id=_new_id(),
            label=request.label,
            state="starting",
            message=None,
            started_by=started_by,
            created_at=_now(),
            ended_at=None,
            deployment_id=live.read.id,
            queries=queries,
            rates=request.rates,
            seconds=request.seconds,
            connections=request.connections,
            clients=request.clients,
            seed=request.seed,
            stop_if=request.stop_if,
            seconds_done=0.0,
            seconds_total=seconds_of(request),
            has_result=False,
        )
        self._begin(run)
        self._work.begin(self._carry_out(run.id, request, weights))
        return run

    async def begin_reported(self, request: LoadRunReport, started_by: str) -> LoadRunRead:
        """Take in a run that a command begins to carry out elsewhere; ApiError 404 for a query that is not live."""
        if self._is_closing:
            raise ApiError(409, "closing", "The environment is being closed.", "Try again in a moment.")
        live = await asyncio.to_thread(self._deployments.live, LIVE)
        weights = {query.name: query.weight for query in request.queries}
        if unknown := [name for name in weights if name not in {query.name for query in live.read.queries}]:
            raise NotFound("unknown-query", f"No query {unknown[0][:60]} is live in this environment.")
        queries = await asyncio.to_thread(self._called, live, weights)
        asked = request.model_dump(exclude={"queries"})
        run = LoadRunRead(
            **asked,
            id=_new_id(),
            state="running",
            message=None,
            started_by=started_by,
            created_at=_now(),
            ended_at=None,
            deployment_id=live.read.id,
            queries=queries,
            seconds_done=0.0,
            has_result=False,
            is_reported=True,
        )
        self._begin(run)
        self._wait_for_reports(run.id)
        return run

    def add_reported(self, run_id: str, seconds: Sequence[LoadSecondRead]) -> LoadRunRead:
        """Take seconds of a run that is reported; ApiError 409 where it has ended. It is told where it is cancelled."""
        run = self._reported(run_id)
        if run.state in ENDED:
            raise ApiError(409, "run-ended", f"The run is {run.state}.", "Its result is still taken.")
        for second in seconds:
            self._add_second(run_id, second)
        self._wait_for_reports(run_id)
        return self.read(run_id)

    async def end_reported(self, run_id: str, result: Mapping[str, Any]) -> LoadRunRead:
        """Take the result of a run that is reported, also of one that was silent; ApiError 422 for what is none."""
        run = self._reported(run_id)
        if run.has_result:
            raise ApiError(409, "run-ended", f"The run is {run.state}, and has a result.")
        try:
            await asyncio.to_thread(self._files.take_result, run_id, result)
        except UnreadableResult as error:
            raise ApiError(422, "invalid-load-result", f"The result is refused: {error}.") from None
        if run.state in ENDED:  # it was taken for lost
            self._change(run_id, state="running")
        self._end(run_id, 0, "")
        return self.read(run_id)

    def _reported(self, run_id: str) -> LoadRunRead:
        run = self.read(run_id)
        if not run.is_reported:
            raise ApiError(409, "run-not-reported", "The workbench carries this run out itself.")
        return run

    def _wait_for_reports(self, run_id: str) -> None:
        """Take a run for lost if nothing is heard of it for a while."""
        if waiting := self._silent.pop(run_id, None):
            waiting.cancel()
        self._silent[run_id] = asyncio.get_running_loop().call_later(SILENT_SECONDS, self._lose, run_id)

    def _lose(self, run_id: str) -> None:
        self._end(run_id, 1, f"Nothing was heard of it for {SILENT_SECONDS:g} s.")

    def _begin(self, run: LoadRunRead) -> None:
        """List a run from now on."""
        self._files.save(run)
        self._runs[run.id] = run
        self._timelines[run.id] = []
        self._wake()

    async def cancel(self, run_id: str) -> LoadRunRead:
        """Stop a run; it is `cancelling` until its process has ended. ApiError 409 where it has ended already."""
        run = self.read(run_id)
        if run.state in ENDED:
            raise ApiError(409, "run-ended", f"The run is already {run.state}.")
        if run.state != "cancelling":
            self._change(run_id, state="cancelling")
            if self._process is not None and not run.is_reported:
                self._work.begin(self._process.cancel())
        return self.read(run_id)

    async def delete(self, run_id: str) -> None:
        """Delete a run that has ended; ApiError 409 for any other."""
        run = self.read(run_id)
        if run.state not in ENDED:
            raise ApiError(409, "run-under-way", f"The run is {run.state}.", "Cancel it first.")
        del self._runs[run_id]
        await asyncio.to_thread(self._files.delete, run_id)
        self._wake()

    async def result(self, run_id: str) -> LoadResultRead:
        """What came of a run; ApiError 409 where it has no result."""
        return await asyncio.to_thread(result_of, self._result(run_id), objectives_of(self.read(run_id).queries))

    async def html(self, run_id: str) -> str:
        """The page of a run, as `piql load-test --html` writes it; ApiError 409 where it has no result."""
        return await asyncio.to_thread(page_of, self._result(run_id), objectives_of(self.read(run_id).queries))

    async def compare(self, run_id: str, other_id: str) -> LoadComparisonRead:
        """A run beside a later one; ApiError 409 where one of them has no result."""
        return await asyncio.to_thread(comparison_of, self._result(run_id), self._result(other_id))

    def file(self, run_id: str, kind: str) -> Path:
        """The file of a run: `result.json`, or `run.hlog`; ApiError 409 where it has no result."""
        return self._result(run_id).with_name(kind)

    def events(self, run_id: str) -> AsyncIterator[str]:
        """The run and its seconds as server-sent events, until it has ended."""
        self.read(run_id)
        return self._events(run_id)

    async def _events(self, run_id: str) -> AsyncIterator[str]:
        """`run` at once and at each change; `seconds` with those that this listener has not been sent."""
        last, sent = None, 0
        while not self._is_closing and run_id in self._runs:
            changed, run = self._changed, self._runs[run_id]
            timeline = self._timelines.get(run_id, [])
            if run.state not in ENDED and len(timeline) > sent:
                new = [second.model_dump(mode="json") for second in timeline[sent:]]
                sent = len(timeline)
                yield f"event: seconds\ndata: {json.dumps(new)}\n\n"
            if run != last:
                yield f"event: run\ndata: {run.model_dump_json()}\n\n"
                last = run
            if run.state in ENDED:
                return
            try:
                await asyncio.wait_for(changed.wait(), SECONDS_BETWEEN_PINGS)
            except TimeoutError:
                yield ": still here\n\n"

    async def _carry_out(self, run_id: str, request: LoadRunCreate, weights: Mapping[str, float]) -> None:
        """Call the queries, from `starting` to the end."""
        folder = self._files.folder(run_id).resolve()
        result, histograms = self._files.result(run_id).resolve(), self._files.log(run_id).resolve()
        arguments = arguments_for(request, weights, result, histograms)
        try:
            self._process = await MeasuringProcess.start("load-test", arguments, folder, self._store_url)
            if self._is_closing or self._runs[run_id].state == "cancelling":
                await self._process.cancel()
            code, complaint = await self._process.follow(lambda second: self._add(run_id, second))
        except Exception:
            log.exception("load run %s", run_id)
            code, complaint = 1, "The backend failed while it supervised this run."
        finally:
            self._process = None
        self._end(run_id, code, complaint)

    def _end(self, run_id: str, code: int, complaint: str) -> None:
        """Write down how a run ended, by the exit code of its process, its file and the last line on its stderr."""
        file = self._files.result(run_id)
        has_result = code in _MEASURED and self._files.has_result(run_id)
        ended, message, seconds = (
            _ending(file)
            if has_result
            else ("failed", complaint or f"The command ended with {code}.", self._runs[run_id].seconds_done)
        )
        state = {"done": "done", "stopped": "stopped"}.get(ended, "failed")
        if self._runs[run_id].state == "cancelling":
            state, message = "cancelled", ""
        elif ended == "interrupted":
            message = "Its command was stopped." if self._runs[run_id].is_reported else _STOPPED
        changes = {"state": state, "message": message or None, "ended_at": _now(), "has_result": has_result}
        self._change(run_id, seconds_done=seconds, **changes)
        self._timelines.pop(run_id, None)
        if waiting := self._silent.pop(run_id, None):
            waiting.cancel()

    def _add(self, run_id: str, line: dict[str, Any]) -> None:
        """Take a second over; a line of another form is ignored."""
        try:
            second = LoadSecondRead.model_validate(line)
        except ValidationError:
            return
        self._add_second(run_id, second)

    def _add_second(self, run_id: str, second: LoadSecondRead) -> None:
        self._timelines[run_id].append(second)
        run = self._runs[run_id]
        changes: dict[str, Any] = {"seconds_done": min(second.at, run.seconds_total)}
        if run.state == "starting":
            changes["state"] = "running"
        self._change(run_id, **changes)

    def _called(self, live: LiveDeployment, weights: Mapping[str, float]) -> list[LoadedQueryRead]:
        """The queries of a run beside what is promised and predicted of them now."""
        slos = {slo.query: slo for slo in self._slos.list()}
        queries = {query.name: query for query in live.read.queries}
        return [
            LoadedQueryRead(
                name=name,
                kind=queries[name].kind,
                weight=weight,
                bound_operations=queries[name].operations,
                predicted_p99_ms=queries[name].predicted_p99_ms,
                slo_quantile=slos[name].quantile if name in slos else None,
                slo_threshold_ms=slos[name].threshold_ms if name in slos else None,
            )
            for name, weight in weights.items()
        ]

    def _refuse_beside_others(self) -> None:
        """Raise ApiError 409 where another measurement would be disturbed."""
        if self._is_closing:
            raise ApiError(409, "closing", "The environment is being closed.", "Try again in a moment.")
        if any(run.state not in ENDED and not run.is_reported for run in self._runs.values()):
            raise ApiError(409, "load-run-under-way", "A load run is under way here.", "Wait for it, or cancel it.")
        if self._is_measuring():
            message = "A profile run measures the store: load would change what it measures."
            raise ApiError(409, "measuring", message, "Wait for it, or cancel it.")

    def _result(self, run_id: str) -> Path:
        run = self.read(run_id)
        if not run.has_result:
            raise ApiError(409, "run-without-result", f"The run is {run.state}, and has no result.")
        return self._files.result(run_id)

    def _change(self, run_id: str, **changes: Any) -> None:
        """Change fields of a run, and wake all who follow it; a new state is saved."""
        before = self._runs[run_id]
        self._runs[run_id] = before.model_copy(update=changes)
        if self._runs[run_id].state != before.state:
            self._files.save(self._runs[run_id])
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def _ending(file: Path) -> tuple[str, str, float]:
    """How a result says that its run ended, why, and after how many seconds."""
    content = json.loads(file.read_text(encoding="utf-8"))
    return str(content["ended"]), str(content["message"]), float(content["seconds"])


def _new_id() -> str:
    return f"load-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def _now() -> datetime:
    return datetime.now(UTC)
