"""`piql service`: offers deployed queries to servers in any language, over HTTP."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import piql
from piql.commands.existing import open_existing
from piql.errors import NotDeployed, PiqlError, StoreUnavailable
from piql.reporting.hosts import is_loopback
from piql.store.open import location_of

from piql_service.admission.tokens import TokensInvalid, TokenSource
from piql_service.processes.settings import WorkerSettings
from piql_service.processes.supervisor import Supervisor, end_at_signals, listen

_MOST_WORKERS = 64


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="piql service", description="Offer the deployed queries of a store over HTTP, to servers in any language."
    )
    parser.add_argument("--store", required=True, metavar="URL", help="such as embedded:PATH; it must exist")
    parser.add_argument("--app", type=Path, metavar="PATH", help="serve only the queries of this folder or file")
    parser.add_argument("--host", default="127.0.0.1", help="another than loopback needs tokens")
    parser.add_argument("--port", type=int, default=8500, help="the port to listen on, 0 for any free one")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes that answer")
    tokens = parser.add_mutually_exclusive_group()
    tokens.add_argument("--tokens", type=Path, metavar="FILE", help="who may ask, as `piql service-token` writes it")
    tokens.add_argument("--tokens-variable", metavar="NAME", help="a variable that holds the same lines")
    parser.add_argument(
        "--allowed-host", action="append", default=[], metavar="NAME", help="by which it is reached; may be repeated"
    )
    parser.add_argument("--connections", type=int, default=1000, metavar="N", help="most connections of one worker")
    parser.add_argument(
        "--drain-seconds", type=float, default=0.0, metavar="N", help="how long it says at the end that it is not ready"
    )
    return parser


def service(argv: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM or Ctrl+C; return 0, 1 where it cannot start, 2 for wrong arguments."""
    parser = _parser()
    options = parser.parse_args(argv)
    source = TokenSource(options.tokens, options.tokens_variable)
    if not is_loopback(options.host) and not source:
        parser.error(f"--host {options.host} is reached by others: give --tokens FILE, or leave out --host")
    if not 1 <= options.workers <= _MOST_WORKERS:
        parser.error(f"--workers {options.workers}: give 1 to {_MOST_WORKERS}")
    os.umask(0o077)
    try:
        if not location_of(options.store).namespace:
            raise StoreUnavailable("--store names a temporary store, which each worker would have for itself")
        names = None if options.app is None else queries_of(options.app, options.store)
        if names is None:
            open_existing(options.store).close()
        if source:
            source.read()
        listening = listen(options.host, options.port, options.workers)
    except (PiqlError, TokensInvalid) as error:
        print(f"piql service: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"piql service: {error.filename or f'{options.host}:{options.port}'}: {error.strerror}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="piql-service-") as folder:
        settings = WorkerSettings(
            options.store,
            0,
            0,
            0,
            folder,
            names,
            None if source.file is None else str(source.file.resolve()),
            source.variable,
            tuple(options.allowed_host),
            options.connections,
            options.drain_seconds,
        )
        supervisor = Supervisor(settings, listening, folder)
        end_at_signals(supervisor)
        host = f"[{options.host}]" if ":" in options.host else options.host
        return supervisor.run(f"piql service: http://{host}:{listening[0].getsockname()[1]}")


def queries_of(application: Path, store: str) -> tuple[str, ...]:
    """Return the names of an application's queries; raise NotDeployed where one is not deployed as it stands there."""
    queries = piql.compile(application).queries
    with open_existing(store) as db:
        deployed = db.deployment.compilation.queries
    for name, query in queries.items():
        if name not in deployed or deployed[name].text != query.text:
            which = "is not deployed" if name not in deployed else "is deployed with another text"
            raise NotDeployed(f"{name} {which}: deploy {application} first, or leave out --app")
    return tuple(queries)
