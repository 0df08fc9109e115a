"""Histograms: quantiles within one bin, merging, the sparse form, the ends of the range."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from piql_profiler.measure.histogram import BINS, EDGES_US, Histogram, merge_all

latencies = st.lists(st.floats(1.0, 5e7), min_size=1, max_size=60)


@given(latencies, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_a_higher_quantile_is_never_a_lower_latency(values: list[float], one: float, other: float) -> None:
    histogram = Histogram.of(values)
    low, high = sorted((one, other))
    assert histogram.quantile_us(low) <= histogram.quantile_us(high)


@given(latencies, st.floats(0.01, 1.0))
def test_a_quantile_is_within_one_bin_of_the_exact_one(values: list[float], q: float) -> None:
    exact = float(np.quantile(values, q, method="inverted_cdf"))
    assert Histogram.of(values).quantile_us(q) == pytest.approx(exact, rel=0.0201)


@given(latencies, latencies)
def test_merging_does_not_depend_on_the_order_and_equals_measuring_together(
    one: list[float], other: list[float]
) -> None:
    left, right = Histogram.of(one), Histogram.of(other)
    assert left.merge(right) == right.merge(left) == Histogram.of(one + other) == merge_all([left, right])


@given(latencies)
def test_the_sparse_form_loses_nothing(values: list[float]) -> None:
    histogram = Histogram.of(values)
    sparse = histogram.sparse()
    assert Histogram.from_sparse(list(sparse), list(sparse.values())) == histogram


def test_what_lies_outside_the_range_counts_in_the_first_and_last_bin() -> None:
    histogram = Histogram.of([0.0, 0.2, 1e12])
    assert histogram.counts[0] == 2
    assert histogram.counts[BINS - 1] == 1


def test_the_bins_reach_a_minute() -> None:
    assert EDGES_US[0] == 1.0
    assert EDGES_US[-1] >= 60_000_000


def test_an_empty_histogram_has_no_quantiles() -> None:
    with pytest.raises(ValueError, match="no quantiles"):
        Histogram.empty().quantile_us(0.5)
