"""How fast the workbench answers 200 people who are signed in, open an application, type and read dashboards.

Run as `PYTHONPATH=tools python -m several_servers.many_users`. Two servers, PostgreSQL and nginx run on this machine,
as `running.py` starts them. So do the people, whose share of the processors is printed. Each person goes through the
same minute at a moment of their own:

    opens an application    who am I, the applications, this one, its environments, what is live and how it is
    types                   --keys times: the application is compiled, every second time names are completed, too
    saves                   one file
    reads the dashboard     for 15 seconds: every 3 s how fast the queries are, every 5 s the alerts

Meanwhile the page asks again what a page asks again: every 4 s how the environment is, every 4 s the application, every
3 s comments, every 15 s how fast the queries are. It says which answer it has, as a browser does. `--only-acts` leaves
this out. Nobody has a live session: what is typed there goes through sockets, and is measured by no request.

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
from collections import defaultdict
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from piql_backend.people.postgresql import address_of
from piql_backend.people.service import People
from piql_backend.web.visitor import EVERYWHERE

from several_servers.running import Hosted, hosted

GOAL_MS = 250.0
MOST_GROWTH = 0.10
_PERSON = "person-{}"
_PASSWORD = "correct horse battery"
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
_MINUTE = 60.0
_DASHBOARD_SECONDS = 15.0


@dataclass
class Figures:
    """Times in ms by endpoint, and answers that were no success."""

    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    refused: dict[str, int] = field(default_factory=lambda: defaultdict(int))


class Person:
    """Somebody with a session and an address of their own."""

    def __init__(self, number: int, url: str, session: str, application: str, figures: Figures) -> None:
        headers = {"cookie": f"piql-session={session}", "x-forwarded-for": f"10.1.{number // 250}.{number % 250 + 1}"}
        self._client = httpx.AsyncClient(base_url=f"{url}/api/", headers=headers, timeout=60)
        self._number = number
        self._application = f"applications/{application}"
        self._environment = f"{self._application}/environments/development"
        self._figures = figures
        self._random = random.Random(number)
        self._files: list[dict[str, Any]] = []
        self._typed = 0
        self._tags: dict[str, str] = {}

    async def minute(self, keys: int, *, is_asked_again: bool) -> None:
        """Open, type, save and read, spread over a minute; the page asks again meanwhile what it always does."""
        until = time.monotonic() + _MINUTE
        await self._open()
        async with _following(self._asked_again() if is_asked_again else []):
            for number in range(keys):
                await self._think()
                await self._type(is_completed=number % 2 == 0)
            await self._save()
            await self._think()
            async with _following(self._dashboard()):
                await asyncio.sleep(_DASHBOARD_SECONDS)
            await asyncio.sleep(max(0.0, until - time.monotonic()))

    async def close(self) -> None:
        await self._client.aclose()

    async def _think(self) -> None:
        await asyncio.sleep(self._random.uniform(1.0, 5.0))

    def _asked_again(self) -> Sequence[Coroutine[Any, Any, None]]:
        """What a page asks for as long as it is open."""
        latency = f"{self._environment}/latency/live?window_seconds=3600&source=both"
        return [
            self._follow(4, f"{self._environment}/health", "health of an environment"),
            self._follow(4, self._application, "application"),
            self._follow(3, f"{self._application}/threads?after=0&limit=500", "comments"),
            self._follow(15, latency, "dashboard"),
        ]

    def _dashboard(self) -> Sequence[Coroutine[Any, Any, None]]:
        latency = f"{self._environment}/latency/live?window_seconds=3600&source=both"
        return [self._follow(3, latency, "dashboard"), self._follow(5, f"{self._environment}/alerts", "alerts")]

    async def _follow(self, seconds: float, path: str, name: str) -> None:
        """Ask for something again and again, so many seconds after the last answer."""
        await asyncio.sleep(self._random.uniform(0, seconds))
        while True:
            await self._ask("GET", path, name, is_asked_again=True)
            await asyncio.sleep(seconds)

    async def _open(self) -> None:
        await self._ask("GET", "session", "session")
        await self._ask("GET", "applications", "applications")
        answer = await self._ask("GET", self._application, "application")
        self._files = answer["files"] if answer else self._files
        await self._ask("GET", f"{self._application}/environments", "environments")
        await self._ask("GET", f"{self._environment}/deployments/live", "what is live")
        await self._ask("GET", f"{self._environment}/health", "health of an environment")

    async def _type(self, *, is_completed: bool) -> None:
        """Change a comment in one file, as every key changes the text."""
        self._typed += 1
        texts = [{"path": file["path"], "text": file["text"]} for file in self._files]
        at = self._number % len(texts)
        texts[at]["text"] += f"\n-- {self._number} {self._typed}\n"
        await self._ask("POST", "compilations", "compilation", {"files": texts, "stages_of": None})
        if is_completed:
            place = {"files": texts, "file": texts[at]["path"], "line": 1, "column": 1}
            await self._ask("POST", "language/completions", "completions", place)

    async def _save(self) -> None:
        path = f"notes/{_PERSON.format(self._number)}.piql"
        kept = next((file for file in self._files if file["path"] == path), None)
        text = f"-- {self._number} {self._typed}\n"
        if kept is None:
            await self._ask("POST", f"{self._application}/files", "new file", {"path": path, "text": text})
        else:
            body = {"text": text, "base_revision": kept["revision"]}
            await self._ask("PUT", f"{self._application}/files/{path}", "save", body)

    async def _ask(
        self, method: str, path: str, name: str, body: object = None, *, is_asked_again: bool = False
    ) -> Any:
        began = time.perf_counter()
        try:
            tags = {"if-none-match": self._tags[path]} if is_asked_again and path in self._tags else {}
            answer = await self._client.request(method, path, json=body, headers=tags)
        except httpx.TransportError as error:
            self._figures.refused[f"{name}: {type(error).__name__}"] += 1
            return None
        self._figures.times[name].append((time.perf_counter() - began) * 1000)
        if answer.status_code == httpx.codes.NOT_MODIFIED:
            return None
        if answer.is_success:
            if "etag" in answer.headers:
                self._tags[path] = answer.headers["etag"]
            return answer.json() if answer.content else None
        self._figures.refused[f"{name}: {answer.status_code}"] += 1
        return None


@asynccontextmanager
async def _following(asked: Sequence[Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
    """Ask for things beside what is done inside."""
    tasks = [asyncio.ensure_future(request) for request in asked]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


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
    """So many people work in so many applications; `is_asked_again`: their pages ask as pages do."""

    people: int
    applications: int
    minutes: float
    keys: int
    is_asked_again: bool


async def measure(running: Hosted, load: Load) -> bool:
    """Let people work for so many minutes; return whether all goals were reached."""
    begun = sessions_of(running.metadata, load.people)
    names = await made_applications(running.url, load.applications)
    figures = Figures()
    those = [Person(number, running.url, begun[number], names[number % len(names)], figures) for number in begun]
    processes = [server.process.pid for server in running.servers if server.process is not None]
    memory: list[tuple[float, list[float]]] = []
    used, own, started = [processor_seconds(pid) for pid in processes], time.process_time(), time.monotonic()

    async def work(person: Person) -> None:
        await asyncio.sleep(random.uniform(0, _MINUTE))
        while time.monotonic() - started < load.minutes * 60:
            await person.minute(load.keys, is_asked_again=load.is_asked_again)

    async def watch() -> None:
        while True:
            memory.append((time.monotonic() - started, [memory_megabytes(pid) for pid in processes]))
            await asyncio.sleep(15)

    watching = asyncio.ensure_future(watch())
    await asyncio.gather(*(work(person) for person in those))
    watching.cancel()
    seconds = time.monotonic() - started
    spent = [after - before for before, after in zip(used, map(processor_seconds, processes), strict=True)]
    await asyncio.gather(*(person.close() for person in those))
    print(f"{load}\n{seconds:.0f} s, load of the machine {os.getloadavg()[0]:.1f}")
    print("  ".join(f"server {n}: {s / seconds:.2f} processors" for n, s in enumerate(spent, 1)), end="  ")
    print(f"the people themselves: {(time.process_time() - own) / seconds:.2f}")
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
        cuts = statistics.quantiles(times, n=100) if len(times) > 1 else times * 99
        p50, p95, p99 = cuts[49], cuts[94], cuts[98]
        is_reached &= p95 <= GOAL_MS
        numbers = f"{len(times) / seconds:8.1f} {p50:7.0f} {p95:7.0f} {p99:7.0f} {max(times):7.0f}"
        print(f"{name:26} {len(times):8} {numbers}{'' if p95 <= GOAL_MS else '  over the goal'}")
    for name, count in sorted(figures.refused.items()):
        print(f"no success: {name} {count}")
    return is_reached


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
    parser.add_argument("--only-acts", action="store_true", help="pages ask for nothing again")
    options = parser.parse_args()
    with hosted({"ada": "administrator"}, _PASSWORD, environment={"SAMPLE_USERS": "100"}) as running:
        load = Load(options.people, options.applications, options.minutes, options.keys, not options.only_acts)
        return int(not asyncio.run(measure(running, load)))


if __name__ == "__main__":
    raise SystemExit(main())
