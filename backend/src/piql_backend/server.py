"""Runs the application in uvicorn: binds the port first, prints one line where it cannot start, and the address when it
is ready."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

import duckdb
import uvicorn
import uvloop
from starlette.types import ASGIApp

from piql_backend.app import create_app
from piql_backend.data_folder.disk import is_refused
from piql_backend.data_folder.lock import DataInUse
from piql_backend.live_sessions.participant import MOST_MESSAGE_BYTES
from piql_backend.settings import Settings
from piql_backend.starting.process_log import to_stderr
from piql_backend.web.slow_clients import PatientHttp
from piql_backend.workbench import Workbench

Ending = Callable[[], Awaitable[None]]

_SECONDS_TO_CLOSE = 3
_MOST_THREADS = 40  # as many as there are for endpoints
_SWITCH_SECONDS = 0.0005  # how long a thread keeps the interpreter; by default, 5 ms, executions wait for each other


def serve(settings: Settings) -> int:
    """Serve until SIGTERM or Ctrl-C; return the exit code, 1 when it cannot start."""
    sys.setswitchinterval(_SWITCH_SECONDS)
    os.umask(0o077)  # new files are readable by this user alone
    logging.basicConfig(level=logging.INFO, handlers=[to_stderr()])
    try:
        listening = _bind(settings)
    except OSError as error:
        print(f"piql serve: {settings.host}:{settings.port} cannot be used: {error.strerror}.", file=sys.stderr)
        return 1
    try:
        app, end = _application(settings)
    except (DataInUse, duckdb.Error, OSError, ValueError) as error:
        listening.close()
        print(f"piql serve: {_why_not(error, settings)}", file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn stops at it, and raises it again at its end
    server = _Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="on",
            http=PatientHttp,
            ws="wsproto",
            ws_max_size=MOST_MESSAGE_BYTES,
            ws_per_message_deflate=False,
            proxy_headers=False,  # web/trusted_proxies.py reads them, and has to see who sends them
            timeout_graceful_shutdown=_SECONDS_TO_CLOSE,
        ),
        f"http://{settings.host}:{listening.getsockname()[1]}{settings.root_path}",
        end,
    )
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(server.serve(sockets=[listening]))
    except KeyboardInterrupt:
        pass
    finally:
        gc.unfreeze()  # or libraries report at the end of the process what they never gave back
        listening.close()
    return 0 if server.started else 1


def _application(settings: Settings) -> tuple[ASGIApp, Ending]:
    """The application, and what ends what would delay the shutdown: alone on a data folder, or one of several."""
    if settings.metadata is not None:
        from piql_backend.hosting.one_of_several import OneOfSeveral  # it imports SQLAlchemy and httpx

        several = OneOfSeveral(settings)
        return several, several.end
    workbench = Workbench(settings)

    async def end() -> None:
        workbench.environments.end_streams()  # or the shutdown would wait for pages that follow events
        await asyncio.to_thread(workbench.workers.close)  # and for requests whose texts wait to be compiled

    return create_app(settings, workbench), end


def _why_not(error: Exception, settings: Settings) -> str:
    """Why the data folder cannot be used, and what to do where it cannot be written, or a file is in its place."""
    if isinstance(error, OSError) and is_refused(error):
        return f"the data folder {settings.data} may not be written: {error}. Give another one with --data."
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return f"there can be no folder {error.filename}: a file is in the way. Give another one with --data."
    return str(error)


class _Server(uvicorn.Server):
    """Prints the address once it listens, and ends what would delay the shutdown before it waits for connections."""

    def __init__(self, config: uvicorn.Config, address: str, end: Ending) -> None:
        super().__init__(config)
        self._address = address
        self._end = end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        # What reads and writes files waits for disks, and the usual four threads more than processors are few for that.
        threads = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="files")
        asyncio.get_running_loop().set_default_executor(threads)
        await super().startup(sockets)
        if self.started:
            gc.collect()
            gc.freeze()  # objects made until now live on; collections that look at them would stop requests for 0.1 s
            print(f"PIQL Workbench: {self._address}", flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._end()
        await super().shutdown(sockets)


def _bind(settings: Settings) -> socket.socket:
    """Listen at the port before anything else is opened; OSError where it is taken."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # without, asyncio sets no TCP_NODELAY
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
        listening.listen(128)
    except OSError:
        listening.close()
        raise
    return listening
