"""Open-loop load on a virtual clock: how often a point is executed, and when an execution counts as late."""

from collections.abc import Sequence

import pytest
from piql_profiler.measure.open_loop import AT_LEAST, WARM_UP, Block, offer


class Clock:
    """Stands still but for sleeping, looking, and what an execution takes."""

    def __init__(self) -> None:
        self.moment = self.computing = 0.0

    def now(self) -> float:
        self.moment += 1e-7
        return self.moment

    def computed(self) -> float:
        return self.computing

    def wait_until(self, moment: float) -> None:
        self.moment = max(self.moment, moment)

    def execute(self, microseconds: float) -> float:
        self.moment += microseconds / 1e6
        return microseconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_the_first_executions_warm_up_and_are_not_counted() -> None:
    latencies = iter([9_000.0] * WARM_UP + [100.0] * 5)
    assert list(offer(lambda: next(latencies), 0.0, load=0.0, seed=1, at_least=5).service_us) == [100.0] * 5


def test_a_slow_point_is_measured_often_enough_although_its_time_is_over() -> None:
    assert len(offer(lambda: 1.0, 0.0, load=0.3, seed=1).service_us) == AT_LEAST


def test_a_fast_point_is_measured_until_its_time_is_over(clock: Clock) -> None:
    executed = offer(lambda: clock.execute(100), 0.02, load=0.0, seed=1, at_least=1, clock=clock)
    assert len(executed.service_us) == pytest.approx(200, abs=1)


def test_a_client_is_kept_as_busy_as_asked(clock: Clock) -> None:
    block = offer(lambda: clock.execute(300), 5.0, load=0.5, seed=1, clock=clock)
    assert block.busy == pytest.approx(0.5, abs=0.03)
    assert not block.is_void


def test_what_waits_for_a_slow_execution_is_late_in_response_but_not_in_service(clock: Clock) -> None:
    durations = iter([200.0] * 40 + [30_000.0] + [200.0] * 10_000)
    block = offer(lambda: clock.execute(next(durations)), 0.2, load=0.4, seed=3, clock=clock)
    slow = list(block.service_us).index(30_000.0)
    assert block.service_us[slow + 1] == 200.0
    assert block.response_us[slow + 1] > 10_000.0
    assert max(block.lag_us) < 2.0


@pytest.mark.parametrize(("load", "is_void"), [(0.5, False), (0.9, True)])
def test_a_client_that_computes_nearly_all_the_time_proves_nothing(clock: Clock, load: float, is_void: bool) -> None:
    def execute() -> float:
        clock.computing += 300e-6
        return clock.execute(300)

    block = offer(execute, 5.0, load=load, seed=1, clock=clock)
    assert block.computing == pytest.approx(load, abs=0.03)
    assert block.is_void == is_void


def test_a_closed_loop_knows_no_waiting(clock: Clock) -> None:
    block = offer(lambda: clock.execute(50), 0.01, load=0.0, seed=1, clock=clock)
    assert list(block.response_us) == list(block.service_us)
    assert not block.is_void


def test_a_block_ends_when_enough_is_known() -> None:
    def is_enough(service_us: Sequence[float]) -> bool:
        return len(service_us) >= 500

    assert len(offer(lambda: 1.0, 5.0, load=0.0, seed=1, is_enough=is_enough).service_us) == 500


def test_a_block_is_void_when_the_client_itself_was_late() -> None:
    assert Block([100.0] * 100, [110.0] * 100, [50.0] * 100, 0.3).is_void
    assert not Block([100.0] * 100, [110.0] * 100, [1.0] * 100, 0.3).is_void


def test_a_client_cannot_be_busier_than_always() -> None:
    with pytest.raises(ValueError, match="a share from 0"):
        offer(lambda: 1.0, 0.0, load=1.0, seed=1)
