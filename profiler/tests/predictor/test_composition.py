"""Latencies of operators one after another or in parallel, compared with drawing them."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from piql_profiler.measure.histogram import Curve, Histogram
from piql_profiler.predictor.composition import Composition, Leaf, Parallel, Serial, quantile_us, shares_within

DRAWS = 400_000


def curve(latencies: np.ndarray) -> Curve:
    return Histogram.of(latencies).cumulative[None, :]


def one(composition: Composition, curves: list[Curve], q: float, correlation: float = 0.0) -> float:
    return float(quantile_us(composition, curves, q, correlation=correlation)[0])


@given(st.floats(2.0, 1e6), st.floats(2.0, 1e6), st.sampled_from([0.5, 0.9, 0.99, 0.999]))
def test_constant_latencies_add_up(first: float, second: float, q: float) -> None:
    latency = one(Serial((Leaf(0), Leaf(1))), [curve(np.full(100, first)), curve(np.full(100, second))], q)
    assert latency == pytest.approx(first + second, rel=0.021)


@given(st.floats(2.0, 1e6), st.floats(2.0, 1e6))
def test_of_constant_latencies_in_parallel_the_longer_counts(first: float, second: float) -> None:
    latency = one(Parallel((Leaf(0), Leaf(1))), [curve(np.full(100, first)), curve(np.full(100, second))], 0.99)
    assert latency == pytest.approx(max(first, second), rel=0.021)


@pytest.mark.parametrize("q", [0.5, 0.9, 0.99, 0.999])
def test_a_sum_of_three_agrees_with_drawing_it(q: float) -> None:
    random = np.random.default_rng(3)
    parts = [scale * random.lognormal(0, 0.5, DRAWS) for scale in (200.0, 1_000.0, 5_000.0)]
    latency = one(Serial((Leaf(0), Leaf(1), Leaf(2))), [curve(part) for part in parts], q)
    assert latency == pytest.approx(float(np.quantile(sum(parts), q)), rel=0.012)


def test_a_sum_of_many_agrees_with_drawing_it() -> None:
    random = np.random.default_rng(9)
    parts = [scale * random.lognormal(0, 0.4, DRAWS) for scale in (100.0, 200.0, 300.0, 400.0, 500.0, 600.0, 700.0)]
    latency = one(Serial(tuple(map(Leaf, range(7)))), [curve(part) for part in parts], 0.99)
    assert latency == pytest.approx(float(np.quantile(sum(parts), 0.99)), rel=0.012)


def test_a_maximum_inside_a_sum_agrees_with_drawing_it() -> None:
    random = np.random.default_rng(4)
    parts = [scale * random.lognormal(0, 0.5, DRAWS) for scale in (300.0, 900.0, 1_000.0)]
    latency = one(Serial((Leaf(0), Parallel((Leaf(1), Leaf(2))))), [curve(part) for part in parts], 0.99)
    truth = float(np.quantile(parts[0] + np.maximum(parts[1], parts[2]), 0.99))
    assert latency == pytest.approx(truth, rel=0.012)


def test_the_order_of_operators_does_not_matter() -> None:
    random = np.random.default_rng(5)
    curves = [curve(scale * random.lognormal(0, 0.7, 5_000)) for scale in (50.0, 4_000.0)]
    forward, backward = (one(Serial((Leaf(a), Leaf(b))), curves, 0.99) for a, b in ((0, 1), (1, 0)))
    assert forward == pytest.approx(backward, rel=1e-9)


def test_a_common_cause_makes_the_tail_longer_but_never_longer_than_the_sum_of_the_tails() -> None:
    random = np.random.default_rng(6)
    curves = [curve(scale * random.lognormal(0, 0.6, 50_000)) for scale in (900.0, 1_000.0)]
    together = Serial((Leaf(0), Leaf(1)))
    latencies = [one(together, curves, 0.99, correlation) for correlation in (0.0, 0.3, 0.6, 0.8)]
    assert latencies == sorted(latencies)
    assert latencies[-1] <= sum(one(Leaf(leaf), curves, 0.99) for leaf in (0, 1)) * 1.01


def test_correlated_operators_agree_with_drawing_them() -> None:
    random = np.random.default_rng(8)
    factor, noise = random.standard_normal(DRAWS), random.standard_normal((2, DRAWS))
    correlation = 0.4
    scores = np.sqrt(correlation) * factor + np.sqrt(1 - correlation) * noise
    parts = [1_000 * np.exp(0.5 * scores[0]), 2_000 * np.exp(0.5 * scores[1])]
    latency = one(Serial((Leaf(0), Leaf(1))), [curve(part) for part in parts], 0.99, correlation)
    assert latency == pytest.approx(float(np.quantile(sum(parts), 0.99)), rel=0.02)


@given(st.lists(st.floats(5.0, 1e5), min_size=3, max_size=40), st.lists(st.floats(5.0, 1e5), min_size=3, max_size=40))
def test_the_quantiles_of_a_sum_do_not_cross(first: list[float], second: list[float]) -> None:
    curves = [curve(np.array(first)), curve(np.array(second))]
    quantiles = [one(Serial((Leaf(0), Leaf(1))), curves, q) for q in (0.25, 0.5, 0.75, 0.9, 0.99)]
    step = (max(first) + max(second)) / 1_000
    assert all(low <= high * 1.01 + step for low, high in pairwise(quantiles))


@pytest.mark.parametrize("correlation", [0.0, 0.5])
@pytest.mark.parametrize(
    "composition",
    [
        Leaf(0),
        Serial((Leaf(0), Leaf(1))),
        Parallel((Leaf(0), Leaf(1))),
        Serial((Leaf(2), Parallel((Leaf(0), Leaf(1))))),
    ],
)
@pytest.mark.parametrize("rows", [1, 12])
def test_the_share_within_a_quantile_is_that_of_the_quantile(
    composition: Composition, correlation: float, rows: int
) -> None:
    random = np.random.default_rng(7)
    curves = [
        np.vstack([curve(scale * random.lognormal(0, 0.5, 20_000)) for _ in range(rows)])
        for scale in (300.0, 900.0, 1_000.0)
    ]
    for q in (0.5, 0.9, 0.99, 0.999):
        latencies = quantile_us(composition, curves, q, correlation=correlation)
        shares = shares_within(composition, curves, latencies.tolist(), correlation=correlation)
        assert shares.shape == (rows, rows)
        assert np.diag(shares) == pytest.approx(q, abs=0.02 * (1 - q) + 1e-5)


def test_the_share_within_a_latency_agrees_with_drawing_it() -> None:
    random = np.random.default_rng(3)
    parts = [scale * random.lognormal(0, 0.5, DRAWS) for scale in (200.0, 1_000.0, 5_000.0)]
    wanted = [3_000.0, 5_000.0, 12_000.0, 20_000.0]
    (shares,) = shares_within(Serial((Leaf(0), Leaf(1), Leaf(2))), [curve(part) for part in parts], wanted)
    assert shares == pytest.approx([float(np.mean(sum(parts) <= latency)) for latency in wanted], abs=0.003)


def test_nothing_is_within_less_than_was_ever_measured_and_everything_within_more() -> None:
    curves = [curve(np.full(100, 500.0)), curve(np.full(100, 800.0))]
    for composition in (Leaf(0), Serial((Leaf(0), Leaf(1))), Parallel((Leaf(0), Leaf(1)))):
        ((none, everything),) = shares_within(composition, curves, [0.5, 3_600_000_000.0])
        assert (none, everything) == (0.0, pytest.approx(1.0, abs=1e-6))
