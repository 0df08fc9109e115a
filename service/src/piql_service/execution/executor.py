"""Executes deployed queries for the event loop of one worker.

                           on the event loop     in a thread
reads of a file            up to INLINE_MOST     larger ones
reads of a cluster         —                     all
writes                     —                     all, since they wait for the disk and for other writers

A hop to a thread and back costs more than a small read of a file.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from time import monotonic, perf_counter
from typing import Any

import piql
from piql.client.database import Database
from piql.store.base import Consistency

from piql_service.contract.deployed_set import ServedQuery
from piql_service.contract.values import encoded
from piql_service.execution.deadlines import DeadlinePassed, DeadlineStore
from piql_service.execution.shared_reads import SharedReads
from piql_service.metrics.tallies import Tallies

INLINE_MOST = 500  # requests of a bound
THREADS = 16


@dataclass(frozen=True, slots=True)
class Request:
    """One request for a query, with the body that it came in, by which equal ones are known.

    `deadline` is by the monotonic clock, infinite for none. `session` is a token, empty for a new session.
    """

    query: ServedQuery
    body: bytes
    parameters: Mapping[str, object]
    cursor: str | None = None
    consistency: Consistency | None = None
    session: str | None = None
    deadline: float = math.inf


@dataclass(frozen=True, slots=True)
class Answer:
    """An execution's page as JSON, with the cursor of the next one, and the token of the session where there is one."""

    body: bytes
    cursor: str | None
    session: str | None = None


class Executor:
    """Executes for one event loop; `deadlines` is the store in front of the database's, where it has one."""

    def __init__(
        self,
        database: Database,
        tallies: Tallies,
        *,
        is_inline: bool,
        deadlines: DeadlineStore | None = None,
        threads: int = THREADS,
    ) -> None:
        self._database = database
        self._tallies = tallies
        self._is_inline = is_inline
        self._deadlines = deadlines
        self._reads = SharedReads[Answer]()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="query")

    def close(self) -> None:
        """Wait for the executions that have begun."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    async def execute(self, request: Request) -> Answer:
        """Execute a request with the query of its version; raise the PiqlError of the engine, or DeadlinePassed."""
        if request.deadline <= monotonic():
            raise _too_late(request.query, has_begun=False)
        answer = self._begin(request)
        if math.isinf(request.deadline):
            return await answer
        try:
            return await asyncio.wait_for(asyncio.shield(answer), max(0.0, request.deadline - monotonic()))
        except TimeoutError:
            answer.add_done_callback(_forget)
            raise _too_late(request.query, has_begun=True) from None

    def _begin(self, request: Request) -> asyncio.Future[Answer]:
        query = request.query
        if query.is_write or request.session is not None:
            deadline = None if math.isinf(request.deadline) else request.deadline
            return self._in_thread(request, deadline)
        is_inline = self._is_inline and query.operations <= INLINE_MOST
        answer, has_joined = self._reads.join(
            (query.name, query.version, request.consistency, request.body, request.cursor),
            partial(self._inline if is_inline else self._in_thread, request),
            may_be_older=may_be_older(request),
            deadline=request.deadline,
        )
        if has_joined:
            self._tallies.joined[query.name] += 1
        return answer

    def _inline(self, request: Request, deadline: float | None) -> Answer:
        if deadline is not None and deadline <= monotonic():
            raise _too_late(request.query, has_begun=False)
        started = perf_counter()
        query = request.query
        page = self._database.execute(
            query.name, request.parameters, request.cursor, None, request.consistency, version=query.version
        )
        self._tallies.executed(request.query.name, perf_counter() - started, page.operations)
        return Answer(_body(page), page.cursor)

    def _in_thread(self, request: Request, deadline: float | None) -> asyncio.Future[Answer]:
        work = asyncio.get_running_loop().run_in_executor(self._pool, self._execute, request, deadline)

        async def answer() -> Answer:
            answer, seconds, operations = await work
            self._tallies.executed(request.query.name, seconds, operations)
            return answer

        return asyncio.ensure_future(answer())

    def _execute(self, request: Request, deadline: float | None) -> tuple[Answer, float, int]:
        """Execute in a thread; return the answer, the seconds and the requests that it took."""
        query = request.query
        if deadline is not None and deadline <= monotonic():
            raise _too_late(query, has_begun=False)
        limited = self._deadlines.until(deadline) if self._deadlines is not None else nullcontext()
        started = perf_counter()
        session = None if request.session is None else self._database.session(request.session or None)
        with limited:
            if session is None:
                page = self._database.execute(
                    query.name, request.parameters, request.cursor, None, request.consistency, version=query.version
                )
            else:
                page = session.execute(query.name, request.parameters, request.cursor, version=query.version)
        token = None if session is None else session.token
        return Answer(_body(page), page.cursor, token), perf_counter() - started, page.operations


def _forget(answer: asyncio.Future[Answer]) -> None:
    """Look at a failure that nobody waits for any more, or asyncio would log it."""
    if not answer.cancelled():
        answer.exception()


def may_be_older(request: Request) -> bool:
    """Return whether an answer that was begun before the request may be given: only where it asks one copy."""
    level = request.query.read
    asks_one_copy = request.consistency == "eventual" or (level == "eventual" and request.consistency is None)
    return asks_one_copy and level != "quorum"


def _body(page: piql.Page) -> bytes:
    answer: dict[str, Any] = {
        "rows": page.rows,
        "cursor": page.cursor,
        "rows_affected": page.rows_affected,
        "operations": page.operations,
    }
    return encoded(answer)


def _too_late(query: ServedQuery, *, has_begun: bool) -> DeadlinePassed:
    if not has_begun:
        return DeadlinePassed(f"{query.name}: the deadline passed before the store was asked")
    if query.is_write:
        return DeadlinePassed(f"{query.name}: the deadline passed while the write was made: it may be made or not")
    return DeadlinePassed(f"{query.name}: the deadline passed before the store had answered")
