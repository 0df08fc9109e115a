"""Ranks and scores are SciPy's, without `scipy.stats`: it takes half a second of every process that imports it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import piql_profiler
import pytest
from piql_profiler.measure.normal_scores import normal_scores
from piql_profiler.measure.precision import CONFIDENCE, _ranks
from scipy.special import ndtri
from scipy.stats import binom, rankdata

OF_VALIDATION = {"validation/goals.py", "validation/known_truth/exact.py"}


@pytest.mark.parametrize("count", [1, 2, 300, 2000])
def test_scores_are_those_of_the_mean_ranks(count: int) -> None:
    random = np.random.default_rng(count)
    for values in (random.random(count), random.integers(0, 5, count), [7.5] * count):
        assert np.array_equal(normal_scores(values), ndtri((rankdata(values) - 0.5) / count))


@pytest.mark.parametrize("quantile", [0.5, 0.9, 0.99])
def test_the_ranks_around_a_quantile_are_those_of_the_binomial_distribution(quantile: float) -> None:
    tail = (1 - CONFIDENCE) / 2
    for count in (*range(1, 60), 368, 369, 2000, 123_456):
        low, high = binom.ppf([tail, 1 - tail], count, quantile)
        assert _ranks(count, quantile) == (low / count, (high + 1) / count)


def test_only_validation_imports_what_takes_half_a_second() -> None:
    source = Path(piql_profiler.__file__).parent
    modules = {str(path.relative_to(source)) for path in source.rglob("*.py") if "scipy.stats" in path.read_text()}
    assert modules == OF_VALIDATION
