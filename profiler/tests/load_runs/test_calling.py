"""Latencies count from the moment a call was due: held against queues whose latencies are known."""

import math
from collections.abc import Mapping
from random import Random

import pytest
from piql_profiler.load_runs.arrivals import Arrival, OpenLine, Step
from piql_profiler.load_runs.calling import Calling
from piql_profiler.measure.clock import VirtualClock

from .laws import run_of


def test_latencies_of_a_queue_are_those_that_queueing_theory_states() -> None:
    """M/M/1 at 50/s with a mean service time of 10 ms: latencies are exponential with a mean of 20 ms."""
    inside = 0
    for seed in range(20):
        random = Random(seed)
        (line,) = run_of(lambda began, random=random: random.expovariate(100.0), [Step(50.0, 400.0)], seed).lines
        p99 = line.quantile(0.99)
        assert p99 is not None
        inside += p99.low_us <= 20_000 * math.log(100) <= p99.high_us
    assert inside >= 16  # of 20 intervals that hold it in 95 of 100 cases: fewer come up in 3 of 1,000


def test_service_times_stand_apart_from_waits() -> None:
    random = Random(1)
    (line,) = run_of(lambda began: random.expovariate(100.0), [Step(50.0, 400.0)]).lines
    assert line.service.quantile_us(0.99) == pytest.approx(10_000 * math.log(100), rel=0.1)
    assert line.latency.quantile_us(0.99) > 1.5 * line.service.quantile_us(0.99)
    assert line.lag_share < 0.01


def test_a_pause_of_the_store_counts_for_every_call_that_was_due_in_it() -> None:
    """A closed loop would see one slow call of 10 s; 1,000 were due meanwhile."""
    (line,) = run_of(lambda began: 10.0 if 50.0 < began < 50.02 else 0.001, [Step(100.0, 100.0)]).lines
    slow = line.latency.total * (1.0 - line.latency.cumulative[_bin(1_000_000.0)])
    assert slow > 800
    assert line.service.quantile_us(0.99) < 2_000 < 1e6 < line.latency.quantile_us(0.95)


def _bin(latency_us: float) -> int:
    return round(math.log(latency_us) / math.log(1.02))


def test_a_store_that_is_slower_than_the_rate_leaves_most_calls_to_later() -> None:
    run = run_of(lambda began: 0.1, [Step(50.0, 20.0)])
    (line,) = run.lines
    assert line.ended_in_step == pytest.approx(200, abs=2)  # 10/s
    assert line.due > 800


def test_a_closed_loop_makes_as_many_calls_as_are_answered_and_none_of_them_waits() -> None:
    (line,) = run_of(lambda began: 0.1, [Step(None, 20.0)]).lines
    assert line.due == line.answered == pytest.approx(200, abs=1)  # 10/s, however long the line would have been
    assert line.latency.quantile_us(0.99) == pytest.approx(100_000, rel=0.03)


def test_errors_are_counted_by_kind_and_their_latencies_left_out() -> None:
    run = run_of(lambda began: 0.001, [Step(100.0, 20.0)], fails=lambda began: began > 10.0)
    (line,) = run.lines
    assert line.errors == {"store-unavailable": line.due - line.answered}
    assert line.failed == pytest.approx(1_000, abs=150)
    assert run.messages == {"store-unavailable": "the store is away"}


def test_requests_are_the_most_that_one_call_made() -> None:
    (line,) = run_of(lambda began: 0.001, [Step(100.0, 5.0)]).lines
    assert (line.most_requests, line.requests) == (11, 11 * line.answered)


class _Stopping:
    """A target whose third call stops the run."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self._calls = 0
        self.calling: Calling | None = None

    def draw(self, query: int) -> Mapping[str, object]:
        return {}

    def call(self, query: int, parameters: Mapping[str, object]) -> int:
        self._clock.spend(2.0)
        self._calls += 1
        if self._calls == 3:
            assert self.calling is not None
            self.calling.stop()
        return 1


def test_a_run_that_is_stopped_keeps_what_ended_and_tells_what_was_due() -> None:
    clock = VirtualClock()
    target = _Stopping(clock)
    calling = Calling(0, OpenLine(Arrival(float(number), 0, 0) for number in range(20)), target, clock)
    target.calling = calling
    calling.work()
    batch = calling.batch(0.0, is_last=True)
    assert [call.due for call in batch.calls] == [0.0, 1.0, 2.0]
    assert [call.due for call in batch.unanswered] == [3.0, 4.0, 5.0, 6.0]


class _Broken:
    def draw(self, query: int) -> Mapping[str, object]:
        return {}

    def call(self, query: int, parameters: Mapping[str, object]) -> int:
        raise ZeroDivisionError


def test_an_error_that_nobody_expected_is_counted_as_well() -> None:
    calling = Calling(0, OpenLine(iter([Arrival(0.0, 0, 0)])), _Broken(), VirtualClock())
    calling.work()
    batch = calling.batch(0.0)
    assert [call.error for call in batch.calls] == ["zero-division-error"]
    assert batch.messages == (("zero-division-error", "zero-division-error"),)
