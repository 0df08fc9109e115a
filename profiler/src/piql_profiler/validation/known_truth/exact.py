"""The exact quantile of a query on a store of known truth: its calls are drawn a million times from the store's law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.precision import Precision
from piql_profiler.validation.known_truth.service_times import Call, ServiceTimes

DRAWS = 1_000_000
_AT_ONCE = 20_000  # draws
_TAIL = 0.025  # of the binomial law on each side: the interval of the p99 is one of 95 %


@dataclass(frozen=True)
class Exact:
    """The distribution of a query's latency, and its p99 with the 95 % interval that so many draws leave."""

    p99: Precision
    histogram: Histogram


def exact(times: ServiceTimes, calls: Sequence[Call], *, seed: int = 1, draws: int = DRAWS) -> Exact:
    """The latency of an execution that makes these calls one after the other."""
    random = np.random.default_rng(seed)
    parts = [_drawn(times, calls, min(_AT_ONCE, draws - at), random) for at in range(0, draws, _AT_ONCE)]
    latencies = np.sort(np.concatenate(parts))
    low, high = scipy.stats.binom.ppf([_TAIL, 1 - _TAIL], draws, 0.99)
    estimate, bottom, top = (float(latencies[int(rank)]) for rank in (0.99 * draws, low, high))
    return Exact(Precision(estimate, bottom, top), Histogram.of(latencies))


def _drawn(times: ServiceTimes, calls: Sequence[Call], draws: int, random: np.random.Generator) -> NDArray[np.float32]:
    causes = random.standard_normal(draws, dtype=np.float32)
    took = np.zeros(draws, dtype=np.float32)
    last = np.zeros(draws, dtype=np.float32)
    for at, call in enumerate(calls):
        if at:
            causes = times.causes(causes, last, random)
        last = times.took_us(call, causes, random)
        took += last
    return took
