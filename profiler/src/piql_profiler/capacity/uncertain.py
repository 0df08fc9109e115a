"""A quantity that is known only so well: 5 of 100 lie below `low`, half below `mid`, 95 of 100 below `high`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_ENDS = 1.6448536269514722  # standard deviations between the middle and the 5 and 95 % points
SHARES = (0.05, 0.5, 0.95)


@dataclass(frozen=True, slots=True)
class Uncertain:
    """A positive quantity; between its three points it is log-normal, with a spread of its own on each side."""

    low: float
    mid: float
    high: float

    def __post_init__(self) -> None:
        if not (0.0 < self.low <= self.mid <= self.high < math.inf):
            if self.low == self.mid == self.high:
                raise ValueError(f"{self.mid:g} is not a number above 0")
            raise ValueError(f"{self.low:g}, {self.mid:g}, {self.high:g} are not three growing numbers above 0")

    @classmethod
    def exactly(cls, value: float) -> Uncertain:
        """A quantity that is known."""
        return cls(value, value, value)

    @classmethod
    def read(cls, text: str) -> Uncertain:
        """Read `120` or `80,120,200` (low, mid, high); ValueError for anything else."""
        try:
            numbers = [float(part) for part in text.split(",")]
        except ValueError:
            raise ValueError(f"{text!r} is neither a number nor low,mid,high") from None
        if len(numbers) == 1:
            return cls.exactly(numbers[0])
        if len(numbers) != 3:
            raise ValueError(f"{text!r} is neither a number nor low,mid,high")
        return cls(*numbers)

    def at(self, deviations: NDArray[np.float64]) -> NDArray[np.float64]:
        """Its values so many standard deviations from the middle."""
        up, down = math.log(self.high / self.mid) / _ENDS, math.log(self.mid / self.low) / _ENDS
        return np.asarray(self.mid * np.exp(deviations * np.where(deviations > 0, up, down)))


@dataclass(frozen=True, slots=True)
class Answer:
    """An estimate: its 5, 50 and 95 % points under what is uncertain."""

    low: float
    mid: float
    high: float

    @classmethod
    def of(cls, draws: Sequence[float] | NDArray[np.float64]) -> Answer:
        """The points of draws; some may be infinite, as they are only ordered."""
        low, mid, high = np.quantile(np.asarray(draws, dtype=np.float64), SHARES, method="nearest")
        return cls(float(low), float(mid), float(high))
