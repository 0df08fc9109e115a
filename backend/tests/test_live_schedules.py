"""Pages edit one file by a schedule of chance: lines, messages, saves, other programs' saves, kills at steps of a save.

In the end all have the text of the file, and each line that a page or another program wrote is in it, once and whole.
"""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any, cast

import pytest
from piql_backend.applications.repository import Applications
from piql_backend.file_history.service import FileHistories
from piql_backend.live_sessions import messages
from piql_backend.live_sessions.kept_states import KeptStates
from piql_backend.live_sessions.messages import Reader
from piql_backend.live_sessions.participant import Participant
from piql_backend.live_sessions.session import LiveSession
from pycrdt import Doc, Text

PATH, FIRST, LAST = "queries/findUser.piql", "-- first\n", "-- last\n"


class Killed(BaseException):
    """The process ends here."""


class Person:
    """Who edits, as a session sees them; `note` is the record of what they did."""

    name = ""

    async def note(self, status: int) -> None:
        """Nobody reads it."""


class Page:
    """A page, and its part in a session while it is online; what either says waits until the schedule delivers it."""

    may_write = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.passed = Person()
        self.lines: list[str] = []
        self.close()

    def close(self) -> None:
        """Begin anew, with nothing of what was there."""
        self._doc: Doc[Text] = Doc()
        self._doc["text"] = Text()
        self.cut()

    def cut(self) -> None:
        """Go offline: what is on its way is gone."""
        self.session: LiveSession | None = None
        self.to_page: list[bytes] = []
        self.to_server: list[bytes] = []
        self.edits = self.sent = 0
        self.is_saved = False
        self.is_synced = False

    @property
    def text(self) -> str:
        return str(self._doc["text"])

    def connect(self, session: LiveSession) -> None:
        self.cut()
        self.session = session
        session.join(cast("Participant", self))

    def send(self, content: bytes) -> None:
        """What the session says to the page."""
        self.to_page.append(content)

    def end(self, code: int, reason: str) -> None:
        """Nothing of the schedule is a reason to be ended."""
        raise AssertionError((code, reason))

    async def check(self) -> None:
        """It may do as before."""

    def write(self) -> None:
        """Write a line below the first one; without a text there is none yet."""
        if not self.text:
            return
        line = f"-- line {len(self.lines)} of {self.name}\n"
        self.lines.append(line)
        before = self._doc.get_state()
        self._doc["text"].insert(self.text.index(FIRST) + len(FIRST), line)
        self._say_edits(messages.edits(self._doc.get_update(before)))

    def hear(self) -> None:
        """Take the next message of the session."""
        reader = Reader(self.to_page.pop(0))
        match reader.number():
            case messages.SYNC if reader.number() == messages.ASKS:
                self._say_edits(messages.answering(self._doc.get_update(reader.content())))
            case messages.SYNC:
                self._doc.apply_update(reader.content())
                self.is_synced = True
            case 100:
                self.to_server.append(messages.asking(self._doc.get_state()))
            case 101:
                said: dict[str, Any] = json.loads(reader.content())
                self.is_saved = self.is_synced and said["messages"] == self.sent and bool(said["is_current"])

    def _say_edits(self, message: bytes) -> None:
        self.is_saved = False
        if self.session is not None:
            self.to_server.append(message)
            self.sent += 1


class World:
    """The disk, the process with its session, and the pages."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.pages = [Page(name) for name in ("Ada", "Ben", "Cyd")]
        self.lines: list[str] = []  # of pages that were closed with everything acknowledged, and of other programs
        self.session: LiveSession | None = None
        self._applications = Applications(folder / "applications", FileHistories(folder / "histories"))
        self._states = KeptStates(self._applications)
        self._killed_at: str | None = None
        self.file = folder / "applications" / "scadr" / PATH
        self.file.parent.mkdir(parents=True)
        self.file.write_text(FIRST + LAST)
        for step in ("begin", "finish"):
            setattr(self._states, step, self._mortal(step, getattr(self._states, step)))

    def _mortal(self, name: str, step: Any) -> Any:
        """A step of a save, before which the process may end."""

        def run(*arguments: object) -> None:
            if self._killed_at == name:
                raise Killed
            step(*arguments)
            if self._killed_at == f"after {name}":
                raise Killed

        return run

    async def start(self) -> LiveSession:
        if self.session is None:
            self.session = LiveSession("scadr", PATH, self._applications, self._states, lambda: None)
            await self.session.open()
        return self.session

    def kill(self) -> None:
        """End the process: nothing is done any more, not even what a failed save does."""
        self.session = None
        for page in self.pages:
            page.cut()

    async def save(self) -> None:
        """Save, or be killed at some step of it."""
        session = await self.start()
        self._killed_at = self.random.choice([None, None, None, "begin", "after begin", "finish", "after finish"])
        abandon, self._states.abandon = self._states.abandon, lambda *_: None
        try:
            await session.save()
        except Killed:
            self.kill()
        self._states.abandon = abandon
        self._killed_at = None

    def save_elsewhere(self) -> None:
        """Another program adds a line at the end of the file as it is."""
        line = f"-- line {len(self.lines)} of another program\n"
        self.lines.append(line)
        self.file.write_text(self.file.read_text() + line)

    def deliver(self, page: Page) -> None:
        if page.to_server and page.session is not None and self.random.random() < 0.5:
            page.session.receive(cast("Participant", page), page.to_server.pop(0))
        elif page.to_page:
            page.hear()

    async def step(self) -> None:
        page = self.random.choice(self.pages)
        dice = self.random.randrange(100)
        if dice < 15:
            page.write()
        elif dice < 65:
            self.deliver(page)
        elif dice < 75 and page.session is None:
            page.connect(await self.start())
        elif dice < 85:
            await self.save()
        elif dice < 88:
            self.kill()
        elif dice < 91 and page.session is not None:
            page.session.leave(cast("Participant", page))
            page.cut()
        elif dice < 94:
            self.save_elsewhere()
        elif dice < 97 and self.session is not None:
            await self.session.look()
        elif page.is_saved:
            self.lines += page.lines
            page.lines = []
            self._close(page)

    def _close(self, page: Page) -> None:
        if page.session is not None:
            page.session.leave(cast("Participant", page))
        page.close()

    async def settle(self) -> None:
        """Let everything arrive, and be saved."""
        session = await self.start()
        for page in self.pages:
            page.connect(session)
        while any(page.to_server or page.to_page or not page.is_saved for page in self.pages):
            for page in self.pages:
                while page.to_server:
                    session.receive(cast("Participant", page), page.to_server.pop(0))
                while page.to_page:
                    page.hear()
            await session.look()
            await session.save()


@pytest.fixture(autouse=True)
def _saves_by_the_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(_: LiveSession) -> None:
        """The schedule saves and looks."""

    async def at_once(function: Any, *arguments: object) -> Any:
        return function(*arguments)

    monkeypatch.setattr(LiveSession, "_run", nothing)
    monkeypatch.setattr(asyncio, "to_thread", at_once)


@pytest.mark.parametrize("seed", range(100))
async def test_all_have_one_text_in_which_each_line_is_whole(tmp_path: Path, seed: int) -> None:
    world = World(tmp_path, seed)
    for _ in range(150):
        await world.step()
    await world.settle()
    text = world.file.read_text()
    written = world.lines + [line for page in world.pages for line in page.lines]
    assert sorted(text.splitlines(keepends=True)) == sorted([FIRST, LAST, *written])
    assert [page.text for page in world.pages] == [text] * 3
