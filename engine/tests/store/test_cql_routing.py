"""How requests wait for their turn, and which node is asked last."""

from __future__ import annotations

import pytest
from piql.store.cql.routing import Gate, Routing


def test_no_more_requests_are_under_way_than_the_gate_is_wide() -> None:
    gate, sent = Gate(2), list[int]()
    for number in range(5):
        gate.enter(lambda number=number: sent.append(number))  # type: ignore[misc]
    assert (sent, gate.under_way) == ([0, 1], 2)
    gate.leave()
    assert sent == [0, 1, 2]
    gate.widen(4)
    gate.leave()
    assert (sent, gate.under_way) == ([0, 1, 2, 3, 4], 3)


def test_thousands_that_wait_and_leave_at_once_do_not_pile_up() -> None:
    gate, sent = Gate(1), list[int]()
    gate.enter(lambda: None)

    def send(number: int) -> None:
        sent.append(number)
        gate.leave()  # as a request does whose call is over

    for number in range(20_000):
        gate.enter(lambda number=number: send(number))  # type: ignore[misc]
    gate.leave()
    assert (len(sent), gate.under_way) == (20_000, 0)


class Future:
    def __init__(self, asked: list[str], by: str) -> None:
        self.attempted_hosts, self.coordinator_host = asked, by


@pytest.fixture
def routing() -> Routing:
    return Routing(None, 10, Gate(30))


def test_a_node_whose_request_another_answered_is_late_until_it_answers(routing: Routing) -> None:
    routing.answered(Future(["a"], "a"))
    assert not routing.is_late("a")
    routing.answered(Future(["a", "b"], "b"))
    assert (routing.is_late("a"), routing.is_late("b")) == (True, False)
    routing.answered(Future(["b", "a"], "a"))
    assert (routing.is_late("a"), routing.is_late("b")) == (False, True)
