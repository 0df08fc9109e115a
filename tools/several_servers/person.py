"""One of many people whose pages `many_users.py` plays: what a page asks, and the socket of the file that they edit.

A page asks for its pulse every 4 seconds, and for what it holds once the pulse has another version of it, as
`frontend/src/api/pulse.ts` does. It says which answer it has, as a browser does.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import orjson
from piql_backend.hosting.writer_connections import Lost, NotSent
from piql_backend.live_sessions import messages
from piql_backend.live_sessions.messages import Reader, number_as_bytes, with_length
from pycrdt import Doc, Text
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from several_servers.asking import Asking

MINUTE = 60.0
DASHBOARD_SECONDS = 15.0
_PULSE_SECONDS = 4.0
_FLOW_SECONDS = 15.0  # between two looks of the steps of the work at what was observed
_SLIDES_SECONDS = 30.0  # an older answer about a window that ends now is asked for again
_QUERY = "findUser"
_READ = {"application", "pulse"}  # the answers that decide what a page asks next


@dataclass
class Figures:
    """Times in ms by endpoint, answers that were no success, and how long a key in a live session took to be saved."""

    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    refused: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    until_saved: list[float] = field(default_factory=list)


class Person:
    """Somebody with a session and an address of their own."""

    def __init__(self, number: int, asking: Asking, session: str, application: str, figures: Figures) -> None:
        self._asking = asking
        self._headers = {"cookie": f"piql-session={session}"}
        self._number = number
        self._application = f"applications/{application}"
        self._environment = f"{self._application}/environments/development"
        self._latency = f"{self._environment}/latency/live?window_seconds=3600&source=both"
        self._figures = figures
        self._random = random.Random(number)
        self._files: list[dict[str, Any]] = []
        self._typed = 0
        self._tags: dict[str, str] = {}
        self._versions: dict[str, str] = {}
        self._noted: dict[str, str] = {}
        self._observed_at = 0.0
        self._live: LiveFile | None = None

    async def minute(self, keys: int) -> None:
        """Open, type and read, spread over a minute; the page asks again meanwhile what it always does."""
        until = time.monotonic() + MINUTE
        await self._open()
        async with self._editing(), _following([self._beat(), self._flow()]):
            for number in range(keys):
                await self._think()
                await self._type(is_completed=number % 2 == 0)
            await self._execute()
            await self._think()
            async with _following([self._dashboard()]):
                await asyncio.sleep(DASHBOARD_SECONDS)
            await asyncio.sleep(max(0.0, until - time.monotonic()))

    async def _think(self) -> None:
        await asyncio.sleep(self._random.uniform(1.0, 5.0))

    async def _open(self) -> None:
        """What a page asks before anything is shown."""
        self._noted, self._versions, self._observed_at = {}, {}, 0.0
        await self._ask("GET", "session", "session")
        await self._ask("GET", "applications", "applications")
        await self._ask("GET", f"{self._application}/environments", "environments")
        answers = await asyncio.gather(
            self._read_files(), self._pulse(), self._read_comments(), self._ask("GET", self._deployments, "versions")
        )
        if answers[0] is None and not self._files:
            raise RuntimeError("an application could not be opened")
        for path, name in (
            ("deployments/builds/latest", "build"),
            ("profile-runs", "profile runs"),
            ("slos", "SLOs"),
            ("deployments/live", "what is live"),
        ):
            await self._ask("GET", f"{self._environment}/{path}", name)
        await self._compile()
        await self._observed()

    @property
    def _deployments(self) -> str:
        return f"{self._environment}/deployments"

    async def _beat(self) -> None:
        """Ask for the pulse, then for what is out of date."""
        await asyncio.sleep(self._random.uniform(0, _PULSE_SECONDS))
        while True:
            before = self._versions
            await self._pulse()
            if self._versions.get("files") != self._noted.get("files"):
                await self._read_files()
            if self._versions.get("comments", "") != self._noted.get("comments", ""):
                await self._read_comments()
            if before and before["live"] != self._versions["live"]:
                await self._ask("GET", self._deployments, "versions")
            await asyncio.sleep(_PULSE_SECONDS)

    async def _pulse(self) -> None:
        answer = await self._ask("GET", f"{self._environment}/pulse", "pulse")
        if answer is not None:
            self._versions = answer["versions"]

    async def _read_files(self) -> Any:
        answer = await self._ask("GET", self._application, "application")
        if answer is not None:
            self._files, self._noted["files"] = answer["files"], answer["version"]
        return answer

    async def _read_comments(self) -> None:
        self._noted["comments"] = self._versions.get("comments", "")
        await self._ask("GET", f"{self._application}/threads?after=0&limit=500", "comments")

    async def _flow(self) -> None:
        while True:
            await asyncio.sleep(_FLOW_SECONDS)
            await self._observed()

    async def _dashboard(self) -> None:
        """The page of the dashboard with one query open: what is always asked there, then what is out of date."""
        live = f"{self._environment}/latency/live"
        await self._ask("GET", f"{self._environment}/slos", "SLOs")
        await self._ask("GET", f"{live}/unusual?source=both", "unusual queries")
        await self._ask("GET", f"{live}/unusual/{_QUERY}?source=both", "unusual")
        await self._ask("GET", f"{live}/load/{_QUERY}?source=both", "over load")
        prices = {"files": self._texts(), "rates": {}}
        await self._ask("POST", f"{self._environment}/price-reports", "prices", prices)
        self._noted.pop("observed", None)
        while True:
            if await self._observed():
                window = "window_seconds=3600&source=both"
                charts = f"{self._environment}/latency/live/charts/{_QUERY}?{window}"
                await self._ask("GET", charts, "charts")
                await self._ask("GET", f"{self._environment}/operator-times/live?{window}", "operator times")
            await asyncio.sleep(_PULSE_SECONDS)

    async def _observed(self) -> bool:
        """How fast the queries are, where that may be another answer than the last; whether it was asked."""
        is_old = time.monotonic() - self._observed_at > _SLIDES_SECONDS
        if is_old or self._versions.get("observed") != self._noted.get("observed"):
            self._noted["observed"], self._observed_at = self._versions.get("observed", ""), time.monotonic()
            await self._ask("GET", self._latency, "dashboard")
            return True
        return False

    @asynccontextmanager
    async def _editing(self) -> AsyncIterator[None]:
        """Take part in the live session of one file; a page goes on without, where it is refused."""
        self._live = LiveFile(self._asking.url, self._headers, f"{self._application}/live/{self._path}", self._figures)
        try:
            await self._live.open()
            yield
        finally:
            await self._live.close()

    async def _type(self, *, is_completed: bool) -> None:
        """Add a word to a comment at the end of the file: it goes through the socket, and the texts are compiled."""
        assert self._live is not None
        self._typed += 1
        self._live.type(f"\n-- {self._number} {self._typed}" if self._typed % 10 == 1 else f" {self._typed}")
        await self._compile()
        if is_completed:
            place = {"files": self._texts(), "file": self._path, "line": 1, "column": 1}
            await self._ask("POST", "language/completions", "completions", place)

    async def _compile(self) -> None:
        """What the editor asks about a text that is new to it."""
        texts = self._texts()
        body = {"files": texts, "stages_of": _QUERY, "first": []}
        await asyncio.gather(
            self._ask("POST", "compilations/parts", "compilation", body),
            self._ask("POST", "language/tokens", "colours, folds", {"files": texts, "file": self._path}),
        )

    @property
    def _path(self) -> str:
        """The file that is edited."""
        path: str = self._files[self._number % len(self._files)]["path"]
        return path

    async def _execute(self) -> None:
        path = f"{self._environment}/deployments/live/queries/{_QUERY}/executions"
        await self._ask("POST", path, "execution", {"parameters": {"username": "nobody"}})

    def _texts(self) -> list[dict[str, str]]:
        texts = [{"path": file["path"], "text": file["text"]} for file in self._files]
        if self._live is not None and self._live.text:
            texts[self._number % len(texts)]["text"] = self._live.text
        return texts

    async def _ask(self, method: str, path: str, name: str, body: object = None) -> Any:
        began = time.perf_counter()
        tags = {"if-none-match": self._tags[path]} if method == "GET" and path in self._tags else {}
        try:
            answer = await self._asking.ask(method, f"/api/{path}", self._headers | tags, body)
        except (Lost, NotSent, TimeoutError) as error:
            self._figures.refused[f"{name}: {type(error).__name__}"] += 1
            return None
        self._figures.times[name].append((time.perf_counter() - began) * 1000)
        if answer.status == HTTPStatus.NOT_MODIFIED:
            return None
        if answer.status >= HTTPStatus.MULTIPLE_CHOICES:
            self._figures.refused[f"{name}: {answer.status}"] += 1
            return None
        if "etag" in answer.headers:
            self._tags[path] = answer.headers["etag"]
        is_read = name in _READ and answer.headers.get("content-type", "").startswith("application/json")
        return orjson.loads(answer.body) if is_read else None


class LiveFile:
    """A page's side of the live session of a file."""

    def __init__(self, url: str, headers: dict[str, str], path: str, figures: Figures) -> None:
        self._url = f"{url.replace('http', 'ws', 1)}/api/{path}"
        self._headers = headers
        self._figures = figures
        self._doc: Doc[Text] = Doc()
        self._doc["text"] = self._text = Text()
        self._socket: ClientConnection | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._sending: asyncio.Queue[bytes] = asyncio.Queue()
        self._synced = asyncio.Event()
        self._sent: list[float] = []  # when each message of edits that is not acknowledged was sent
        self._acknowledged = 0
        self._clock = 0

    @property
    def text(self) -> str:
        return str(self._text)

    async def open(self) -> None:
        try:
            self._socket = await connect(self._url, additional_headers=self._headers, compression=None, proxy=None)
        except (OSError, InvalidHandshake, TimeoutError) as error:
            self._figures.refused[f"live session: {type(error).__name__}"] += 1
            return
        self._tasks = [asyncio.ensure_future(self._receive()), asyncio.ensure_future(self._send())]
        self._sending.put_nowait(messages.asking(self._doc.get_state()))
        self._tell_presence()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._synced.wait(), 30)

    def type(self, text: str) -> None:
        """Add to the end of the file, as keys do: the edit, and where the caret is now."""
        before = self._doc.get_state()
        self._text += text
        self._sent.append(time.perf_counter())
        self._sending.put_nowait(messages.edits(self._doc.get_update(before)))
        self._tell_presence()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._socket is not None:
            await self._socket.close()

    def _tell_presence(self) -> None:
        self._clock += 1
        state = json.dumps({"cursor": {"anchor": len(self.text), "head": len(self.text)}}).encode()
        client = number_as_bytes(self._doc.client_id & 0x7FFFFFFF)
        update = number_as_bytes(1) + client + number_as_bytes(self._clock) + with_length(state)
        self._sending.put_nowait(messages.presence(update))

    async def _send(self) -> None:
        assert self._socket is not None
        with contextlib.suppress(ConnectionClosed):
            while True:
                await self._socket.send(await self._sending.get())

    async def _receive(self) -> None:
        assert self._socket is not None
        with contextlib.suppress(ConnectionClosed):
            async for content in self._socket:
                if isinstance(content, bytes):
                    self._take(content)
        if not self._synced.is_set():
            self._figures.refused["live session: closed"] += 1

    def _take(self, content: bytes) -> None:
        reader = Reader(content)
        kind = reader.number()
        if kind == messages.SYNC:
            step, body = reader.number(), reader.content()
            if step == messages.ASKS:
                self._sending.put_nowait(messages.answering(self._doc.get_update(body)))
                self._sent.append(time.perf_counter())
            else:
                self._doc.apply_update(body)
                self._synced.set()
        elif kind == 101:
            acknowledged = json.loads(reader.content())["messages"]
            for began in self._sent[: acknowledged - self._acknowledged]:
                self._figures.until_saved.append((time.perf_counter() - began) * 1000)
            del self._sent[: acknowledged - self._acknowledged]
            self._acknowledged = max(self._acknowledged, acknowledged)


@asynccontextmanager
async def _following(asked: Sequence[Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
    """Ask for things beside what is done inside."""
    tasks = [asyncio.ensure_future(request) for request in asked]
    try:
        yield
    finally:
        while running := [task for task in tasks if not task.done()]:
            for task in running:
                task.cancel()
            await asyncio.wait(running, timeout=1)
        await asyncio.gather(*tasks, return_exceptions=True)
