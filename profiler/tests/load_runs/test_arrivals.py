"""Calls are due by a Poisson process, whatever becomes of them."""

import numpy as np
import pytest
from piql_profiler.load_runs.arrivals import AT_ONCE, Arrival, ClosedLine, OpenLine, Step, arrivals
from piql_profiler.measure.clock import VirtualClock


def test_as_many_calls_are_due_as_the_rate_says_within_chance() -> None:
    due = [*arrivals([Step(100.0, 100.0)], [1.0], seed=1)]
    assert len(due) == pytest.approx(10_000, abs=400)  # four standard deviations


def test_the_gaps_are_exponential() -> None:
    gaps = np.diff([call.due for call in arrivals([Step(100.0, 200.0)], [1.0], seed=2)])
    assert gaps.mean() == pytest.approx(0.01, rel=0.05)
    assert gaps.std() == pytest.approx(0.01, rel=0.05)
    assert np.quantile(gaps, 0.99) == pytest.approx(0.01 * np.log(100), rel=0.1)


def test_the_shares_of_several_clients_are_one_poisson_process_of_the_whole_rate() -> None:
    shares = [arrivals([Step(100.0, 200.0)], [1.0], seed, share=0.25) for seed in range(4)]
    gaps = np.diff(sorted(call.due for share in shares for call in share))
    assert gaps.mean() == pytest.approx(0.01, rel=0.05)
    assert gaps.std() == pytest.approx(0.01, rel=0.05)


def test_each_step_has_its_rate_and_follows_the_one_before() -> None:
    due = [*arrivals([Step(50.0, 100.0), Step(200.0, 50.0)], [1.0], seed=3)]
    first, second = ([call.due for call in due if call.step == step] for step in (0, 1))
    assert len(first) == pytest.approx(5_000, abs=300)
    assert len(second) == pytest.approx(10_000, abs=400)
    assert 0.0 < first[0] <= first[-1] < 100.0 <= second[0] <= second[-1] < 150.0


def test_queries_are_drawn_by_their_weights() -> None:
    queries = [call.query for call in arrivals([Step(100.0, 100.0)], [3.0, 1.0], seed=4)]
    assert queries.count(1) / len(queries) == pytest.approx(0.25, abs=0.02)


def test_the_same_seed_gives_the_same_calls_and_another_gives_others() -> None:
    first, again, differently = ([*arrivals([Step(10.0, 10.0)], [1.0, 1.0], seed)] for seed in (1, 1, 2))
    assert first == again != differently


def test_a_line_tells_what_is_due_and_gives_it_out_all_the_same() -> None:
    calls = [Arrival(float(number), 0, 0) for number in range(5)]
    line = OpenLine(iter(calls))
    assert line.take() == calls[0]
    assert line.waiting(2.5) == calls[1:3]
    assert [line.take() for _ in range(5)] == [*calls[1:], None]


def test_a_line_that_has_ended_gives_out_nothing_but_still_tells_what_waits() -> None:
    line = OpenLine(iter([Arrival(0.0, 0, 0), Arrival(1.0, 0, 0)]))
    line.end()
    assert line.take() is None
    assert len(line.waiting(0.5)) == 1


def test_a_closed_loop_has_a_call_for_whoever_asks_until_its_time_is_over() -> None:
    clock = VirtualClock()
    line = ClosedLine(10.0, [3.0, 1.0], seed=1, now=clock.now)
    calls = [line.take() for _ in range(4_000)]
    assert all(call is not None and call.due == AT_ONCE for call in calls)
    assert sum(call is not None and call.query == 0 for call in calls) == pytest.approx(3_000, rel=0.05)
    assert line.waiting(5.0) == []
    clock.spend(10.0)
    assert line.take() is None


def test_a_closed_loop_that_was_ended_gives_no_call() -> None:
    line = ClosedLine(10.0, [1.0], seed=1, now=lambda: 0.0)
    line.end()
    assert line.take() is None
