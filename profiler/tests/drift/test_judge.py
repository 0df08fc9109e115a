"""When a profile counts as stale: three looks in a row that agree and are more than chance."""

import pytest
from piql_profiler.drift.judge import Canary, Look, stale_operators
from piql_profiler.measure.grid import Operator, Point
from piql_profiler.measure.precision import Precision

SCAN, JOIN = Point(Operator.INDEX_SCAN, 1, 1, 40), Point(Operator.INDEX_FK_JOIN, 10, 1, 40)


def known(estimate: float, half_width: float = 0.05) -> Precision:
    return Precision(estimate, estimate * (1 - half_width), estimate * (1 + half_width))


def look(scan: float, join: float, half_width: float = 0.05) -> Look:
    """A look at which the operators' p99 was so many times what the profile says."""
    return Look(
        0.0,
        tuple(
            Canary(point, known(1000), known(1000 * times, half_width)) for point, times in ((SCAN, scan), (JOIN, join))
        ),
    )


def test_three_looks_that_agree_make_an_operator_stale() -> None:
    slow_join = look(1.0, 1.6)
    assert stale_operators([slow_join] * 2) == ()
    assert stale_operators([slow_join] * 3) == (Operator.INDEX_FK_JOIN,)
    assert stale_operators([look(0.5, 1.0)] * 3) == (Operator.INDEX_SCAN,)


def test_a_look_in_between_that_was_as_measured_leaves_the_profile_as_it_is() -> None:
    assert stale_operators([look(1.0, 1.6), look(1.0, 1.1), look(1.0, 1.6)]) == ()
    assert stale_operators([look(1.0, 1.6), look(1.0, 0.5), look(1.0, 1.6)]) == ()


def test_what_is_not_known_well_is_not_called_stale() -> None:
    assert stale_operators([look(1.0, 1.6, half_width=0.8)] * 3) == ()


def test_only_the_last_looks_count() -> None:
    assert stale_operators([look(2.0, 2.0)] * 5 + [look(1.0, 1.0)]) == ()


def test_the_factor_of_a_look_is_the_mean_of_its_canaries_and_known_better_than_each() -> None:
    seen = look(1.2, 1.2)
    assert seen.ratio.factor == pytest.approx(1.2)
    assert seen.ratio.high / seen.ratio.low < seen.canaries[0].ratio.high / seen.canaries[0].ratio.low
