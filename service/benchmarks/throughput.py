"""findUser by 200 connections: the service beside an inline FastAPI endpoint over the same store, in the same run.

What is compared is requests a second of the server's processor time, which depends little on what else runs.

The client is asyncio in this process, on the same cores; it sends the next request of a connection at its answer.
Fails where the service makes less than RATIO times as many, or an answer is not 200.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import cast

import piql
import uvloop

ROOT = Path(__file__).resolve().parents[2]
CONNECTIONS, SECONDS, WARM_SECONDS, RATIO = 200, 4.0, 1.0, 2.5
NUMBERS = count()  # of users: each connection asks for another, so that no read joins that of another connection
FASTAPI = """
import socket, sys, piql, uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
class Find(BaseModel):
    parameters: dict[str, str]
app, db = FastAPI(), piql.connect(sys.argv[1])
@app.post("/queries/findUser")
async def find(request: Find) -> dict[str, object]:
    page = db.execute("findUser", request.parameters)
    return {"rows": page.rows, "cursor": page.cursor, "rows_affected": None, "operations": page.operations}
listening = socket.create_server(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False)).run([listening])
"""


class Connection(asyncio.Protocol):
    """Sends the same request again and again, and keeps how long each answer took."""

    def __init__(self, times: list[float], failures: list[bytes]) -> None:
        self._times, self._failures = times, failures
        body = b'{"parameters":{"username":"user%d"}}' % (next(NUMBERS) % CONNECTIONS)
        self._request = (
            b"POST /queries/findUser HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
            b"content-length: %d\r\n\r\n%s" % (len(body), body)
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport, self._received = cast(asyncio.Transport, transport), b""
        self._send()

    def _send(self) -> None:
        self._started = time.perf_counter()
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._received.endswith(b"}"):
            return
        self._times.append(time.perf_counter() - self._started)
        if not self._received.startswith(b"HTTP/1.1 200"):
            self._failures.append(self._received)
        self._received = b""
        self._send()


async def measure(port: int, server: int) -> tuple[float, float, float]:
    """Return the requests a second, those a second of the server's processor time, and the p99 in milliseconds."""
    times, failures = list[float](), list[bytes]()
    loop = asyncio.get_running_loop()
    users = [
        await loop.create_connection(lambda: Connection(times, failures), "127.0.0.1", port) for _ in range(CONNECTIONS)
    ]
    await asyncio.sleep(WARM_SECONDS)
    times.clear()
    cpu = cpu_seconds(server)
    await asyncio.sleep(SECONDS)
    measured, cpu = sorted(times), cpu_seconds(server) - cpu
    for transport, _ in users:
        transport.abort()
    if failures:
        raise SystemExit(f"an answer is not 200: {failures[0][:200]!r}")
    return len(measured) / SECONDS, len(measured) / cpu, measured[int(len(measured) * 0.99)] * 1000


def cpu_seconds(server: int) -> float:
    """Return the processor time of a process and its children, so far."""
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in (server, *children)]
    return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running(*command: str) -> Iterator[tuple[int, int]]:
    """Run a server that prints its address; yield the port, and the id of the process."""
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline().rpartition(":")[2]), process.pid
        finally:
            process.terminate()


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        store = f"embedded:{folder}/store.db"
        with piql.connect(store) as db:
            db.deploy(piql.compile(ROOT / "sample-apps" / "scadr"))
            db.load("users", [{"username": f"user{number}", "hometown": "London"} for number in range(1000)])
        servers = {
            "FastAPI, inline": ("-c", FASTAPI, store),
            "service": ("-m", "piql.commands.cli", "service", "--store", store, "--port", "0"),
        }
        rates = {}
        for name, command in servers.items():
            with running(*command) as (port, server), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                rate, rates[name], p99 = runner.run(measure(port, server))
            print(f"{name:<16} {rate:>8,.0f} findUser/s  {rates[name]:>8,.0f} a CPU-second  p99 {p99:>7.1f} ms")
    ratio = rates["service"] / rates["FastAPI, inline"]
    print(f"one worker, {CONNECTIONS} connections: the service makes {ratio:.1f} times as many (at least {RATIO})")
    return int(ratio < RATIO)


if __name__ == "__main__":
    sys.exit(main())
