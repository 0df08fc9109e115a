"""A few worker processes, each with a thread of the server that hands it one job after the other.

    submit  →  waiting jobs  →  thread of slot 0  ⇄  process       small jobs, by the names of their files
                             →  thread of slot 1  ⇄  process       large jobs, and small ones when many wait

Small jobs with the same files go to the same worker, which has them in its caches; large jobs go to the last worker.
Workers have a lower priority than the server, the last one the lowest. That one starts with the first job for it: many
workbenches never have one, and a start takes a second of the processor. A worker that takes too much time or memory, or
that ends, is replaced.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, TypeAlias

from fastapi import Response

from piql_backend.settings import WorkerLimits
from piql_backend.web.errors import ApiError, ErrorRead
from piql_backend.web.gone_clients import gone, unless_gone
from piql_backend.web.schemas import SourceFile
from piql_backend.workers.protocol import READY, Answer, GiveUp, Job

log = logging.getLogger(__name__)

Tell: TypeAlias = Callable[[bytes], object]

LARGE_BYTES = 100_000  # of text; a job with more is large
MOST_WAITING = 200
MOST_WAITING_BYTES = 50_000_000
TOO_COSTLY = "text-too-costly"
_HELP_AFTER = 4  # when more small jobs wait than this, every worker takes them
_START_SECONDS = 600.0  # many times what a starved worker takes; one that ended is seen at once
_MOST_WALL_TIME = 10  # times the processor time that a job may take
NICENESS = 5  # of workers, beyond the server's: where both compete for a processor, the server gets three quarters
NICENESS_OF_LARGE = 10  # of the worker for large jobs


@dataclass(frozen=True, slots=True, eq=False)
class _WaitingJob:
    """A job that no worker has begun; `bytes` is the size of its texts, `slot` the worker that it is meant for."""

    name: str
    argument: Any
    bytes: int
    slot: int
    tell: Tell  # is given parts of the result that are known early
    future: Future[Any]  # of the job's result


class WorkerPool:
    """Carries out the jobs of `jobs.py` in processes; may be used from all threads and event loops.

    `done` counts jobs that were answered, `given_up` those that were begun and that nobody waited for any more,
    `ended_early` the workers that were lost while they did a job.
    """

    def __init__(self, limits: WorkerLimits | None = None) -> None:
        self.limits = limits or WorkerLimits()
        self.done = self.given_up = self.ended_early = 0
        self._waiting: list[_WaitingJob] = []
        self._changed = threading.Condition()
        self._is_closing = False
        self._processes: dict[int, _Process] = {}
        self._threads = [
            threading.Thread(target=self._work, args=(slot,), name=f"worker-{slot}", daemon=True)
            for slot in range(self.limits.workers)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def waiting(self) -> int:
        """How many jobs no worker has begun."""
        return len(self._waiting)

    @property
    def is_at_work(self) -> bool:
        """Whether some worker carries out a job."""
        return any(process.is_at_work for process in list(self._processes.values()))

    def close(self) -> None:
        """End all workers, if they have not ended yet; jobs that wait are refused with ApiError 503."""
        with self._changed:
            self._is_closing = True
            refused, self._waiting = self._waiting, []
            for process in self._processes.values():
                process.end()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        for job in refused:
            if job.future.set_running_or_notify_cancel():
                job.future.set_exception(_refusal("closing", "The workbench is being stopped."))

    def submit(
        self, name: str, argument: object, texts: Mapping[str, str], tell: Tell = lambda part: None
    ) -> Future[Any]:
        """Queue a job about texts, given by the names of their files; ApiError 503 when too much is waiting already.

        `tell` is called in a thread of the pool, before the future is set, with what the job gives early.
        The future raises ApiError 422 where the job takes too much, 503 where its worker is lost or the pool is closed,
        and the refusals of the job itself.
        """
        size = sum(map(len, texts.values()))
        job = _WaitingJob(name, argument, size, self._slot_for(texts, size), tell, Future())
        with self._changed:
            if self._is_closing:
                raise _refusal("closing", "The workbench is being stopped.")
            waiting_bytes = sum(waiting.bytes for waiting in self._waiting)
            if len(self._waiting) >= MOST_WAITING or waiting_bytes + size > MOST_WAITING_BYTES:
                raise _refusal("busy", "Too many texts are waiting to be compiled.")
            self._waiting.append(job)
            self._changed.notify_all()
        job.future.add_done_callback(lambda future: self._drop(job) if future.cancelled() else None)
        return job.future

    def _drop(self, job: _WaitingJob) -> None:
        """Forget a job that was cancelled before a worker took it."""
        with self._changed:
            if job in self._waiting:
                self._waiting.remove(job)

    async def answer(self, name: str, argument: object, files: Sequence[SourceFile]) -> Response:
        """The JSON that a job makes; no thread of the server waits for it."""
        return await self.answer_about(name, argument, {file.path: file.text for file in files})

    async def answer_about(self, name: str, argument: object, texts: Mapping[str, str]) -> Response:
        """The JSON that a job makes of texts; those of the same names are given to the same worker.

        Once the client of the request has gone, ApiError 499 is raised: a job that waits is dropped, one that is under
        way is given up.
        """
        future = self.submit(name, argument, texts)
        try:
            return Response(await unless_gone(future), media_type="application/json")
        finally:
            self.give_up(future)

    def give_up(self, future: Future[Any]) -> None:
        """Drop a job that nobody waits for: it is not begun, or its worker is told; nothing if it has ended."""
        if future.cancel():
            return
        with self._changed:
            processes = list(self._processes.values())
        for process in processes:
            process.give_up(future)

    def _slot_for(self, names: Iterable[str], size: int) -> int:
        last = self.limits.workers - 1
        if size > LARGE_BYTES or last == 0:
            return last
        return zlib.crc32("\0".join(names).encode()) % last

    def _work(self, slot: int) -> None:
        """What the thread of a worker does: it starts the process, again when it was lost, and hands it jobs."""
        is_for_large = slot == self.limits.workers - 1 and slot > 0
        if is_for_large:
            self._wait_for_job(slot)
        while True:
            with self._changed:
                if self._is_closing:
                    return
                process = self._processes.get(slot)
            if process is None:
                self._start(slot, NICENESS_OF_LARGE if is_for_large else NICENESS)
                continue
            job = self._next(slot)
            if job is None:
                return
            if job.future.set_running_or_notify_cancel():
                self._carry_out(slot, process, job)

    def _start(self, slot: int, niceness: int) -> None:
        """Start the process of a worker; after one that does not start, refuse what waits for it, and wait a second."""
        try:
            process = _Process(self.limits.megabytes, niceness)
        except OSError as error:  # such as too many open files, or no memory
            self._rest(slot, error.strerror or str(error))
            return
        with self._changed:
            self._processes[slot] = process
            is_closing = self._is_closing
        if is_closing:
            process.end()
        elif not process.is_ready():
            self._lose(slot, process)
            self._rest(slot, "it ended, or took too long")

    def _rest(self, slot: int, reason: str) -> None:
        """Refuse the jobs for a worker that did not start, and wait a second: its requests would wait without end."""
        with self._changed:
            refused = [] if self._is_closing else [job for job in self._waiting if job.slot == slot]
            self._waiting = [job for job in self._waiting if job not in refused]
            if not self._is_closing:
                log.error("a worker does not start: %s", reason)
        for job in refused:
            if job.future.set_running_or_notify_cancel():
                job.future.set_exception(_refusal("no-worker", f"A process to work at this does not start: {reason}."))
        with self._changed:
            self._changed.wait_for(lambda: self._is_closing, timeout=1.0)

    def _next(self, slot: int) -> _WaitingJob | None:
        """Wait for a job for this worker; None when the pool is closed."""
        with self._changed:
            self._wait_for_job(slot)
            job = None if self._is_closing else self._first_for(slot)
            if job is not None:
                self._waiting.remove(job)
            return job

    def _wait_for_job(self, slot: int) -> None:
        """Wait until there is a job for this worker, or the pool is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closing or self._first_for(slot) is not None)

    def _first_for(self, slot: int) -> _WaitingJob | None:
        for_this_worker = next((job for job in self._waiting if job.slot == slot), None)
        if for_this_worker is not None:
            return for_this_worker
        small = [job for job in self._waiting if job.bytes <= LARGE_BYTES]
        return small[0] if len(small) > _HELP_AFTER else None

    def _carry_out(self, slot: int, process: _Process, job: _WaitingJob) -> None:
        """Hand a job to the process, and set its future; a process that fails is replaced."""
        try:
            answer = process.ask(Job(job.name, job.argument, self.limits.seconds), job)
        except TimeoutError:
            self._lose(slot, process)
            job.future.set_exception(_too_costly(f"{self.limits.seconds:g} s of processor time"))
            return
        except (EOFError, OSError):
            self._lose(slot, process)
            job.future.set_exception(_refusal("worker-lost", "The process that worked on this has ended."))
            return
        if answer.kind == "given up":
            self.given_up += 1
        else:
            self.done += 1
        if answer.is_last:
            self._lose(slot, process, is_planned=answer.kind != "memory")
        match answer.kind:
            case "done":
                job.future.set_result(answer.value)
            case "given up":
                job.future.set_exception(gone())
            case "refused":
                status, body = answer.value
                job.future.set_exception(ApiError.of(status, ErrorRead.model_validate_json(body)))
            case "memory":
                job.future.set_exception(_too_costly(f"{self.limits.megabytes} MB"))
            case "fault":
                job.future.set_exception(RuntimeError(f"in a worker: {answer.value}"))

    def _lose(self, slot: int, process: _Process, is_planned: bool = False) -> None:
        """End a process, so that another is started in its place."""
        process.end()
        if not is_planned:
            self.ended_early += 1
        with self._changed:
            self._processes.pop(slot, None)


class _Process:
    """One worker: a program of its own, never a fork of the server, which has an open store."""

    def __init__(self, megabytes: int, niceness: int) -> None:
        server_end, worker_end = socket.socketpair()
        with server_end, worker_end:
            arguments = (str(worker_end.fileno()), str(megabytes), str(niceness))
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "piql_backend.worker_process.process", *arguments],
                pass_fds=(worker_end.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                process_group=0,  # Ctrl-C is for the server; Linux compares niceness only within a session
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
            )
            self._connection = Connection(server_end.detach())
        self._sending = threading.Lock()
        self._sent = 0  # jobs
        self._under_way: Future[Any] | None = None  # the last of them, until it is answered

    @property
    def is_at_work(self) -> bool:
        return self._under_way is not None

    def is_ready(self) -> bool:
        """Wait until the worker says that it is ready; False where it ends or takes too long."""
        with suppress(EOFError, OSError):
            return self._connection.poll(_START_SECONDS) and self._connection.recv() == READY
        return False

    def ask(self, job: Job, waiting: _WaitingJob) -> Answer:
        """The worker's answer, after the parts that it tells early.

        TimeoutError when it is late, EOFError or OSError when the worker has ended.
        """
        try:
            with self._sending:
                self._connection.send(job)
                self._sent += 1
                self._under_way = waiting.future
            answer = self._received(job.seconds)
            while answer.kind == "part":
                waiting.tell(answer.value)
                answer = self._received(job.seconds)
        except (EOFError, OSError):
            if self._process.wait() == -signal.SIGPROF:  # its own timer of processor time ended it
                raise TimeoutError from None
            raise
        with self._sending:
            self._under_way = None
        return answer

    def _received(self, seconds: float) -> Answer:
        if not self._connection.poll(seconds * _MOST_WALL_TIME):
            raise TimeoutError
        answer = self._connection.recv()
        assert isinstance(answer, Answer)
        return answer

    def give_up(self, future: Future[Any]) -> None:
        """Tell the worker that nobody waits for a job, if it is the one under way."""
        with self._sending, suppress(OSError):  # a worker that has ended does nothing any more
            if self._under_way is future:
                self._connection.send(GiveUp(self._sent))

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


def _too_costly(limit: str) -> ApiError:
    message = f"This takes more than {limit}, the most that is allowed for one set of files."
    return ApiError(422, TOO_COSTLY, message, "Split it into smaller sets of files.")


def _refusal(code: str, message: str) -> ApiError:
    return ApiError(503, code, message, "Try again in a moment.")
