"""One answer is worked out for all who ask the same, by one thread, and holds as long as its version."""

from __future__ import annotations

import asyncio
import threading

import pytest
from patience import PATIENCE
from piql_backend.latency.shared_answers import SharedAnswers
from piql_backend.latency.shared_reads import SECONDS_KEPT
from piql_backend.web.errors import ApiError
from piql_backend.web.schemas import Read


class Number(Read):
    """An answer."""

    number: int


class World:
    """What answers are worked out from."""

    def __init__(self) -> None:
        self.version, self.seconds, self.waiting, self.worked_out = 0, 0.0, 0, 0
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.answers = SharedAnswers(
            lambda: str(self.version), lambda: not self.waiting, self.settle, lambda: self.seconds
        )

    def settle(self) -> None:
        self.version, self.waiting = self.version + self.waiting, 0

    def work_out(self) -> Number:
        self.worked_out += 1
        assert self.may_answer.wait(PATIENCE)
        return Number(number=self.version)

    async def ask(self) -> bytes:
        return bytes((await self.answers.read("this", self.work_out)).body)


async def test_all_who_ask_share_an_answer_and_one_thread() -> None:
    world = World()
    world.may_answer.clear()
    asking = [asyncio.create_task(world.ask()) for _ in range(200)]
    while not world.worked_out:
        await asyncio.sleep(0)
    assert threading.active_count() < 100
    world.may_answer.set()
    assert {*await asyncio.gather(*asking)} == {b'{"number":0}'}
    assert world.worked_out == 1


async def test_it_holds_for_its_version_and_for_a_while_and_what_waits_is_written_first() -> None:
    world = World()
    assert (await world.ask(), await world.ask(), world.worked_out) == (b'{"number":0}', b'{"number":0}', 1)
    world.waiting = 1
    assert (await world.ask(), world.worked_out) == (b'{"number":1}', 2)
    world.seconds += SECONDS_KEPT
    assert (await world.ask(), world.worked_out) == (b'{"number":1}', 3)


async def test_a_refusal_is_told_to_all_and_not_kept() -> None:
    world = World()

    def refuse() -> Number:
        raise ApiError(404, "unknown-deployment", "There is no such deployment.")

    for _ in range(2):
        with pytest.raises(ApiError):
            await world.answers.read("this", refuse)
    assert await world.ask() == b'{"number":0}'
