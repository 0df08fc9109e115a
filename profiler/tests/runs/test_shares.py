"""How the seconds of an interval are shared between points."""

import pytest
from piql_profiler.measure.grid import Grid, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement
from piql_profiler.runs.shares import known, least_lacking_first, shares

GRID = Grid.product("three", row_bytes=(100,), scan_rows=(1, 10, 100))
PRECISE, WIDE, SLOW = GRID.points


def seen(point: Point, latencies: list[float], seconds: float = 1.0) -> Measurement:
    return Measurement(point, 0, Histogram.of(latencies), 0.0, seconds)


CELLS = [
    seen(PRECISE, [100.0] * 5_000),
    seen(WIDE, [100.0 * 2.0 ** (at / 25) for at in range(400)]),
    seen(SLOW, [100.0] * 100),
]


def test_what_is_known_keeps_a_small_share_and_what_is_not_gets_the_rest() -> None:
    given = shares(GRID.points, CELLS, 30.0, 0.1)
    assert given[PRECISE] == pytest.approx(2.0)
    assert given[WIDE] > given[PRECISE]
    assert given[SLOW] == pytest.approx(2.0 + 5.0)  # 600 executions are six times what it had
    assert sum(given.values()) <= 30.0


def test_time_that_does_not_do_for_all_goes_to_those_that_lack_least() -> None:
    given = shares(GRID.points, CELLS, 3.0, 0.1)
    assert sum(given.values()) == pytest.approx(3.0)
    assert given[PRECISE] == pytest.approx(0.2)
    lacks = least_lacking_first(GRID.points, CELLS, 1e6, 0.1)
    assert lacks[WIDE] < 1.0 < lacks[SLOW]
    assert given[WIDE] == pytest.approx(0.2 + lacks[WIDE])
    assert given[SLOW] == pytest.approx(3.0 - given[PRECISE] - given[WIDE])


def test_what_is_left_of_an_interval_goes_to_points_that_are_not_known_from_all_of_them() -> None:
    assert PRECISE not in least_lacking_first(GRID.points, CELLS, 1e6, 0.1)
    assert set(least_lacking_first(GRID.points, CELLS, 1e6, 0.1)) == {WIDE, SLOW}
    assert sum(least_lacking_first(GRID.points, CELLS, 5.0, 0.1).values()) == pytest.approx(5.0)


def test_at_first_and_without_a_precision_all_points_are_alike() -> None:
    assert set(shares(GRID.points, (), 3.0, 0.1).values()) == {1.0}
    assert set(shares(GRID.points, CELLS, 3.0, None).values()) == {1.0}


def test_intervals_add_up_to_what_is_known() -> None:
    assert str(known(GRID.points, CELLS, 0.1)) == "1 of 3 points (33%) known to ± 10% after 3 s of measuring"
    assert known(GRID.points, [*CELLS, *[seen(SLOW, [100.0] * 100)] * 4], 0.1).points == 2
