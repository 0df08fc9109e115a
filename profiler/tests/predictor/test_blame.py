"""The part of each operator in a quantile of the whole."""

import numpy as np
import pytest
from piql_profiler.measure.histogram import Curve, Histogram
from piql_profiler.predictor.blame import blame_us
from piql_profiler.predictor.composition import Leaf, Parallel, Serial, quantile_us


def lognormal(median: float, spread: float, seed: int) -> Curve:
    return Histogram.of(median * np.random.default_rng(seed).lognormal(0, spread, 20_000)).cumulative[None, :]


FAST, SLOW = lognormal(100, 0.3, 1), lognormal(900, 0.3, 2)
BOTH = (Leaf(0), Leaf(1))


def test_the_parts_add_up_to_the_quantile() -> None:
    parts = blame_us(Serial(BOTH), [FAST, SLOW], 0.99, correlation=0.3)
    assert parts.sum() == pytest.approx(quantile_us(Serial(BOTH), [FAST, SLOW], 0.99, correlation=0.3)[0])


def test_the_slower_operator_has_the_larger_part() -> None:
    ((fast, slow),) = blame_us(Serial(BOTH), [FAST, SLOW], 0.99)
    assert slow > 5 * fast > 0


def test_a_long_tail_has_a_larger_part_of_the_tail_than_of_the_median() -> None:
    steady, wild = lognormal(500, 0.05, 3), lognormal(500, 1.0, 4)
    tail, middle = (blame_us(Serial(BOTH), [steady, wild], q)[0] for q in (0.99, 0.5))
    assert tail[1] / tail.sum() > middle[1] / middle.sum()


def test_an_operator_beside_a_much_slower_one_has_no_part() -> None:
    ((fast, slow),) = blame_us(Parallel(BOTH), [FAST, SLOW], 0.99)
    assert fast < 0.01 * slow


def test_a_single_operator_is_the_whole() -> None:
    assert blame_us(Leaf(0), [FAST], 0.99)[0, 0] == pytest.approx(quantile_us(Leaf(0), [FAST], 0.99)[0])
