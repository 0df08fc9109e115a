"""Minutes of findUser, then of thoughtstream, by 200 connections: rates, latencies and errors of the service.

    this process   200 connections, each sends its next request at the answer to its last one
    the service    --workers N, with tokens, and reporting to
    a workbench    whose counts must at the end be those of the answers

Everything runs on this machine's cores, the client too. The goals are printed beside what was measured. Fails where an
answer is not 200, or where the workbench counted more or fewer executions than were answered.

    python service/benchmarks/sustained.py --seconds 300
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from urllib.request import urlopen

import piql
import uvloop
from throughput import cpu_seconds

ROOT = Path(__file__).resolve().parents[2]
SCADR = ROOT / "sample-apps" / "scadr"
sys.path.insert(0, str(SCADR))
from data import generate, username  # noqa: E402 - the application's own rows

CONNECTIONS, WARM_SECONDS, USERS = 200, 3.0, 1000
ENVIRONMENT = "/api/applications/scadr/environments/development"
GOALS = {"findUser": (15_000, 40.0), "thoughtstream": (5_000, None)}  # a second, and ms of the p99
MS_PER_BUCKET, BUCKETS = 0.1, 20_000


@dataclass
class Counts:
    """What the connections counted: answers by tenths of a millisecond, and those that were not 200."""

    answered: int = 0
    is_measuring: bool = False
    is_sending: bool = True
    client_share: float = 0.0  # of one core
    histogram: list[int] = field(default_factory=lambda: [0] * BUCKETS)
    errors: list[bytes] = field(default_factory=list)

    def quantile_ms(self, share: float) -> float:
        rank, total = share * sum(self.histogram), 0
        for bucket, count in enumerate(self.histogram):
            total += count
            if total >= rank:
                return (bucket + 1) * MS_PER_BUCKET
        return float("inf")


class Connection(asyncio.Protocol):
    """Asks for another user each time, so that reads of different connections are seldom equal."""

    def __init__(self, number: int, path: str, body: str, token: str, counts: Counts) -> None:
        self._counts, self._next = counts, number
        self._requests = []
        for user in range(number, USERS, CONNECTIONS):
            content = (body % username(user)).encode()
            head = (
                f"POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n"
                f"content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
            )
            self._requests.append(head.encode() + content)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport, self._received, self._length = cast(asyncio.Transport, transport), b"", 0
        self._send()

    def _send(self) -> None:
        self._next += 1
        self._started = time.perf_counter()
        self._transport.write(self._requests[self._next % len(self._requests)])

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._length:
            head, end, _ = self._received.partition(b"\r\n\r\n")
            if not end:
                return
            _, _, length = head.lower().partition(b"content-length:")
            self._length = len(head) + 4 + int(length.split(b"\r\n", 1)[0])
        if len(self._received) < self._length:
            return
        counts = self._counts
        counts.answered += 1
        if counts.is_measuring:
            elapsed_ms = (time.perf_counter() - self._started) * 1000
            counts.histogram[min(BUCKETS - 1, int(elapsed_ms / MS_PER_BUCKET))] += 1
        if not self._received.startswith(b"HTTP/1.1 200"):
            counts.errors.append(self._received[:300])
        self._received, self._length = b"", 0
        if counts.is_sending:
            self._send()

    def connection_lost(self, exception: Exception | None) -> None:
        if self._counts.is_sending:
            self._counts.errors.append(f"a connection broke: {exception}".encode())


async def measure(port: int, server: int, path: str, body: str, token: str, seconds: float) -> tuple[Counts, float]:
    """Send for some seconds; return what was counted, and the processor time of the server."""
    counts = Counts()
    loop = asyncio.get_running_loop()
    connections = [
        await loop.create_connection(
            lambda number=number: Connection(number, path, body, token, counts),  # type: ignore[misc]
            "127.0.0.1",
            port,
        )
        for number in range(CONNECTIONS)
    ]
    await asyncio.sleep(WARM_SECONDS)
    counts.is_measuring, cpu, own = True, cpu_seconds(server), time.process_time()
    await asyncio.sleep(seconds)
    counts.is_measuring, cpu = False, cpu_seconds(server) - cpu
    counts.client_share = (time.process_time() - own) / seconds
    counts.is_sending = False
    await asyncio.sleep(2)  # for the answers that are on their way
    for transport, _ in connections:
        transport.abort()
    return counts, cpu


@contextmanager
def running(environment: dict[str, str], *command: str) -> Iterator[tuple[int, int]]:
    """Run a command of piql that prints its address; yield the port, and the id of the process."""
    words = [sys.executable, "-m", "piql.commands.cli", *command]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=os.environ | environment) as process:
        assert process.stdout is not None
        try:
            line = next(line for line in process.stdout if "http://" in line)
            yield int(line.partition("http://")[2].partition(":")[2].split("/")[0].split()[0].rstrip(".")), process.pid
        finally:
            process.terminate()


def reported(address: str) -> dict[str, int]:
    """How many executions of each query the workbench counted."""
    with urlopen(f"{address}{ENVIRONMENT}/reports?window_seconds=7200") as answer:
        content: dict[str, Any] = json.load(answer)
    return {query["query"]: query["executions"] for query in content["queries"]}


def engine_alone(store: str, seconds: float) -> dict[str, float]:
    """How many executions a second one process makes that calls the engine itself, in turn."""
    rates = {}
    with piql.connect(store, report="") as db:
        for query, parameters in (("findUser", {"username": username(7)}), ("thoughtstream", _stream(username(7)))):
            started, count = time.perf_counter(), 0
            while time.perf_counter() - started < seconds:
                db.execute(query, parameters)
                count += 1
            rates[query] = count / (time.perf_counter() - started)
    return rates


def _stream(me: str) -> dict[str, object]:
    return {"me": me, "count": 10}


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300, help="of each query")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--workbench-seconds", type=float, default=0, help="of its own endpoint for executions")
    options = parser.parse_args(words)
    print(f"nice {os.nice(0)}, load {os.getloadavg()[0]:.1f} before, {os.cpu_count()} cores, {options.workers} workers")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        store = f"embedded:{folder}/store.db"
        with piql.connect(store, report="") as db:
            db.deploy(piql.compile(SCADR))
            for table, rows in generate(users=USERS).items():
                db.load(table, rows)
        for query, rate in engine_alone(store, 5).items():
            print(f"engine called directly  {query:<14} {rate:>8,.0f}/s in one process", flush=True)
        port, workbench = stack.enter_context(running({}, "serve", "--port", "0", "--data", f"{folder}/data"))
        address = f"http://127.0.0.1:{port}"
        tokens = f"{folder}/tokens"
        made = [sys.executable, "-m", "piql.commands.cli", "service-token", tokens, "bench", "--budget", "1e9"]
        token = subprocess.run(made, capture_output=True, text=True, check=True).stdout.split()[-1]
        reporting = {"PIQL_REPORT": f"{address}{ENVIRONMENT}/reports", "PIQL_REPORT_SPOOL": f"{folder}/spool"}
        serve = ("service", "--store", store, "--port", "0", "--workers", str(options.workers), "--tokens", tokens)
        bodies = {
            "findUser": '{"parameters":{"username":"%s"}}',
            "thoughtstream": '{"parameters":{"me":"%s","count":10}}',
        }
        errors, answered = 0, {}
        for query, body in bodies.items():
            with (
                running(reporting, *serve) as (service_port, server),
                asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
            ):
                counts, cpu = runner.run(
                    measure(service_port, server, f"/queries/{query}", body, token, options.seconds)
                )
            errors, answered[query] = errors + len(counts.errors), counts.answered
            _print(f"service  {query}", counts, options.seconds, cpu, GOALS[query])
            if options.workbench_seconds:
                path = f"{ENVIRONMENT}/deployments/live/queries/{query}/executions"
                with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                    counts, cpu = runner.run(measure(port, workbench, path, body, "", options.workbench_seconds))
                _print(f"workbench's own endpoint  {query}", counts, options.workbench_seconds, cpu, None)
        time.sleep(2)
        seen = reported(address)
        for query, count in answered.items():
            print(f"{query}: {count:,} answers, {seen.get(query, 0):,} executions reported", flush=True)
        are_all_counted = all(seen.get(query) == count for query, count in answered.items())
        return int(errors > 0 or not are_all_counted)


def _print(name: str, counts: Counts, seconds: float, cpu: float, goal: tuple[int, float | None] | None) -> None:
    measured = sum(counts.histogram)
    quantiles = ", ".join(f"p{share * 100:g} {counts.quantile_ms(share):.1f}" for share in (0.5, 0.99, 0.999))
    line = f"{name}: {measured / seconds:,.0f}/s over {seconds:g} s, {quantiles} ms, {len(counts.errors)} errors"
    if cpu:
        line += f", {measured / cpu:,.0f} a second of its processor time"
    line += f"; server {cpu / seconds:.2f} cores, client {counts.client_share:.2f}"
    if goal is not None:
        line += f"; goal {goal[0]:,}/s" + ("" if goal[1] is None else f" with p99 ≤ {goal[1]:g} ms")
    print(line, flush=True)
    for error in counts.errors[:3]:
        print(f"    {error!r}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
