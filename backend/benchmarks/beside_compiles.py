"""How long executions and the health check take while others compile: at rest, beside large texts, beside many.

A workbench is started with the sample. One client runs `findUser` without a pause; another asks for the health and
then waits 10 ms. They are measured in four stretches, and times are those of the client's clock:

    at rest          a control
    60 × 20 KB       while 60 small texts are compiled
    at rest again    a control: the more it differs from the first, the less the figures of this machine can be trusted
    4 × 990 KB       while 4 large texts are compiled

The last lines compare the figures with the goals: the worst health answer with 100 ms, and the p99 of executions with
twice that at rest, taken from both controls together.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import httpx

EXECUTION = "/api/applications/scadr/environments/development/deployments/live/queries/findUser/executions"
LARGE_TEXTS, LARGE_BYTES = 4, 990_000  # just below the most characters that one file may have
SMALL_TEXTS, SMALL_BYTES = 60, 20_000
MOST_HEALTH_MS, MOST_RATIO = 100.0, 2.0  # the goals


@dataclass
class Stretch:
    """One stretch of the measurement: the ms that each request took, and how many texts were compiled meanwhile."""

    executions: list[float] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    compiled: int = 0


def text_of(size: int, number: int) -> str:
    """One table and as many queries as the size has room for; no two numbers give the same text."""
    parts = [f"CREATE TABLE t{number} (a INT PRIMARY KEY, b INT, c INT);\n"]
    length = len(parts[0])
    while length < size:
        at = len(parts)
        parts.append(f"CREATE QUERY q{number}_{at} AS SELECT a, b, c FROM t{number} WHERE a = [a] AND b > {at};\n")
        length += len(parts[-1])
    return "".join(parts)


async def timed(request: asyncio.Future[httpx.Response], times: list[float]) -> None:
    """Wait for an answer and append the ms that it took; raises httpx.HTTPStatusError for an error status."""
    started = perf_counter()
    answer = await request
    times.append((perf_counter() - started) * 1000)
    answer.raise_for_status()


async def watch(client: httpx.AsyncClient, until: asyncio.Event) -> Stretch:
    """Execute and ask for the health until the event is set."""
    stretch = Stretch()

    async def execute() -> None:
        while not until.is_set():
            body = {"parameters": {"username": "ada_bell"}}
            await timed(asyncio.ensure_future(client.post(EXECUTION, json=body)), stretch.executions)

    async def ask_for_health() -> None:
        while not until.is_set():
            await timed(asyncio.ensure_future(client.get("/api/health")), stretch.health)
            await asyncio.sleep(0.01)

    await asyncio.gather(execute(), ask_for_health())
    return stretch


async def at_rest(client: httpx.AsyncClient, seconds: float) -> Stretch:
    """Watch for so many seconds while nothing is compiled."""
    over = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, over.set)
    return await watch(client, over)


async def beside(
    client: httpx.AsyncClient, compiling_client: httpx.AsyncClient, texts: Sequence[str], most_seconds: float
) -> Stretch:
    """Watch until all texts are compiled, or until the time is over; texts that are not compiled then are given up."""
    bodies = [{"files": [{"path": f"f{number}.piql", "text": text}]} for number, text in enumerate(texts)]
    compiles = [asyncio.create_task(compiling_client.post("/api/compilations", json=body)) for body in bodies]
    over = asyncio.Event()

    async def end() -> None:
        await asyncio.wait(compiles, timeout=most_seconds)
        over.set()

    stretch, _ = await asyncio.gather(watch(client, over), end())
    stretch.compiled = sum(task.done() and task.result().status_code == 200 for task in compiles)
    for task in compiles:
        task.cancel()
    await asyncio.gather(*compiles, return_exceptions=True)
    return stretch


def p99_of(stretch: Stretch) -> float:
    """The p99 of the executions, in ms."""
    return statistics.quantiles(stretch.executions, n=100)[98]


def show(name: str, stretch: Stretch, rest: Stretch) -> None:
    """Print a line of the table; the ratio is that of the p99s of executions, to that at rest."""
    executions, health, p99 = stretch.executions, stretch.health, p99_of(stretch)
    print(
        f"{name:<16}{len(executions):>6}{statistics.median(executions):>8.1f}{p99:>8.1f}{p99 / p99_of(rest):>7.2f}"
        f"{statistics.median(health):>12.1f}{max(health):>8.1f}{stretch.compiled:>10}",
        flush=True,
    )


def judge(cases: dict[str, Stretch], controls: Sequence[Stretch]) -> None:
    """Print each goal with its figure beside compiles and at rest; no verdict where the controls miss the goal."""
    rest = Stretch(
        [ms for control in controls for ms in control.executions], [ms for control in controls for ms in control.health]
    )
    rest_p99s = [p99_of(control) for control in controls]
    is_steady = max(rest_p99s) <= MOST_RATIO * min(rest_p99s)
    for name, stretch in cases.items():
        worst, ratio = max(stretch.health), p99_of(stretch) / p99_of(rest)
        verdict = "met" if worst <= MOST_HEALTH_MS else "missed"
        if max(rest.health) > MOST_HEALTH_MS:
            verdict = "not known: so at rest"
        figures = f"worst health {worst:.1f} ms, at rest {max(rest.health):.1f}"
        print(f"{name}: {figures}; goal {MOST_HEALTH_MS:g}: {verdict}")
        verdict = "met" if ratio <= MOST_RATIO else "missed"
        if not is_steady:
            verdict = f"not known: the controls have {rest_p99s[0]:.1f} and {rest_p99s[1]:.1f} ms"
        print(f"{name}: p99 of executions {ratio:.2f} × at rest; goal {MOST_RATIO:g}: {verdict}")


async def measure(address: str, seconds: float) -> None:
    """Measure the four stretches on the workbench at an address, and print the table and the verdicts."""
    async with (
        httpx.AsyncClient(base_url=address, timeout=300) as client,
        httpx.AsyncClient(base_url=address, timeout=300) as compiling_client,
    ):
        await at_rest(client, 2.0)  # to warm up: the first requests are slower
        print(f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; times in ms")
        print(f"{'':<16}{'runs':>6}{'p50':>8}{'p99':>8}{'ratio':>7}{'health p50':>12}{'worst':>8}{'compiled':>10}")
        rest = await at_rest(client, seconds)
        show("at rest", rest, rest)
        texts = [text_of(SMALL_BYTES, number) for number in range(SMALL_TEXTS)]
        small = await beside(client, compiling_client, texts, seconds)
        show(f"{SMALL_TEXTS} × {SMALL_BYTES // 1000} KB", small, rest)
        again = await at_rest(client, seconds)
        show("at rest again", again, rest)
        texts = [text_of(LARGE_BYTES, number) for number in range(LARGE_TEXTS)]
        large = await beside(client, compiling_client, texts, seconds)
        show(f"{LARGE_TEXTS} × {LARGE_BYTES // 1000} KB", large, rest)
        print(f"load of the machine {os.getloadavg()[0]:.1f}")
        cases = {f"{SMALL_TEXTS} × {SMALL_BYTES // 1000} KB": small, f"{LARGE_TEXTS} × {LARGE_BYTES // 1000} KB": large}
        judge(cases, (rest, again))


def main() -> None:
    """Start a workbench without rate limits in a process of its own, and measure it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="that a stretch takes at most")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "piql_backend", "--port", "0", "--data", str(Path(folder) / "data")]
        unlimited = os.environ | {"RATE_EXECUTIONS": "0", "RATE_COMPILES": "0", "RATE_OTHERS": "0"}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=unlimited) as server:
            try:
                assert server.stdout is not None
                address = server.stdout.readline().strip().rpartition(" ")[2]
                asyncio.run(measure(address, options.seconds))
            finally:
                server.send_signal(signal.SIGTERM)


if __name__ == "__main__":
    main()
