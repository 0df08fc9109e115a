"""Waits at a node: those of queues whose law is known exactly."""

import math

import numpy as np
import pytest
from piql_profiler.capacity.waiting import Jobs, Wait, erlang_c, wait_at


def beyond(wait: Wait, time_us: float) -> float:
    return float(wait.shares[wait.times_us > time_us].sum())


def mean_of(wait: Wait) -> float:
    return float(wait.shares @ wait.times_us)


@pytest.mark.parametrize("utilisation", [0.2, 0.7, 0.95])
def test_exponential_jobs_wait_as_in_the_queue_of_one_server(utilisation: float) -> None:
    wait = wait_at([Jobs(1.0, 100.0, 2 * 100.0**2)], utilisation, cores=1)
    assert wait.shares.sum() == pytest.approx(1.0)
    assert mean_of(wait) == pytest.approx(100 * utilisation / (1 - utilisation), rel=0.02)
    for time_us in (50.0, 300.0):
        exact = utilisation * math.exp(-(1 - utilisation) * time_us / 100)
        assert beyond(wait, time_us) == pytest.approx(exact, rel=0.15)  # times are kept as some hundred steps


def test_the_mean_wait_behind_two_kinds_of_jobs_is_that_of_pollaczek_and_khinchine() -> None:
    jobs = [Jobs(900.0, 50.0, 50.0**2 * 1.5), Jobs(10.0, 20_000.0, 20_000.0**2 * 1.2)]
    utilisation = 0.245  # (900 · 50 + 10 · 20,000) µs in a second
    moment = sum(kind.per_second * kind.square_us2 for kind in jobs) / 1e6
    assert mean_of(wait_at(jobs, utilisation, cores=1)) == pytest.approx(moment / 2 / (1 - utilisation), rel=0.03)


def test_single_requests_wait_less_where_there_are_more_cores() -> None:
    assert erlang_c(1, 0.7) == pytest.approx(0.7)
    assert erlang_c(2, 0.5) == pytest.approx(1 / 3)
    of_one, of_four = (
        wait_at([Jobs(1.0, 100.0 / cores, 2 * (100.0 / cores) ** 2)], 0.7, cores=cores) for cores in (1, 4)
    )
    assert beyond(of_four, 0.0) == pytest.approx(erlang_c(4, 0.7))
    assert mean_of(of_four) < mean_of(of_one) / 4


def test_nothing_waits_at_rest_and_a_full_node_has_no_law() -> None:
    jobs = [Jobs(1.0, 100.0, 2 * 100.0**2)]
    np.testing.assert_array_equal(wait_at(jobs, 0.0, cores=1).times_us, [0.0])
    with pytest.raises(ValueError, match="busy all the time"):
        wait_at(jobs, 1.0, cores=1)
