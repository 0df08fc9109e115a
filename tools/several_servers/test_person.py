"""A person who is played asks what a page was seen to ask, and nothing that a page does not."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from several_servers import person
from several_servers.asking import Answered, Asking
from several_servers.person import Figures, Person

_RECORDED = Path(__file__).with_name("asked_by_a_page.txt")
_BY_SOCKET = {"PUT applications/scadr/files/PATH"}  # where others are in the file, as those who are played are
_ONCE_AT_THE_CARET = {"POST language/references"}  # asked when the caret comes to a name, and not when one types
_BESIDE = {  # what people do beside what was recorded
    "POST language/completions",
    "POST applications/scadr/environments/development/deployments/live/queries/findUser/executions",
}
_FILES = [{"path": "schema.piql", "text": "", "revision": "1"}]
_VERSIONS = {"files": "1", "comments": "", "environments": "1", "live": "d1", "observed": "1"}
_ANSWERS: dict[str, Any] = {"scadr": {"files": _FILES, "version": "1"}, "pulse": {"versions": _VERSIONS}}


class NoSocket:
    """In place of the live session."""

    text = ""

    def __init__(self, *_: object) -> None:
        pass

    async def open(self) -> None:
        pass

    def type(self, text: str) -> None:
        pass

    async def close(self) -> None:
        pass


def asked_in_a_minute(monkeypatch: pytest.MonkeyPatch, shortened: float) -> Counter[str]:
    """What somebody asks in one minute, of which each second is so many seconds long."""
    asked: Counter[str] = Counter()
    sleep = asyncio.sleep

    class NoServer(Asking):
        async def ask(self, method: str, path: str, headers: Mapping[str, str], body: object = None) -> Answered:
            path = urlsplit(path).path.removeprefix("/api/")
            asked[f"{method} {path}"] += 1
            answer = json.dumps(_ANSWERS.get(path.rpartition("/")[2], {})).encode()
            return Answered(200, {"content-type": "application/json"}, answer)

    monkeypatch.setattr(person, "LiveFile", NoSocket)
    monkeypatch.setattr(person, "MINUTE", person.MINUTE * shortened)
    monkeypatch.setattr(asyncio, "sleep", lambda seconds: sleep(seconds * shortened))

    async def play() -> None:
        await Person(0, NoServer("http://workbench"), "", "scadr", Figures()).minute(10)

    asyncio.run(play())
    return asked


def test_the_people_ask_what_a_page_was_seen_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line.split() for line in _RECORDED.read_text().splitlines() if not line.startswith("#")]
    recorded = {f"{method} {path}" for _, _, method, path in lines}
    asked = asked_in_a_minute(monkeypatch, 0.02)
    assert recorded - asked.keys() == _BY_SOCKET | _ONCE_AT_THE_CARET
    assert asked.keys() - recorded == _BESIDE
    pulses = asked["GET applications/scadr/environments/development/pulse"]
    assert 8 <= pulses <= 17  # the page that was recorded asked 16 times in 74 seconds
    assert asked["POST compilations/parts"] == 11
