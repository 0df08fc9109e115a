"""Starts servers of one team as an operator does: processes on one data folder and one PostgreSQL, behind nginx.

browser  →  nginx, /piql/…  →  piql serve   (the writer)
                            →  piql serve   (hands on)      →  PostgreSQL: people, sessions, tokens, the record
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from postgresql.running import Postgresql, free_port, running_postgresql

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "/piql"
_PIQL = Path(sys.executable).with_name("piql")
_SECONDS_TO_START = 120
_SETUP_NGINX = ROOT / "tools" / "setup-nginx.sh"
_NGINX = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log warn;
worker_processes 1;
events {{ worker_connections 2048; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
  upstream workbench {{
{servers}
    keepalive 32;
    keepalive_timeout 4s;
  }}
  server {{
    listen 127.0.0.1:{port};
    location {prefix}/ {{
      proxy_pass http://workbench;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_buffering off;
      proxy_read_timeout 1h;
      proxy_connect_timeout 2s;
      client_max_body_size 6m;
      add_header X-Upstream $upstream_addr always;
      {signed_in}
    }}
    location / {{ return 307 {prefix}$request_uri; }}
  }}
}}
"""


@dataclass
class Server:
    """One process of `piql serve`."""

    port: int
    data: Path
    environment: Mapping[str, str] = field(repr=False)
    log: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it is reached without the proxy."""
        return f"http://127.0.0.1:{self.port}{PREFIX}"

    @property
    def is_running(self) -> bool:
        """Whether there is a process."""
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start the process, and wait until it answers."""
        options = ["--port", str(self.port), "--data", str(self.data), "--root-path", PREFIX]
        command = [str(_PIQL), "serve", "--team", *options]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, env={**os.environ, **self.environment}, stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )
        deadline = time.monotonic() + _SECONDS_TO_START
        while not _answers(f"{self.url}/healthz"):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"a server did not start:\n{self.log.read_text()[-3000:]}")
            time.sleep(0.1)

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End the process; SIGKILL is as a crash."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


@dataclass(frozen=True)
class Hosted:
    """Running servers behind a proxy; `url` is the address for browsers."""

    url: str
    servers: Sequence[Server]
    postgresql: Postgresql
    metadata: str = field(repr=False)  # the URL of the database of people
    folder: Path

    @property
    def writer(self) -> Server:
        """The server that has the data folder, as the database says."""
        with psycopg.connect(self.metadata) as connection:
            row = connection.execute("SELECT address FROM writer").fetchone()
        assert row is not None
        return next(server for server in self.servers if row[0] == f"127.0.0.1:{server.port}")

    @property
    def follower(self) -> Server:
        """The other one of two."""
        return next(server for server in self.servers if server is not self.writer)

    def wait_for_writer(self, server: Server) -> None:
        """Wait until a server has the data folder."""
        deadline = time.monotonic() + _SECONDS_TO_START
        while self.writer is not server:
            if time.monotonic() > deadline:
                raise RuntimeError(f"the server did not take over:\n{server.log.read_text()[-3000:]}")
            time.sleep(0.05)


@contextmanager
def hosted(
    people: Mapping[str, str],
    password: str = "",
    ports: Sequence[int] = (),
    proxy_port: int | None = None,
    environment: Mapping[str, str] | None = None,
    user_header: str | None = None,
    add_people: Callable[[str, Path], None] | None = None,
) -> Iterator[Hosted]:
    """Run two servers behind nginx; `people` has the roles of a team by name, all with one password.

    With a `user_header` nginx signs everybody in as the first of them, by that header. `add_people` adds others, before
    the servers start; it gets the URL of the database, and the data folder.
    """
    nginx = subprocess.run([_SETUP_NGINX], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    with ExitStack() as stack:
        postgresql = stack.enter_context(running_postgresql())
        folder = Path(tempfile.mkdtemp(prefix="piql-hosting-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        variables = {"METADATA": postgresql.new_database(), "PROFILE_RUNNER": "local", **(environment or {})}
        for name, role in people.items():
            _add(name, role, password, variables, folder / "data")
        if add_people is not None:
            add_people(variables["METADATA"], folder / "data")
        if user_header is not None:
            variables |= {"TRUST_PROXY_USER": user_header, "TRUSTED_PROXIES": "127.0.0.1"}
        servers: list[Server] = []
        for number, port in enumerate(ports or (free_port(), free_port()), 1):
            server = Server(port, folder / "data", variables, folder / f"server-{number}.log")
            stack.callback(server.end)
            server.start()
            servers.append(server)
        port = proxy_port or free_port()
        signed_in = "" if user_header is None else f"proxy_set_header {user_header} {next(iter(people))};"
        _start_nginx(stack, nginx, folder, port, servers, signed_in)
        yield Hosted(f"http://127.0.0.1:{port}{PREFIX}", servers, postgresql, variables["METADATA"], folder)


def _add(name: str, role: str, password: str, variables: Mapping[str, str], data: Path) -> None:
    command = [str(_PIQL), "user", "add", name, "--data", str(data), "--role", role, "--password-fd", "0"]
    environment = {**os.environ, **variables}
    subprocess.run(command, env=environment, input=password.encode(), check=True, stdout=subprocess.DEVNULL)


def _start_nginx(
    stack: ExitStack, nginx: str, folder: Path, port: int, servers: Sequence[Server], signed_in: str
) -> None:
    configuration = folder / "nginx.conf"
    upstream = "\n".join(f"    server 127.0.0.1:{server.port} max_fails=0;" for server in servers)
    configuration.write_text(
        _NGINX.format(folder=folder, port=port, servers=upstream, prefix=PREFIX, signed_in=signed_in)
    )
    folder.chmod(0o755)  # the user of nginx's workers writes bodies there
    process = subprocess.Popen([nginx, "-c", configuration, "-p", folder, "-g", f"user {_user()};"])
    stack.callback(process.wait)
    stack.callback(process.terminate)
    deadline = time.monotonic() + _SECONDS_TO_START
    while not _answers(f"http://127.0.0.1:{port}{PREFIX}/healthz"):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"nginx did not start:\n{(folder / 'nginx.log').read_text()[-2000:]}")
        time.sleep(0.1)


def _user() -> str:
    return pwd.getpwuid(os.geteuid()).pw_name


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except (OSError, urllib.error.HTTPError):
        return False
