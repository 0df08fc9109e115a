"""What an execution does if interrupted writes need more requests than its bound allows."""

from collections.abc import Callable

import piql
import pytest
from piql.runtime.writing.stepped.backoff import WaitPolicy
from piql.runtime.writing.stepped.leftovers import Leftovers


class World:
    """Counts pauses and sweeps; an attempt finds something left until that many of them have been."""

    def __init__(self, ends_after: int) -> None:
        self.ends_after = ends_after
        self.pauses: list[float] = []
        self.sweeps: list[float] = []
        self.leftovers = Leftovers(WaitPolicy(patience=2.0, sleep=self.pauses.append), self.sweeps.append)

    def attempt(self) -> str:
        if len(self.pauses) + len(self.sweeps) < self.ends_after:
            raise piql.RepairPending("left")
        return "rows"

    def execute(self) -> str:
        return self.leftovers.settled(piql.RepairPending("first"), self.attempt)


def test_writes_at_work_are_waited_for() -> None:
    world = World(ends_after=2)
    assert world.execute() == "rows"
    assert (len(world.pauses), world.sweeps) == (2, [])
    assert sum(world.pauses) < 0.04


def test_what_dead_writers_left_is_settled_by_a_sweep() -> None:
    world = World(ends_after=4)
    assert world.execute() == "rows"
    assert (len(world.pauses), world.sweeps) == (3, [2.0])


def test_a_sweep_is_made_for_one_of_many_executions_and_the_others_wait() -> None:
    world = World(ends_after=4)
    world.leftovers.sweep_at = float("inf")
    assert world.execute() == "rows"
    assert (len(world.pauses), world.sweeps) == (4, [])


def test_what_stays_is_an_error_after_a_second_or_so() -> None:
    world = World(ends_after=100)
    with pytest.raises(piql.RepairPending, match="left"):
        world.execute()
    assert 0.5 < sum(world.pauses) < 1.5


@pytest.mark.parametrize(
    "call",
    [
        lambda each: each.sweep(piql.RepairPending("left")),
        lambda each: each.settled(piql.RepairPending("left"), lambda: "rows"),
    ],
)
def test_a_store_with_transactions_has_nothing_to_wait_for(call: Callable[[Leftovers], object]) -> None:
    with pytest.raises(piql.RepairPending, match="left"):
        call(Leftovers(None, lambda _: None))
