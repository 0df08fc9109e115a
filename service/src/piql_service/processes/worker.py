"""One worker: an event loop with uvicorn over a socket that it shares with nobody, and its connection to the store.

It is started by the supervisor with its settings as one line on standard input. When this pipe ends the supervisor is
gone, and the worker drains as it does at SIGTERM.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import gc
import logging
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import piql
import uvicorn
import uvloop
from piql.client.database import Database
from piql.client.reported import ReportedDatabase
from piql.errors import PiqlError
from piql.reporting.address import report_address
from piql.reporting.reporter import Reporter
from piql.runtime.execution.supplied import utc_now
from piql.store.open import capabilities_of, open_store

from piql_service.admission.budgets import Budgets
from piql_service.admission.tokens import Tokens, TokensInvalid
from piql_service.execution.deadlines import DeadlineStore
from piql_service.execution.executor import Executor
from piql_service.metrics.tallies import Tallies
from piql_service.processes.patient_protocol import PatientProtocol, watch
from piql_service.processes.settings import WorkerSettings
from piql_service.processes.shared_tallies import SharedTallies
from piql_service.web.application import Application, Parts
from piql_service.web.hosts import Hosts
from piql_service.web.live_queries import LiveQueries

log = logging.getLogger(__name__)

READY = "ready"
SHOW_STACKS = signal.SIGUSR1  # at which a worker says on stderr where each of its threads is
SECONDS_TO_CLOSE = 10  # for requests that have begun
_SECONDS_BETWEEN_TOKENS = 2.0
_SECONDS_IDLE = 75
_SWITCH_SECONDS = 0.0005  # how long a thread keeps the interpreter; by default, 5 ms, the event loop waits for it


def main() -> int:
    """Serve until SIGTERM, or until the supervisor is gone."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    settings = WorkerSettings.from_json(sys.stdin.readline())
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(settings))
    except (PiqlError, OSError, TokensInvalid) as error:
        log.error("the worker cannot start: %s", error)
        return 1
    return 0


class _Server(uvicorn.Server):
    """Drains: says for a while that it is not ready, then stops to listen, and ends what has begun."""

    def __init__(self, config: uvicorn.Config, parts: Parts, drain_seconds: float) -> None:
        super().__init__(config)
        self._parts = parts
        self._drain_seconds = drain_seconds

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        gc.collect()
        gc.freeze()
        print(READY, flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._parts.is_draining = True
        await asyncio.sleep(self._drain_seconds)
        await super().shutdown(sockets)
        self._captured_signals.clear()  # uvicorn would raise them again, and end the process before it has reported


async def _serve(settings: WorkerSettings) -> None:
    """Open everything, serve, and close it again."""
    database, deadlines = _connected(settings.store)
    with contextlib.closing(database):
        tallies = Tallies()
        executor = Executor(database, tallies, is_inline=deadlines is None, deadlines=deadlines)
        live_queries = LiveQueries(database, settings.queries)
        connections: set[Any] = set()
        shared_tallies = SharedTallies(
            Path(settings.folder),
            settings.number,
            lambda: tallies.samples(str(settings.number), len(connections)),
        )
        parts = Parts(
            live_queries,
            executor,
            Tokens(settings.tokens),
            Budgets(settings.budgets),
            tallies,
            Hosts(settings.hosts),
            shared_tallies.collect,
            lambda: len(connections),
            settings.most_connections,
        )
        server = _Server(
            uvicorn.Config(
                Application(parts),
                http=PatientProtocol,
                ws="none",
                lifespan="off",
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_keep_alive=_SECONDS_IDLE,
                timeout_graceful_shutdown=SECONDS_TO_CLOSE,
                log_config=None,
            ),
            parts,
            settings.drain_seconds,
        )
        server.server_state.connections = connections
        await live_queries.look()
        offered = await shared_tallies.offer()
        _leave_without_supervisor(server)
        tasks = [
            asyncio.ensure_future(work) for work in (live_queries.follow(), _follow(parts.tokens), watch(connections))
        ]
        try:
            await server.serve(sockets=[socket.socket(fileno=settings.socket)])
        finally:
            for task in tasks:
                task.cancel()
            offered.close()
            executor.close()
            live_queries.close()


def _connected(url: str) -> tuple[Database, DeadlineStore | None]:
    """Open a database; in front of its store stands one that knows deadlines, unless it is a file that answers at once.

    PIQL_REPORT names who is told of its executions, as in `piql.connect`.
    """
    capabilities = capabilities_of(url)
    if capabilities.is_file and capabilities.has_transactions:
        return piql.connect(url, canary=True), None
    address = report_address(None, None)
    deadlines = DeadlineStore(open_store(url))
    if address is None:
        return Database(deadlines, canary=True), deadlines
    reporter = Reporter(address)
    return ReportedDatabase(deadlines, None, "parallel", None, None, utc_now, reporter, canary=True), deadlines


def _leave_without_supervisor(server: uvicorn.Server) -> None:
    """Drain when the pipe from the supervisor ends."""
    loop = asyncio.get_running_loop()

    def look() -> None:
        if not os.read(sys.stdin.fileno(), 1):
            loop.remove_reader(sys.stdin.fileno())
            server.should_exit = True

    loop.add_reader(sys.stdin.fileno(), look)


async def _follow(tokens: Tokens) -> None:
    """Take in what changes in the file of tokens."""
    while True:
        await asyncio.sleep(_SECONDS_BETWEEN_TOKENS)
        try:
            await asyncio.to_thread(tokens.read_again)
        except (OSError, TokensInvalid) as error:
            log.error("the tokens stay as they were: %s", error)


if __name__ == "__main__":
    faulthandler.register(SHOW_STACKS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches all processes; the supervisor ends the workers
    sys.exit(main())
