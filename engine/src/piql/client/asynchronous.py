"""The same database for asyncio: each call is one hop to a thread of its own pool and back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from piql.client.connecting import connect
from piql.client.database import Database, Page, Progress, Session, Strategy
from piql.client.tokens import Guarantee
from piql.compiler.result import Compilation
from piql.errors import StoreUnavailable
from piql.forking import renew_in_children
from piql.runtime.deployment import Deployment
from piql.runtime.execution.observation import Observer
from piql.runtime.execution.supplied import Now
from piql.runtime.writing.bulk import BATCH
from piql.store.base import Consistency
from piql.telemetry.exporter import PrometheusExporter
from piql.versions.change.build import Build

T = TypeVar("T")
_THREADS = 8  # calls of one database that run at the same time


class InThread(Protocol):
    """Does blocking work in a thread, and returns its result."""

    async def __call__(self, work: Callable[[], T]) -> T: ...


class AsyncDatabase:
    """The database that `aconnect` opens: each method awaits that of the same name in `Database`, in a thread."""

    def __init__(self, database: Database, pool: ThreadPoolExecutor) -> None:
        self._database = database
        self._pool = pool
        self._is_closed = False
        renew_in_children(self, AsyncDatabase._renew)

    def _renew(self) -> None:
        """Start threads anew: those of the pool are the parent's."""
        self._pool = _new_pool()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _call(self, work: Callable[[], T]) -> T:
        if self._is_closed:
            raise StoreUnavailable("the store has been closed")
        run = copy_context().run  # what is current in the task, such as a span, is current in the thread
        return await asyncio.get_running_loop().run_in_executor(self._pool, run, work)

    async def close(self) -> None:
        if self._is_closed:
            return
        await self._call(self._database.close)
        self._is_closed = True
        self._pool.shutdown(wait=False)

    async def deployment(self) -> Deployment:
        return await self._call(lambda: self._database.deployment)

    async def deploy(self, compilation: Compilation, forget: Iterable[str] = ()) -> Deployment:
        return await self._call(lambda: self._database.deploy(compilation, forget))

    async def begin_deploy(
        self, compilation: Compilation, forget: Iterable[str] = (), rows_per_second: float | None = None
    ) -> Build:
        """Do `Database.deploy(…, background=True)`. Each method of the `Build` blocks for a request."""
        return await self._call(
            lambda: self._database.deploy(compilation, forget, background=True, rows_per_second=rows_per_second)
        )

    async def rollback(self) -> Deployment:
        return await self._call(self._database.rollback)

    async def build(self) -> Build | None:
        return await self._call(lambda: self._database.build)

    async def load(
        self,
        table: str,
        rows: Iterable[Mapping[str, Any]],
        progress: Progress | None = None,
        batch_rows: int = BATCH,
        resume: str | None = None,
    ) -> int:
        return await self._call(lambda: self._database.load(table, rows, progress, batch_rows, resume))

    async def execute(
        self,
        name: str,
        parameters: Mapping[str, object] | None = None,
        cursor: str | None = None,
        strategy: Strategy | None = None,
        consistency: Consistency | None = None,
        snapshot: bool = False,
        version: int | None = None,
    ) -> Page:
        return await self._call(
            lambda: self._database.execute(name, parameters, cursor, strategy, consistency, snapshot, version)
        )

    async def run(
        self,
        text: str,
        parameters: Mapping[str, object] | None = None,
        cursor: str | None = None,
        consistency: Consistency | None = None,
        snapshot: bool = False,
    ) -> Page:
        return await self._call(lambda: self._database.run(text, parameters, cursor, consistency, snapshot))

    async def some_rows(self, table: str, columns: Iterable[str], most: int) -> list[tuple[Any, ...]]:
        return await self._call(lambda: self._database.some_rows(table, columns, most))

    async def headroom(self, table: str, group: Mapping[str, object], consistency: Consistency | None = None) -> int:
        return await self._call(lambda: self._database.headroom(table, group, consistency))

    def session(
        self, token: str | None = None, guarantees: Iterable[Guarantee] = ("read-your-writes", "monotonic-reads")
    ) -> AsyncSession:
        """Begin a session, or go on with one whose token was kept."""
        return AsyncSession(self._call, self._database.session(token, guarantees))


class AsyncSession:
    """The session of an `AsyncDatabase`: each method awaits that of the same name in `Session`, in a thread."""

    def __init__(self, call: InThread, session: Session) -> None:
        self._call = call
        self._session = session

    @property
    def token(self) -> str:
        return self._session.token

    async def execute(
        self,
        name: str,
        parameters: Mapping[str, object] | None = None,
        cursor: str | None = None,
        strategy: Strategy | None = None,
        snapshot: bool = False,
        version: int | None = None,
    ) -> Page:
        return await self._call(lambda: self._session.execute(name, parameters, cursor, strategy, snapshot, version))

    async def run(
        self,
        text: str,
        parameters: Mapping[str, object] | None = None,
        cursor: str | None = None,
        snapshot: bool = False,
    ) -> Page:
        return await self._call(lambda: self._session.run(text, parameters, cursor, snapshot))

    async def load(
        self,
        table: str,
        rows: Iterable[Mapping[str, Any]],
        progress: Progress | None = None,
        batch_rows: int = BATCH,
        resume: str | None = None,
    ) -> int:
        return await self._call(lambda: self._session.load(table, rows, progress, batch_rows, resume))


def _new_pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_THREADS, thread_name_prefix="piql")


class Connecting:
    """A database about to be opened: await it, or enter it with `async with`."""

    def __init__(
        self,
        url: str,
        observer: Observer | None,
        strategy: Strategy,
        consistency: Consistency | None,
        version: int | None,
        now: Now | None,
        report: str | None,
        token: str | None,
        otel: bool | None,
        exporter: PrometheusExporter | None,
        canary: bool,
    ) -> None:
        self._open = lambda: connect(
            url, observer, strategy, consistency, version, now, report, token, otel, exporter, canary
        )
        self._database: AsyncDatabase | None = None

    async def _opened(self) -> AsyncDatabase:
        pool = _new_pool()
        self._database = AsyncDatabase(await asyncio.get_running_loop().run_in_executor(pool, self._open), pool)
        return self._database

    def __await__(self) -> Generator[Any, None, AsyncDatabase]:
        return self._opened().__await__()

    async def __aenter__(self) -> AsyncDatabase:
        return await self._opened()

    async def __aexit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._database is not None:
            await self._database.close()


def aconnect(
    url: str,
    observer: Observer | None = None,
    strategy: Strategy = "parallel",
    consistency: Consistency | None = None,
    version: int | None = None,
    now: Now | None = None,
    report: str | None = None,
    token: str | None = None,
    otel: bool | None = None,
    exporter: PrometheusExporter | None = None,
    canary: bool = False,
) -> Connecting:
    """Open a database for asyncio: `db = await piql.aconnect(url)`, or `async with piql.aconnect(url) as db`.

    The arguments and what is raised are those of `connect`.
    """
    return Connecting(url, observer, strategy, consistency, version, now, report, token, otel, exporter, canary)
