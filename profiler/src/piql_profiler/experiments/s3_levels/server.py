"""Starts a server of the protocols of S3 and SQS on a free port of 127.0.0.1, and ends it."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PATIENCE_SECONDS = 300
_PAUSE_SECONDS = 0.05


class ServerMissing(Exception):
    """There is no server of the two protocols, or it does not start; the message says which."""


@contextmanager
def running() -> Iterator[str]:
    """Run a server inside the context, all in memory; gives its address, or raises ServerMissing."""
    if importlib.util.find_spec("ministack") is None:
        raise ServerMissing("the package ministack is not installed: pip install 'piql-profiler[object-stores]'")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("wb") as log:
        environment = os.environ | {
            "BIND_HOST": "127.0.0.1",
            "GATEWAY_PORT": str(port),
            "SERVICES": "s3,sqs",
            "LOG_LEVEL": "WARNING",
            "TMPDIR": folder,
        }
        server = subprocess.Popen(
            [sys.executable, "-P", "-m", "ministack"], env=environment, cwd=folder, stdout=log, stderr=log
        )
        try:
            _wait_for(f"http://127.0.0.1:{port}", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.kill()
            server.wait()


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            with urllib.request.urlopen(address, timeout=_PATIENCE_SECONDS):
                return
        except urllib.error.HTTPError:
            return  # it answers
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            if server.poll() is not None or time.monotonic() > until:
                raise ServerMissing("ministack did not start") from None
            time.sleep(_PAUSE_SECONDS)
