"""How fast the workbench answers 200 people who are signed in, open an application, type and read dashboards.

Run as `PYTHONPATH=tools python -m several_servers.many_users`. Two servers, PostgreSQL and nginx run on this machine,
as `running.py` starts them. So do the people, whose share of the processors is printed. Each person goes through the
same minute at a moment of their own:

    opens an application    what a page asks before anything is shown, and the live session of a file
    types                   --keys times into that session: the application is compiled, and names are completed
    runs a query            once
    reads the dashboard     for 15 seconds

Meanwhile the page asks for its pulse, and for what is out of date by it (`person.py`).

Printed is each endpoint with its times, and the memory of the servers over time. Fails if a p95 passes the goal, or if
memory grows by more than a tenth between the middle and the end. Figures: docs/measurements/many-users.md.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx
import uvloop
from piql_backend.people.postgresql import address_of
from piql_backend.people.service import People
from piql_backend.web.visitor import EVERYWHERE

from several_servers.asking import Asking
from several_servers.person import MINUTE, Figures, Person
from several_servers.running import Hosted, hosted

GOAL_MS = 250.0
MOST_GROWTH = 0.10
_SECONDS_TO_END = 150.0  # for the minutes that were begun
_PERSON = "person-{}"
_PASSWORD = "correct horse battery"
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


def memory_megabytes(process: int) -> float:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE_BYTES / 1e6


def processor_seconds(process: int) -> float:
    """The processor time of a process and of its children, which are its workers."""
    seconds = 0.0
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            name_and_rest = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(entry.parent.name) == process or int(name_and_rest[1]) == process:
            seconds += (int(name_and_rest[11]) + int(name_and_rest[12])) / _TICKS
    return seconds


def sessions_of(metadata: str, people: int) -> Mapping[int, str]:
    """Add people, and begin a session for each: signing in is no part of what is measured."""
    opened = People(address_of(metadata))
    begun = {}
    for number in range(people):
        opened.accounts.welcome(_PERSON.format(number))
        opened.accounts.set_role(_PERSON.format(number), EVERYWHERE, "developer")
        begun[number] = opened.sessions.begin(opened.accounts.id_of(_PERSON.format(number)), None)
    opened.close()
    return begun


@dataclass(frozen=True)
class Load:
    """So many people work in so many applications."""

    people: int
    applications: int
    minutes: float
    keys: int


async def measure(running: Hosted, load: Load) -> bool:
    """Let people work for so many minutes; return whether all goals were reached."""
    begun = sessions_of(running.metadata, load.people)
    names = await made_applications(running.url, load.applications)
    figures = Figures()
    asking = Asking(running.url)
    those = [Person(number, asking, begun[number], names[number % len(names)], figures) for number in begun]
    processes = [server.process.pid for server in running.servers if server.process is not None]
    memory: list[tuple[float, list[float]]] = []
    used, own, started = [processor_seconds(pid) for pid in processes], time.process_time(), time.monotonic()

    async def work(person: Person) -> None:
        await asyncio.sleep(random.uniform(0, MINUTE))
        while time.monotonic() - started < load.minutes * 60:
            await person.minute(load.keys)

    async def watch() -> None:
        while True:
            memory.append((time.monotonic() - started, [memory_megabytes(pid) for pid in processes]))
            await asyncio.sleep(15)

    watching = asyncio.ensure_future(watch())
    ended, late = await asyncio.wait(
        [asyncio.ensure_future(work(person)) for person in those], timeout=load.minutes * 60 + _SECONDS_TO_END
    )
    seconds = time.monotonic() - started
    for task in (watching, *late):
        task.cancel()
    for task in ended:
        task.result()
    if late:
        figures.refused["people who do not come to an end"] = len(late)
    spent = [after - before for before, after in zip(used, map(processor_seconds, processes), strict=True)]
    await asking.close()
    print(f"{load}\n{seconds:.0f} s, load of the machine {os.getloadavg()[0]:.1f}")
    print("  ".join(f"server {n}: {s / seconds:.2f} processors" for n, s in enumerate(spent, 1)), end="  ")
    print(f"the people themselves: {(time.process_time() - own) / seconds:.2f}")
    if figures.until_saved:
        print("a key in a live session is saved after, p50 and p95 ms:", *_cuts(figures.until_saved)[:2])
    return print_times(figures, seconds) & print_memory(memory)


async def made_applications(url: str, count: int) -> list[str]:
    """Make applications of the sample SCADr, with their stores."""
    names = []
    async with httpx.AsyncClient(base_url=f"{url}/api/", timeout=120) as client:
        (await client.post("session", json={"name": "ada", "password": _PASSWORD})).raise_for_status()
        for number in range(count):
            body = {"title": f"Team {number}", "template": "scadr"}
            answer = await client.post("applications", json=body)
            names.append(answer.raise_for_status().json()["id"])
    return names


def print_times(figures: Figures, seconds: float) -> bool:
    """Print each endpoint; return whether every p95 is within the goal, and nothing was refused."""
    is_reached = not figures.refused
    print(f"{'endpoint':26} {'requests':>8} {'a second':>8} {'p50 ms':>7} {'p95 ms':>7} {'p99 ms':>7} {'most':>7}")
    for name, times in sorted(figures.times.items()):
        p50, p95, p99 = _cuts(times)
        is_reached &= p95 <= GOAL_MS
        numbers = f"{len(times) / seconds:8.1f} {p50:7.0f} {p95:7.0f} {p99:7.0f} {max(times):7.0f}"
        print(f"{name:26} {len(times):8} {numbers}{'' if p95 <= GOAL_MS else '  over the goal'}")
    for name, count in sorted(figures.refused.items()):
        print(f"no success: {name} {count}")
    return is_reached


def _cuts(times: list[float]) -> tuple[float, float, float]:
    """The p50, the p95 and the p99."""
    cuts = statistics.quantiles(times, n=100) if len(times) > 1 else times * 99
    return cuts[49], cuts[94], cuts[98]


def print_memory(memory: list[tuple[float, list[float]]]) -> bool:
    """Print the memory of the servers; return whether it is as good as flat from the middle on."""
    for at, megabytes in memory[:: max(1, len(memory) // 8)]:
        print(f"{at:5.0f} s  " + "  ".join(f"{size:.0f} MB" for size in megabytes))
    middle, last = memory[len(memory) // 2][1], memory[-1][1]
    growth = [after / before - 1 for before, after in zip(middle, last, strict=True)]
    print("growth from the middle to the end: " + ", ".join(f"{share:+.1%}" for share in growth))
    return all(share <= MOST_GROWTH for share in growth)


def main() -> int:
    """Measure; return 1 if a goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--applications", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--keys", type=int, default=10, help="that each person types in a minute")
    options = parser.parse_args()
    with hosted({"ada": "administrator"}, _PASSWORD, environment={"SAMPLE_USERS": "100"}) as running:
        load = Load(options.people, options.applications, options.minutes, options.keys)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return int(not runner.run(measure(running, load)))


if __name__ == "__main__":
    raise SystemExit(main())
