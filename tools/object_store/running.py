"""Starts an object store on a free port of 127.0.0.1, with its objects in a folder, and ends it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from shutil import rmtree

KEYS: Mapping[str, str] = {"AWS_ACCESS_KEY_ID": "of-the-tests", "AWS_SECRET_ACCESS_KEY": "secret-of-the-tests"}
"""What the environment of a client must hold; the server takes any."""

_PATIENCE_SECONDS = 60
_PAUSE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class ObjectStore:
    """A running server; `endpoint` is its address, `bucket` one that is there."""

    endpoint: str
    bucket: str

    def url(self, prefix: str, options: str = "") -> str:
        """Return the URL of a store under a prefix of the bucket."""
        return f"s3://{self.bucket}/{prefix}?endpoint={self.endpoint}{options and '&'}{options}"


@contextmanager
def running_object_store(folder: Path, bucket: str = "piql-tests") -> Iterator[ObjectStore]:
    """Run a server inside the context; its objects and log are in a folder, and its temporary files while it runs."""
    port = _free_port()
    temporary = folder / "temporary"  # the server leaves a file with its process number there
    temporary.mkdir(exist_ok=True)
    environment = {
        **os.environ,
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "SERVICES": "s3",
        "S3_PERSIST": "1",
        "S3_DATA_DIR": str(folder / "objects"),
        "LOG_LEVEL": "WARNING",
        "TMPDIR": str(temporary),
    }
    with (folder / "log").open("wb") as log:
        command = [str(Path(sys.executable).with_name("ministack"))]
        server = subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log)
    store = ObjectStore(f"http://127.0.0.1:{port}", bucket)
    try:
        _make_bucket(store, server, folder / "log")
        yield store
    finally:
        server.send_signal(signal.SIGKILL)
        server.wait()
        rmtree(temporary)


def _make_bucket(store: ObjectStore, server: subprocess.Popen[bytes], log: Path) -> None:
    """Make the bucket as soon as the server answers."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            request = urllib.request.Request(f"{store.endpoint}/{store.bucket}", method="PUT")
            with urllib.request.urlopen(request, timeout=_PATIENCE_SECONDS):
                return
        except urllib.error.HTTPError as answer:
            if answer.code != HTTPStatus.CONFLICT:  # the bucket is there, from an earlier start in the same folder
                raise
            return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            if server.poll() is not None or time.monotonic() > until:
                said = log.read_text(errors="replace")[-2000:]
                raise RuntimeError(f"the object store did not start: {said}") from None
            time.sleep(_PAUSE_SECONDS)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port
