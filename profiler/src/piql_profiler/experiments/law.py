"""How long a request takes on the simulated store; stated, so that everybody gets the same figures.

    one request = median · exp(spread · ε) + rows · row        ε is normal and drawn anew for each request

The numbers are those of three Cassandra nodes on loopback (`docs/measurements/cluster-figures.md`): `findUser` has a
p50 of 0.99 ms and a p99 of 4.70 ms, and a scan of 20,000 entries takes 90.5 ms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Law:
    """The median of a request in ms, the spread of its logarithm, and what each row of its answer adds in µs."""

    median_ms: float
    spread: float
    row_us: float

    def request_ms(self, random: np.random.Generator, rows: int) -> float:
        """Draw the time of one request whose answer has so many rows."""
        return float(self.median_ms * np.exp(self.spread * random.standard_normal()) + rows * self.row_us / 1000)

    def said(self) -> str:
        """Return the law as a sentence."""
        return (
            f"A request takes {self.median_ms:g} ms in the median (the logarithm is normal, spread {self.spread:g}) "
            f"and {self.row_us:g} µs more for each row; requests do not wait for each other."
        )


STATED = Law(median_ms=1.0, spread=0.67, row_us=4.5)
