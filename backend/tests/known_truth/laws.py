"""Laws of latencies with stated quantiles, each scaled so that its p99 is 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

Draw = Callable[[np.random.Generator, int], np.ndarray]
_Z99 = float(norm.ppf(0.99))


@dataclass(frozen=True, slots=True)
class Law:
    """`draw` gives latencies whose p99 is 1; `share` says how many of them are at most a latency."""

    name: str
    draw: Draw
    share: Callable[[float], float]


def _lognormal(spread: float) -> Law:
    return Law(
        f"lognormal {spread:g}",
        lambda random, count: np.exp(spread * (random.standard_normal(count) - _Z99)),
        lambda latency: float(norm.cdf(np.log(latency) / spread + _Z99)),
    )


def _weibull(shape: float) -> Law:
    """Exponential latencies for the shape 1, heavier tails below it."""
    scale = np.log(100) ** (-1 / shape)
    return Law(
        f"Weibull {shape:g}",
        lambda random, count: scale * random.weibull(shape, count),
        lambda latency: float(-np.expm1(-((latency / scale) ** shape))),
    )


def _pareto(power: float) -> Law:
    least = 100 ** (-1 / power)
    return Law(
        f"Pareto {power:g}",
        lambda random, count: least * (1 + random.pareto(power, count)),
        lambda latency: float(max(0.0, 1 - (latency / least) ** -power)),
    )


def _two_modes() -> Law:
    """Hits of a cache, and 3 of 100 misses that take from 0.5 to 1.25: two thirds of them take at most 1."""

    def draw(random: np.random.Generator, count: int) -> np.ndarray:
        is_miss = random.random(count) < 0.03
        return np.where(is_miss, random.uniform(0.5, 1.25, count), random.uniform(0.05, 0.1, count))

    def share(latency: float) -> float:
        hits, misses = np.clip([(latency - 0.05) / 0.05, (latency - 0.5) / 0.75], 0, 1)
        return float(0.97 * hits + 0.03 * misses)

    return Law("two modes", draw, share)


LAWS = (_lognormal(0.3), _lognormal(0.7), _weibull(1.0), _weibull(0.6), _pareto(2.0), _two_modes())
