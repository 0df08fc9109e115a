"""All environments of all applications: opened when they are needed, closed when nobody has used them for a while.

Each is opened and closed under a lock of its own, so one that is slow or broken makes nobody else wait. Environments
that were open when the workbench ended are opened by its next start, so that what was under way goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
from piql.errors import PiqlError
from piql.store.schemes import EMBEDDED
from piql_profiler.measure.store_urls import without_password

from piql_backend.data_folder.disk import advice_on
from piql_backend.data_folder.layout import DEVELOPMENT, environment_folder
from piql_backend.database.connection import Database
from piql_backend.environments.environment import Environment, Shared
from piql_backend.environments.sample import is_to_be_filled
from piql_backend.environments.settings_file import FILE, own_store, read_settings
from piql_backend.stores.connection import StoreConnection
from piql_backend.stores.known import KnownStore
from piql_backend.web.errors import ApiError, NotFound

log = logging.getLogger(__name__)

IDLE_SECONDS = 900.0
_SECONDS_BETWEEN_LOOKS = 30.0
_LEFT_OPEN = ".open"  # in the folder of an environment that is open, or was when the workbench ended
_FAULTS = (duckdb.Error, OSError, PiqlError, ValueError)


@dataclass(frozen=True, slots=True, order=True)
class EnvironmentName:
    """An environment by its application and its own name."""

    application: str
    environment: str

    def __str__(self) -> str:
        return f"{self.application}/{self.environment}"


@dataclass(slots=True)
class _Entry:
    """One environment, open or closed. `problem` says why it could not be opened when that was last tried.

    `users` counts requests that use it now; `used_at` is when one last did, or tried to, by the clock of the registry.
    """

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    environment: Environment | None = None
    problem: str | None = None
    users: int = 0
    used_at: float = 0.0


class Environments:
    """Finds environments by name. All but `names` and `folder` happens on the event loop."""

    def __init__(
        self, data: Path, served: str | None, shared: Shared, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Take the data folder, and the store that `piql serve --store` names."""
        self._data = data
        self._served = served
        self._shared = shared
        self.clock = clock
        self._entries: dict[EnvironmentName, _Entry] = {}
        self._closing_idle: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Open the environments that the last start left open or unfilled; one that fails does not stop the others."""
        left = [name for name in self.all_names() if self._was_left_open(name)]
        for result in await asyncio.gather(*(self.opened(name) for name in left), return_exceptions=True):
            if isinstance(result, BaseException) and not isinstance(result, ApiError):
                raise result
        self._closing_idle = asyncio.create_task(self._close_idle_now_and_then())

    async def close(self) -> None:
        """Close what is open, the last that was opened first."""
        if self._closing_idle is not None:
            self._closing_idle.cancel()
        for entry in reversed(self._entries.values()):
            async with entry.lock:
                await _closed(entry)

    def names(self, application: str) -> Sequence[str]:
        """The environments of an application, `development` first where it is there; ApiError 404 for none."""
        self._shared.applications.refuse_unknown(application)
        folder = environment_folder(self._data, application, DEVELOPMENT).parent
        there = {entry.name for entry in folder.iterdir() if (entry / FILE).is_file()} if folder.is_dir() else set()
        others = sorted(there - {DEVELOPMENT})
        has_development = not others or (folder / DEVELOPMENT).is_dir()  # it was not removed
        return [DEVELOPMENT, *others] if has_development else others

    def folder(self, name: EnvironmentName) -> Path:
        """The folder of an environment; ApiError 404 where there is none of that name."""
        if name.environment not in self.names(name.application):
            message = f"The application {name.application} has no environment {name.environment[:60]}."
            raise NotFound("unknown-environment", message, "It has " + ", ".join(self.names(name.application)) + ".")
        return environment_folder(self._data, name.application, name.environment)

    @property
    def has_served_store(self) -> bool:
        """Whether the workbench was started with the store of an environment."""
        return self._served is not None

    def store_url(self, name: EnvironmentName) -> str:
        """The URL of the store of an environment, with its secrets."""
        folder = self.folder(name)
        return read_settings(folder).store.url(folder, self._served)

    @property
    def open_ones(self) -> Mapping[EnvironmentName, Environment]:
        """The environments that are open now."""
        return {name: entry.environment for name, entry in self._entries.items() if entry.environment is not None}

    def find(self, name: EnvironmentName) -> Environment | None:
        """An environment that is open now; None for any other."""
        entry = self._entries.get(name)
        return None if entry is None else entry.environment

    @property
    def problems(self) -> Mapping[EnvironmentName, str]:
        """Why environments could not be opened, of late; that nobody has confirmed a store is no problem."""
        return {name: entry.problem for name, entry in self._entries.items() if entry.problem is not None}

    async def opened(self, name: EnvironmentName) -> Environment:
        """An environment, opened now if it was not; ApiError 404 for none of that name, 503 for one that is broken."""
        entry = self._entries.get(name)
        if entry is not None and entry.environment is not None:
            entry.used_at = self.clock()
            return entry.environment
        self.folder(name)
        if self._shared.applications.is_archived(name.application):
            message = f"The application {name.application} is in the archive."
            raise ApiError(409, "application-archived", message, "Take it out of the archive first.")
        entry = self._entries.setdefault(name, _Entry())
        async with entry.lock:
            if entry.environment is None:
                folder = self.folder(name)  # it may have been removed meanwhile
                entry.used_at = self.clock()
                entry.environment = await self._open(name, folder, entry)
                self._entries.pop(name, None)
                self._entries[name] = entry  # in the order in which they were opened
            entry.used_at = self.clock()
            return entry.environment

    @contextlib.asynccontextmanager
    async def using(self, application: str, environment_name: str) -> AsyncIterator[Environment]:
        """An environment that stays open as long as it is used."""
        name = EnvironmentName(application, environment_name)
        environment = await self.opened(name)
        entry = self._entries[name]
        entry.users += 1
        try:
            yield environment
        finally:
            entry.users -= 1
            entry.used_at = self.clock()

    @contextlib.asynccontextmanager
    async def database_of(self, name: EnvironmentName) -> AsyncIterator[Database | None]:
        """What was measured and set in an environment, open or closed; its store is not asked. None where nothing was.

        Raises ApiError 503 where the file cannot be read.
        """
        folder = self.folder(name)
        entry = self._entries.setdefault(name, _Entry())
        async with entry.lock:
            file = folder / "workbench.duckdb"
            if entry.environment is not None or not file.exists():
                yield entry.environment.database if entry.environment is not None else None
                return
            try:
                database = await asyncio.to_thread(Database, file)
            except (duckdb.Error, OSError) as error:
                message = f"The measurements and SLOs of {name} cannot be read: {error}"
                raise ApiError(503, "environment-broken", message, "Open the environment to see the reason.") from error
            try:
                yield database
            finally:
                await asyncio.to_thread(database.close)

    @contextlib.asynccontextmanager
    async def kept_closed(self, name: EnvironmentName) -> AsyncIterator[Path]:
        """The folder of an environment that is closed, and opened by nobody meanwhile; what is under way ends."""
        folder = self.folder(name)
        entry = self._entries.setdefault(name, _Entry())
        async with entry.lock:
            await _closed(entry)
            (folder / _LEFT_OPEN).unlink(missing_ok=True)
            yield folder

    async def close_all_of(self, application: str) -> None:
        """Close the environments of an application that is archived or deleted; what is under way ends."""
        for name, entry in list(self._entries.items()):
            if name.application == application:
                async with entry.lock:
                    await _closed(entry)
                    self._forget_open(name)

    async def close_idle(self) -> None:
        """Close the environments that nobody has used for a while, if nothing is under way and nothing is to be told.

        One that could not be opened is then closed as any other, and its problem is over.
        """
        for name, entry in list(self._entries.items()):
            async with entry.lock:
                environment = entry.environment
                if entry.users or self.clock() - entry.used_at < IDLE_SECONDS:
                    continue
                if environment is None:
                    entry.problem = None
                elif not environment.is_busy and await asyncio.to_thread(environment.alerts.is_settled):
                    await _closed(entry)
                    self._forget_open(name)

    def _forget_open(self, name: EnvironmentName) -> None:
        """Leave an environment closed at the next start."""
        (environment_folder(self._data, name.application, name.environment) / _LEFT_OPEN).unlink(missing_ok=True)

    def end_streams(self) -> None:
        """End what would keep connections open, before the server waits for their end."""
        for environment in self.open_ones.values():
            environment.profile_runs.end_streams()
            environment.load_runs.end_streams()

    async def _open(self, name: EnvironmentName, folder: Path, entry: _Entry) -> Environment:
        """Open an environment; ApiError 503 where it is broken."""
        try:
            choice = read_settings(folder).store
            url = choice.url(folder, self._served)
            if choice.kind == "named" and choice.named is not None and choice.named.url != EMBEDDED:
                self._refuse_store(url)
            place = EMBEDDED if url == own_store(folder) else without_password(url)
            store = StoreConnection(url, KnownStore(folder, place))
            environment = await asyncio.to_thread(Environment, folder, name.application, store, self._shared)
            try:
                await environment.open()
            except BaseException:
                await environment.close()
                raise
            (folder / _LEFT_OPEN).touch()
        except ApiError as error:
            entry.problem = error.body.message if error.status == 503 else None
            raise
        except _FAULTS as error:
            message = f"The environment {name} cannot be opened: {error}"
            advice = advice_on(error)
            if entry.problem != message:  # whoever looks at it asks again every few seconds
                log.error("%s", message, exc_info=None if advice else error)
            entry.problem = message
            raise ApiError(503, "environment-broken", message, advice or "See the log.") from error
        entry.problem = None
        return environment

    def _refuse_store(self, url: str) -> None:
        """Refuse to connect to a store that the list does not have any more."""
        try:
            self._shared.allowed_stores.refuse_other(url)
        except ApiError as error:
            raise ApiError(503, error.code, error.body.message, error.body.help) from None

    def all_names(self) -> Sequence[EnvironmentName]:
        """The environments of all applications, also of those in the archive."""
        applications = self._shared.applications.ids()
        return [EnvironmentName(application, name) for application in applications for name in self.names(application)]

    def _was_left_open(self, name: EnvironmentName) -> bool:
        folder = environment_folder(self._data, name.application, name.environment)
        return (folder / _LEFT_OPEN).exists() or is_to_be_filled(folder)

    async def _close_idle_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
            await self.close_idle()


async def _closed(entry: _Entry) -> None:
    environment, entry.environment = entry.environment, None
    entry.problem = None
    if environment is not None:
        await environment.close()
