"""Which nodes are asked last, and when they are asked first again: with a clock and probes made by the test."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from piql.store.cql.session.silent_nodes import PAUSE_SECONDS, SilentNodes


class Nodes:
    """A `Prober` whose nodes answer when the test says so, and the clock that all share."""

    def __init__(self) -> None:
        self.now = 0.0
        self.probes: list[tuple[str, Callable[[bool], None]]] = []
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.convicted: set[str] = set()
        self.refuses = False

    def clock(self) -> float:
        return self.now

    def probe(self, node: str, has_ended: Callable[[bool], None]) -> None:
        if self.refuses:
            raise OSError("no stream is free")
        self.probes.append((node, has_ended))

    def is_connected(self, node: str) -> bool:
        return node not in self.convicted

    def after(self, seconds: float, call: Callable[[], None]) -> None:
        self.timers.append((self.now + seconds, call))

    def end(self, *, is_answered: bool, seconds: float = 0.01) -> None:
        self.now += seconds
        self.probes.pop(0)[1](is_answered)

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        due = [call for at, call in self.timers if at <= self.now]
        self.timers = [(at, call) for at, call in self.timers if at > self.now]
        for call in due:
            call()


@pytest.fixture
def nodes() -> Nodes:
    return Nodes()


@pytest.fixture
def silent(nodes: Nodes) -> SilentNodes:
    silent = SilentNodes(0.1, nodes.clock)
    silent.prober = nodes
    return silent


def test_a_noted_node_is_asked_last_for_as_long_as_it_answers_no_probe(nodes: Nodes, silent: SilentNodes) -> None:
    silent.note("a")
    for _ in range(100):  # half a minute of a stopped node: no request of a user is its probe
        nodes.end(is_answered=False, seconds=0.3)
        assert "a" in silent
        assert silent.others(["a", "b"]) == ["b"]
        nodes.pass_time(PAUSE_SECONDS)
    assert len(nodes.probes) == 1


def test_a_node_is_taken_back_with_the_first_answer_in_time(nodes: Nodes, silent: SilentNodes) -> None:
    silent.note("a")
    nodes.end(is_answered=True)
    assert "a" not in silent
    assert silent.others(["a", "b"]) == ["a", "b"]
    assert (nodes.probes, nodes.timers) == ([], [])


def test_an_answer_that_took_longer_than_requests_wait_does_not_take_a_node_back(
    nodes: Nodes, silent: SilentNodes
) -> None:
    silent.note("a")
    nodes.end(is_answered=True, seconds=0.11)
    assert "a" in silent
    nodes.pass_time(PAUSE_SECONDS)
    nodes.end(is_answered=True)
    assert "a" not in silent


def test_a_node_has_one_probe_however_many_requests_waited_for_it(nodes: Nodes, silent: SilentNodes) -> None:
    for _ in range(50):
        silent.note("a")
    silent.note("b")
    assert [node for node, _ in nodes.probes] == ["a", "b"]


def test_a_node_that_the_driver_has_convicted_is_left_to_the_driver(nodes: Nodes, silent: SilentNodes) -> None:
    silent.note("a")
    nodes.convicted.add("a")
    nodes.end(is_answered=False)
    assert "a" not in silent
    assert nodes.timers == []


def test_a_probe_that_cannot_be_sent_is_sent_later(nodes: Nodes, silent: SilentNodes) -> None:
    nodes.refuses = True
    silent.note("a")
    assert "a" in silent
    nodes.refuses = False
    nodes.pass_time(PAUSE_SECONDS)
    nodes.end(is_answered=True)
    assert "a" not in silent


def test_all_are_asked_where_all_are_silent(silent: SilentNodes) -> None:
    for node in "abc":
        silent.note(node)
    assert silent.others(["a", "b", "c"]) == ["a", "b", "c"]


def test_nothing_is_probed_after_the_end(nodes: Nodes, silent: SilentNodes) -> None:
    silent.note("a")
    silent.close()
    nodes.end(is_answered=False)
    silent.note("b")
    assert (nodes.probes, nodes.timers) == ([], [])
