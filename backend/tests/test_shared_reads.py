"""One answer is given to all who ask the same within a moment, and never one that is older than what was written."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from patience import PATIENCE
from piql_backend.latency.shared_reads import SECONDS_KEPT, SharedReads


class World:
    """A database that counts its changes, a clock, and a count of how often an answer was worked out."""

    def __init__(self) -> None:
        self.changes = 0
        self.seconds = 0.0
        self.worked_out = 0
        self.shared = SharedReads[int](lambda: str(self.changes), lambda: self.seconds)

    def work_out(self) -> int:
        self.worked_out += 1
        return self.worked_out

    def read(self, asked: str = "live") -> int:
        return self.shared.read(asked, self.work_out)


def test_the_same_question_within_a_moment_has_the_same_answer_and_another_one_its_own() -> None:
    world = World()
    assert [world.read(), world.read(), world.read("other"), world.read()] == [1, 1, 2, 1]


def test_what_was_written_and_what_took_too_long_ask_for_another_answer() -> None:
    world = World()
    world.read()
    world.changes += 1
    assert world.read() == 2
    world.seconds += SECONDS_KEPT
    assert world.read() == 3


def test_what_was_written_while_an_answer_was_worked_out_is_in_the_next_one() -> None:
    world = World()

    def work_out() -> int:
        world.changes += 1
        return world.work_out()

    assert world.shared.read("live", work_out) == 1
    assert world.read() == 2


def test_who_asks_meanwhile_waits_and_is_given_the_same() -> None:
    world = World()
    begun, may_end = threading.Event(), threading.Event()

    def slowly() -> int:
        begun.set()
        assert may_end.wait(PATIENCE)
        return world.work_out()

    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(world.shared.read, "live", slowly)
        assert begun.wait(PATIENCE)
        waiting = [pool.submit(world.read) for _ in range(3)]
        may_end.set()
        assert [first.result(), *(answer.result() for answer in waiting)] == [1, 1, 1, 1]


def test_many_questions_are_forgotten() -> None:
    world = World()
    for number in range(200):
        world.read(f"window {number}")
    assert world.read("window 199") == 200
    assert world.read("window 0") == 201
