"""Bursts: a few threads that run one query over and over with parameters drawn from the data.

    running  →  done        all executions have ended
             →  cancelled   by the user, or because the backend was stopped
             →  failed      the store failed many times in a row, another version was deployed, or a thread ended by
                            an exception

The state changes at once; executions under way still end, and only then is `ended_at` set.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, TypeAlias

import numpy as np
from piql.errors import DeployedMeanwhile, PiqlError
from piql_profiler.measure.sampling import ParameterSampler

from piql_backend.bursts.schemas import BurstCreate, BurstErrorRead, BurstRead, ParameterSourceRead
from piql_backend.executions.service import Executions, Job
from piql_backend.web.background_work import BackgroundWork
from piql_backend.web.errors import ApiError, NotFound, from_engine
from piql_backend.web.pages import Listing, Page, PageWish

KEPT = 50  # bursts that are remembered
_MOST_FAULTS = 20  # store failures one after the other that end a burst

_State: TypeAlias = Literal["running", "done", "cancelled", "failed"]


@dataclass
class _Burst:
    """A burst, under way or ended; the threads change it under `lock`.

    `claimed` counts the executions that a thread has begun, `done` those that have ended, also in an error. Errors are
    counted by their code. `seconds` is how long the whole burst took, None while it runs. The sampler is used by one
    thread at a time, under `drawing`.
    """

    number: int
    request: BurstCreate
    job: Job
    sampler: ParameterSampler
    started_at: datetime
    started: float
    state: _State = "running"
    claimed: int = 0
    done: int = 0
    latencies_ms: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    first_messages: dict[str, str] = field(default_factory=dict)
    faults_in_a_row: int = 0
    message: str | None = None
    ended_at: datetime | None = None
    seconds: float | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    drawing: threading.Lock = field(default_factory=threading.Lock)

    @property
    def id(self) -> str:
        return f"b{self.number}"

    def claim(self) -> bool:
        """Take the next execution; False where none is left or the burst was stopped."""
        with self.lock:
            if self.state != "running" or self.claimed >= self.request.executions:
                return False
            self.claimed += 1
            return True


_BURSTS = Listing[_Burst, int]("bursts", int, lambda burst: burst.number, is_descending=True)


class Bursts:
    """One burst at a time; those of this start of the backend are remembered."""

    def __init__(self, executions: Executions) -> None:
        self._executions = executions
        self._bursts: dict[str, _Burst] = {}
        self._number = 0
        self._work = BackgroundWork()

    @property
    def is_under_way(self) -> bool:
        """Whether executions of a burst still run."""
        return any(burst.ended_at is None for burst in self._bursts.values())

    async def close(self) -> None:
        """Stop the burst under way."""
        for burst in self._bursts.values():
            _stop(burst, "cancelled", "The backend was stopped.")
        await self._work.wait()

    def page(self, wish: PageWish) -> Page[BurstRead]:
        page = _BURSTS.page_of(wish, self._bursts.values())
        return Page(items=[_read(burst) for burst in page.items], next=page.next)

    def read(self, burst_id: str) -> BurstRead:
        return _read(self._burst(burst_id))

    async def create(self, request: BurstCreate) -> BurstRead:
        """Start a burst and return at once.

        Raises ApiError 404 or 409 as the deployment says, 422 for a query that writes without `allow_writes`, and 409
        while another burst runs.
        """
        job = await asyncio.to_thread(self._executions.job, request.deployment_id, request.query)
        if job.query.kind != "select" and not request.allow_writes:
            message = f"{job.query.name} writes: a burst of it would change the data."
            raise ApiError(422, "burst-writes", message, "To run it anyway, send allow_writes.")
        sampler = await asyncio.to_thread(self._executions.sampler, job)
        running = next((burst for burst in self._bursts.values() if burst.ended_at is None), None)
        if running is not None:
            raise ApiError(409, "burst-under-way", f"A burst of {running.request.query} is under way.", "Wait for it.")
        self._number += 1
        burst = _Burst(self._number, request, job, sampler, datetime.now(UTC), time.perf_counter())
        self._bursts[burst.id] = burst
        while len(self._bursts) > KEPT:
            del self._bursts[next(iter(self._bursts))]
        self._work.begin(self._carry_out(burst))
        return _read(burst)

    def cancel(self, burst_id: str) -> BurstRead:
        """Stop a burst; ApiError 404 where there is none of that id, 409 where it has ended."""
        burst = self._burst(burst_id)
        if burst.state != "running":
            raise ApiError(409, "burst-ended", f"The burst is already {burst.state}.")
        _stop(burst, "cancelled", None)
        return _read(burst)

    async def _carry_out(self, burst: _Burst) -> None:
        """Run a burst in threads of its own, until all of them have ended."""
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(burst.request.concurrency, thread_name_prefix=burst.id) as threads:
            workers = [loop.run_in_executor(threads, self._repeat, burst) for _ in range(burst.request.concurrency)]
            results = await asyncio.gather(*workers, return_exceptions=True)
        faults = [result for result in results if isinstance(result, BaseException)]
        if faults:
            _stop(burst, "failed", f"A thread ended by {type(faults[0]).__name__}: {faults[0]}")
        _stop(burst, "done", None)
        burst.seconds = time.perf_counter() - burst.started
        burst.ended_at = datetime.now(UTC)

    def _repeat(self, burst: _Burst) -> None:
        """What one thread does: executions, one after the other, until none is left."""
        while burst.claim():
            with burst.drawing:
                parameters = burst.sampler.draw()
            try:
                _, page = self._executions.run_drawn(burst.job, parameters)
            except DeployedMeanwhile:
                _stop(burst, "failed", f"{burst.job.live.read.id} has been replaced: begin again with what is live.")
            except PiqlError as error:
                _count_error(burst, error)
            else:
                with burst.lock:
                    burst.done += 1
                    burst.faults_in_a_row = 0
                    burst.latencies_ms.append(page.elapsed_ms)

    def _burst(self, burst_id: str) -> _Burst:
        if burst_id not in self._bursts:
            raise NotFound("unknown-burst", f"There is no burst {burst_id} since the backend started.")
        return self._bursts[burst_id]


def _count_error(burst: _Burst, error: PiqlError) -> None:
    """Count an execution that failed; many failures of the store in a row end the burst."""
    refusal = from_engine(error)
    with burst.lock:
        burst.done += 1
        burst.errors[refusal.code] += 1
        burst.first_messages.setdefault(refusal.code, refusal.body.message)
        burst.faults_in_a_row = burst.faults_in_a_row + 1 if refusal.status >= 500 else 0
        is_hopeless = burst.faults_in_a_row >= _MOST_FAULTS
    if is_hopeless:
        _stop(burst, "failed", refusal.body.message)


def _stop(burst: _Burst, state: _State, message: str | None) -> None:
    """Change the state of a burst that still runs; one that was stopped keeps its state."""
    with burst.lock:
        if burst.state == "running":
            burst.state, burst.message = state, message


def _read(burst: _Burst) -> BurstRead:
    with burst.lock:
        latencies = np.array(burst.latencies_ms)
        seconds = burst.seconds or time.perf_counter() - burst.started
        p50, p99 = np.quantile(latencies, [0.5, 0.99]) if len(latencies) else (None, None)
        return BurstRead(
            id=burst.id,
            deployment_id=burst.job.live.read.id,
            query=burst.job.query.name,
            state=burst.state,
            executions=burst.request.executions,
            concurrency=burst.request.concurrency,
            done=burst.done,
            total=burst.request.executions,
            errors=[
                BurstErrorRead(code=code, count=count, message=burst.first_messages[code])
                for code, count in burst.errors.most_common()
            ],
            p50_ms=None if p50 is None else float(p50),
            p99_ms=None if p99 is None else float(p99),
            executions_per_second=burst.done / seconds if seconds > 0 and burst.done else None,
            parameter_sources=[
                ParameterSourceRead(parameter=parameter, source=source)
                for parameter, source in burst.sampler.sources.items()
            ],
            message=burst.message,
            started_at=burst.started_at,
            ended_at=burst.ended_at,
        )
