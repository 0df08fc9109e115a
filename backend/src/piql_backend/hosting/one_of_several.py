"""The application of one of several servers: it hands on to the writer, until it becomes the writer itself.

start    →  the lock of the data folder is free    →  opens the workbench, and says so in the database
         →  another server has it                  →  answers what it can by itself, and hands on the rest
later    →  the lock becomes free, as the system does when its process ends, however it ends  →  as at the start
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from piql_backend.app import create_app
from piql_backend.data_folder.lock import DataInUse, DataLock
from piql_backend.hosting.folder_id import folder_id, given_folder_id
from piql_backend.hosting.follower import Follower, is_answered_here
from piql_backend.hosting.forwarding import Forwarding
from piql_backend.hosting.writer_notice import Writer, WriterNotice, refuse_other_folder
from piql_backend.people.opening import open_people
from piql_backend.settings import Settings
from piql_backend.web.errors import ApiError
from piql_backend.web.prefix import BelowPrefix
from piql_backend.web.request_limit import RequestLimit
from piql_backend.web.trusted_proxies import TrustedProxies
from piql_backend.workbench import Workbench
from piql_backend.workers.pool import WorkerPool

log = logging.getLogger(__name__)

_SECONDS_BETWEEN_LOOKS = 0.25  # at the lock
_SECONDS_BETWEEN_READS = 1.0  # of who the writer is: one that ended takes no connection, so nothing is sent to it
_SECONDS_AFTER_FAILURE = 5.0  # until the workbench is opened once more


class OneOfSeveral:
    """An ASGI application. Raises ValueError where the people cannot be read, or are those of another data folder."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._people = open_people(settings.data, settings.metadata)
        self._notice = WriterNotice(self._people.database)
        try:
            noted = self._notice.read()
            if noted is not None:
                refuse_other_folder(noted.folder, folder_id(settings.data), self._people.database.name)
        except BaseException:
            self._people.close()
            raise
        self._workers = WorkerPool(settings.worker_limits)
        self._address = settings.peer_address or _own_address(settings)
        self._workbench: Workbench | None = None
        self._address_read: tuple[str | None, float] = (None, 0.0)
        self._forwarding = Forwarding(self._address_of_writer, settings.trust_proxy_user)
        proxied = TrustedProxies(RequestLimit(self._forwarding), settings.trusted_proxies, settings.trust_proxy_user)
        self._handing_on: ASGIApp = proxied
        self._app: FastAPI | None = None
        self._prefixed = BelowPrefix(self._answer, settings.root_path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(self._running, receive, send)
        else:
            await self._prefixed(scope, receive, send)

    async def end(self) -> None:
        """End what would delay the shutdown: streams, and texts that wait to be compiled."""
        if self._workbench is not None:
            self._workbench.environments.end_streams()
        await asyncio.to_thread(self._workers.close)

    @property
    def is_writer(self) -> bool:
        return self._workbench is not None

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        assert app is not None, "requests come once the application is started"
        is_here = self.is_writer or is_answered_here(str(scope.get("method", "SOCKET")), scope["path"])
        await (app if is_here else self._handing_on)(scope, receive, send)

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[None]:
        """Follow, or write, until the end."""
        async with AsyncExitStack() as stack:
            stack.push_async_callback(asyncio.to_thread, self._people.close)
            stack.push_async_callback(asyncio.to_thread, self._workers.close)
            stack.push_async_callback(self._forwarding.close)
            if not await self._become_writer(stack):
                follower = create_app(self._settings, Follower(self._people, self._workers))
                await stack.enter_async_context(follower.router.lifespan_context(follower))
                self._app = follower
                log.info("another server has the data folder: requests about it are handed on")
                watching = asyncio.ensure_future(self._watch(stack))
                stack.push_async_callback(_ended, watching)
            yield

    async def _watch(self, stack: AsyncExitStack) -> None:
        """Become the writer once the lock is free."""
        while True:
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
            try:
                if await self._become_writer(stack):
                    return
            except Exception:
                log.exception("the lock was free, and the workbench could not be opened")
                await asyncio.sleep(_SECONDS_AFTER_FAILURE)

    async def _become_writer(self, stack: AsyncExitStack) -> bool:
        """Take the lock and open the workbench; False where another server has the lock."""
        try:
            lock = DataLock(self._settings.data)
        except DataInUse:
            return False
        try:
            folder = given_folder_id(self._settings.data)
            workbench = await asyncio.to_thread(Workbench, self._settings, self._workers, lock)
            app = await asyncio.to_thread(create_app, self._settings, workbench)
        except BaseException:
            lock.release()
            raise
        async with AsyncExitStack() as opened:  # closed again, and the lock given back, unless others can be told
            await opened.enter_async_context(app.router.lifespan_context(app))
            await asyncio.to_thread(self._notice.put_up, Writer(folder, self._address))
            stack.push_async_callback(opened.pop_all().aclose)
        self._app, self._workbench = app, workbench
        log.info("this server has the data folder now")
        return True

    async def _address_of_writer(self) -> str | None:
        """Where the writer is reached; None while nobody is known to have the folder. It is asked for once a second."""
        address, read_at = self._address_read
        if address is None or self.is_writer or time.monotonic() - read_at >= _SECONDS_BETWEEN_READS:
            address = await self._read_address()
            self._address_read = (address, time.monotonic())
        return address

    async def _read_address(self) -> str | None:
        try:
            noted = await self._people.look(self._notice.read)
        except ApiError:
            return None
        is_over = noted is None or (noted.address == self._address and not self.is_writer)
        return None if noted is None or is_over else noted.address


def _own_address(settings: Settings) -> str:
    """Where servers of the same machine reach this one."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)
    return f"{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{settings.port}"


async def _ended(task: asyncio.Future[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def _live(running: Callable[[], AbstractAsyncContextManager[None]], receive: Receive, send: Send) -> None:
    """Carry out a context between the start and the end of the server, as the lifespan of ASGI has it."""
    await receive()
    try:
        async with running():
            await send({"type": "lifespan.startup.complete"})
            await receive()
    except Exception as error:
        log.exception("the server could not go on")
        await send({"type": "lifespan.startup.failed", "message": str(error)})
        return
    await send({"type": "lifespan.shutdown.complete"})
