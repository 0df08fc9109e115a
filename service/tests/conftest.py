"""An application over a fresh store of SCADr, called without a socket."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import piql
import pytest
from piql.store.open import open_store
from piql.store.testing.recording import RecordingStore
from piql_service.admission.budgets import Budgets
from piql_service.admission.tokens import Tokens, TokenSource
from piql_service.execution.executor import Executor
from piql_service.metrics.tallies import Tallies
from piql_service.web.application import Application, Parts
from piql_service.web.hosts import Hosts
from piql_service.web.live_queries import LiveQueries

SCADR = Path(__file__).resolve().parents[2] / "sample-apps" / "scadr"
PIQL = (sys.executable, "-m", "piql.commands.cli")


@contextmanager
def serving(store: str, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a service at a free port; yield it with its address."""
    command = (*PIQL, "service", "--store", store, "--port", "0", *options)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().split()[-1]
        finally:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of the application."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """Calls an application as uvicorn does."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def query(self, name: str, parameters: object, cursor: str | None = None, **headers: str) -> Reply:
        content = {"parameters": parameters} | ({} if cursor is None else {"cursor": cursor})
        return await self.send("POST", f"/queries/{name}", json.dumps(content).encode(), **headers)

    async def send(self, method: str, path: str, body: bytes = b"", **headers: str) -> Reply:
        """Send a request; underscores in the names of headers are hyphens."""
        sent = {"host": "localhost", "content-type": "application/json"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
        }
        messages: list[dict[str, Any]] = []
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> dict[str, Any]:
            if not waiting:
                await asyncio.Event().wait()  # the client stays
            return waiting.pop()

        async def send(message: dict[str, Any]) -> None:
            messages.append(message)

        await self._application(scope, receive, send)
        start, *bodies = messages
        answered = {name.decode(): value.decode() for name, value in start["headers"]}
        return Reply(start["status"], answered, b"".join(message["body"] for message in bodies))


@dataclass(slots=True)
class World:
    """A store with SCADr, and what the application over it is put together from."""

    database: piql.Database
    store: RecordingStore
    parts: Parts
    client: Client


MakeWorld = Callable[..., World]


@pytest.fixture
def make_world(tmp_path: Path) -> Iterator[MakeWorld]:
    """Return a function that opens a world, with the lines of a file of tokens if it is given any."""
    worlds: list[World] = []
    file = os.open(tmp_path / "budgets", os.O_RDWR | os.O_CREAT)

    def make(lines: str = "") -> World:
        source = TokenSource()
        if lines:
            source = TokenSource(tmp_path / "tokens")
            (tmp_path / "tokens").write_text(lines)
        store = RecordingStore(open_store(f"embedded:{tmp_path / 'store.db'}"))
        database = piql.Database(store)
        database.deploy(piql.compile(SCADR))
        database.execute("addUser", {"username": "ada", "hometown": "London"})
        tallies = Tallies()
        executor = Executor(database, tallies, is_inline=True)
        live_queries = LiveQueries(database)

        async def samples() -> list[Any]:
            return tallies.samples("0", 0)

        budgets = Budgets(file, clock=lambda: 100.0)
        parts = Parts(live_queries, executor, Tokens(source), budgets, tallies, Hosts(), samples, lambda: 0)
        worlds.append(World(database, store, parts, Client(Application(parts))))
        return worlds[-1]

    yield make
    for world in worlds:
        world.parts.executor.close()
        world.parts.live_queries.close()
        world.database.close()
    os.close(file)
