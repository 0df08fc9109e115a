"""A workbench for each test: a copy of one that has had its first start, with a small sample, on the embedded store."""

from __future__ import annotations

import asyncio
import shutil
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import httpx
import pytest
import uvicorn
from argon2 import PasswordHasher
from piql_backend.app import create_app
from piql_backend.data_folder.layout import PEOPLE_FILE, environment_folder
from piql_backend.people import passwords
from piql_backend.people.database import PeopleDatabase
from piql_backend.people.service import People
from piql_backend.settings import SampleSize, Settings
from piql_backend.web.visitor import EVERYWHERE, Visitor
from piql_backend.workbench import Workbench
from piql_backend.workers.pool import WorkerPool

USERS = 30
DEVELOPMENT = "/api/applications/scadr/environments/development"  # where a journey of a test takes place

PASSWORD = "correct horse battery"
LOGIN = {"name": "Ada", "password": PASSWORD}

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]


def settings_for(data: Path) -> Settings:
    return Settings(
        data=data,
        frontend=data.parent / "dist",
        sample_applications=("scadr",),
        sample_size=SampleSize(users=USERS, thoughts_per_user=12, subscriptions_per_user=5),
        profile_runner="local",
    )


def folder_of(settings: Settings, application: str = "scadr") -> Path:
    """The folder of the development environment of an application."""
    return environment_folder(settings.data, application, "development")


def store_url_of(settings: Settings) -> str:
    """The URL of the store of SCADr's development environment."""
    return settings.store or f"embedded:{folder_of(settings) / 'store'}"


@asynccontextmanager
async def run_workbench(settings: Settings, workers: WorkerPool) -> AsyncIterator[httpx.AsyncClient]:
    """Start the application and give a client of it."""
    app = create_app(settings, Workbench(settings, workers))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url="http://127.0.0.1", timeout=30
        ) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def workers() -> Iterator[WorkerPool]:
    """The worker processes of all workbenches: they keep nothing that depends on a workbench."""
    pool = WorkerPool()
    yield pool
    pool.close()


@pytest.fixture
def running(workers: WorkerPool) -> Running:
    """Starts a workbench with any settings."""
    return partial(run_workbench, workers=workers)


@pytest.fixture(scope="session")
def first_start(tmp_path_factory: pytest.TempPathFactory, workers: WorkerPool) -> Path:
    """The data folder of a workbench that has had its first start and was closed again."""
    data = tmp_path_factory.mktemp("first-start") / "data"

    async def start() -> None:
        async with run_workbench(settings_for(data), workers):
            pass

    asyncio.run(start())
    return data


@pytest.fixture
def settings(first_start: Path, tmp_path: Path) -> Settings:
    data = tmp_path / "data"
    shutil.copytree(first_start, data)
    return settings_for(data)


@pytest.fixture
async def client(settings: Settings, workers: WorkerPool) -> AsyncIterator[httpx.AsyncClient]:
    async with run_workbench(settings, workers) as client:
        yield client


@pytest.fixture(scope="module")
def address(first_start: Path, tmp_path_factory: pytest.TempPathFactory, workers: WorkerPool) -> Iterator[str]:
    """A workbench that is served to others."""
    data = tmp_path_factory.mktemp("served") / "data"
    shutil.copytree(first_start, data)
    chosen = settings_for(data)
    bound = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(create_app(chosen, Workbench(chosen, workers)), log_level="critical", lifespan="on")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    yield f"http://127.0.0.1:{bound.getsockname()[1]}"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """A quarter of a second of a processor makes it dear to guess a password; tests need not pay for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        yield


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 1_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def people(tmp_path: Path, clock: Clock) -> Iterator[People]:
    """Ada, who administers everything."""
    opened = People(tmp_path / PEOPLE_FILE, clock)
    opened.accounts.add("ada", PASSWORD)
    opened.accounts.set_role("ada", EVERYWHERE, "administrator")
    yield opened
    opened.close()


@pytest.fixture
async def team(settings: Settings, running: Running) -> AsyncIterator[httpx.AsyncClient]:
    """A workbench of a team that Ada administers; nobody is signed in."""
    added = People(settings.data / PEOPLE_FILE)
    added.accounts.add("ada", PASSWORD)
    added.accounts.set_role("ada", EVERYWHERE, "administrator")
    added.close()
    async with running(replace(settings, team=True)) as client:
        yield client


@pytest.fixture
def database(people: People, tmp_path: Path) -> Iterator[PeopleDatabase]:
    """The file of `people`, opened once more."""
    with closing(PeopleDatabase(tmp_path / PEOPLE_FILE)) as opened:
        yield opened


def signed_in(people: People, name: str = "ada") -> Visitor:
    """Somebody with a session of theirs."""
    visitor = people.sessions.visitor(people.sessions.begin(people.accounts.id_of(name), None))
    assert visitor is not None
    return visitor


async def application_ids(client: httpx.AsyncClient) -> list[str]:
    return [application["id"] for application in (await client.get("/api/applications")).json()["items"]]


@pytest.fixture
async def files(client: httpx.AsyncClient) -> list[dict[str, str]]:
    """The files of the sample application, as endpoints take them."""
    application = (await client.get("/api/applications/scadr")).json()
    return [{"path": file["path"], "text": file["text"]} for file in application["files"]]
