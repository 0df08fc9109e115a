"""The paper's model of capacity: the largest rate without a violation is a power of the size of what is asked.

    log f(size) = log p₁ + p₂ · log size          share b(size, rate) = rate / f(size), and shares add up

It knows nothing of queues: it needs the largest rate of several sizes, measured, for one SLO. `held_out_error` is what
it and the queueing model are chosen by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class LogLog:
    """The fit: `f(size) = p1 · size ** p2`."""

    p1: float
    p2: float

    @classmethod
    def fit(cls, largest_rates: Mapping[float, float]) -> LogLog:
        """Least squares of the logarithms; ValueError for fewer than two sizes."""
        if len(largest_rates) < 2:
            raise ValueError("a line needs the largest rates of two sizes")
        slope, height = np.polyfit(np.log([*largest_rates]), np.log([*largest_rates.values()]), 1)
        return cls(float(np.exp(height)), float(slope))

    def largest_rate(self, size: float) -> float:
        """The largest rate of one size without a violation."""
        return float(self.p1 * size**self.p2)

    def share(self, size: float, rate: float) -> float:
        """The share of the capacity that a rate of one size takes."""
        return rate / self.largest_rate(size)


def held_out_error(largest_rate: Callable[[float], float], held_out: Mapping[float, float]) -> float:
    """The mean error of log rates at sizes that the model was not fitted to."""
    return float(np.mean([abs(np.log(largest_rate(size) / rate)) for size, rate in held_out.items()]))
