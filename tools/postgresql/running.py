"""Starts a PostgreSQL server on a free port of 127.0.0.1, with its data in a folder of its own, and ends it."""

from __future__ import annotations

import itertools
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_SETUP = Path(__file__).parents[1] / "setup-postgresql.sh"
_USER = "postgres"
_SETTINGS = "-c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c shared_buffers=32MB -c max_connections=60"
_NUMBERS = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Postgresql:
    """A running server, which asks for a password."""

    port: int
    password: str = field(repr=False)
    _folder: Path
    _programs: Path

    def url(self, database: str) -> str:
        return f"postgresql://{_USER}:{self.password}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Make a database, and return its URL."""
        name = f"piql{next(_NUMBERS)}"
        self.run("psql", self.url("postgres"), "-qc", f"CREATE DATABASE {name}")
        return self.url(name)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-p {self.port} {_SETTINGS}"
        self.run("pg_ctl", "-w", "-s", "-D", str(self._folder / "data"), "-o", options, "-l", self._log, "start")

    def stop(self, how: str = "fast") -> None:
        """End it; `immediate` is as a crash."""
        self.run("pg_ctl", "-w", "-s", "-D", str(self._folder / "data"), "-m", how, "stop")

    def run(self, program: str, *arguments: str) -> None:
        """Run a program of PostgreSQL's; as root, in the name of its user, since its server refuses root."""
        with tempfile.TemporaryFile() as output:  # a pipe would be kept open by the server
            command = [*_as_its_user(), str(self._programs / program), *arguments]
            ended = subprocess.run(command, stdout=output, stderr=output, cwd="/", timeout=120, check=False)
            if ended.returncode != 0:
                output.seek(0)
                raise RuntimeError(f"{program} failed: {output.read().decode(errors='replace')[-2000:]}")

    @property
    def _log(self) -> str:
        return str(self._folder / "log")


@contextmanager
def running_postgresql() -> Iterator[Postgresql]:
    """Run a server inside the context."""
    programs = subprocess.run([_SETUP], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    folder = Path(tempfile.mkdtemp(prefix="piql-postgresql-"))
    server = Postgresql(free_port(), secrets.token_urlsafe(12), folder, Path(programs))
    secret = folder / "password"
    secret.write_text(server.password)
    if os.geteuid() == 0:
        for path in (folder, secret):
            shutil.chown(path, _USER)
    try:
        # Nothing is kept after the tests, so a table of the data folder need not be on the disk.
        options = ("-A", "scram-sha-256", f"--pwfile={secret}", "-U", _USER, "-E", "UTF8", "-N")
        server.run("initdb", "-D", str(folder / "data"), *options)
        server.start()
        try:
            yield server
        finally:
            if (folder / "data" / "postmaster.pid").exists():
                server.stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _as_its_user() -> list[str]:
    return ["runuser", "-u", _USER, "--"] if os.geteuid() == 0 else []


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        return int(bound.getsockname()[1])
