"""How long a call to a store of known truth takes: a stated law, drawn once for a call or many times at once.

A call makes n requests, which travel together, and returns rows of so many bytes:

    Rᵢ = request · exp(spread · (√shared · Z + √(1 − shared) · εᵢ))        one request's answer
    T  = maxᵢ (i · issue + Rᵢ) + rows · row + bytes · byte                 requests are issued one after the other
    T + pause      where a pause begins during the call, as they do at random; a pause is exponential

Z is what all requests of a moment have in common, a stationary Gaussian process whose memory fades with `lasting_ms`:
operators of one execution share it almost wholly, executions the less the further apart they are. No term has the form
that a model fits: a maximum over n grows with log n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Call:
    """What one call to the store asks for."""

    requests: int
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ServiceTimes:
    """The parameters of the law; times are medians, means or constants as said above."""

    request_us: float
    spread: float
    shared: float
    lasting_ms: float
    issue_us: float
    row_us: float
    byte_ns: float
    pauses_per_second: float
    pause_ms: float

    def causes(self, before: Values, elapsed_us: Values, random: np.random.Generator) -> Values:
        """The common cause some time after it was `before`, one for each draw."""
        memory = np.exp(-elapsed_us / (1000 * self.lasting_ms))
        fresh = random.standard_normal(len(before), dtype=np.float32)
        return np.asarray(before * memory + np.sqrt(1 - memory**2) * fresh)

    def took_us(self, call: Call, causes: Values, random: np.random.Generator) -> Values:
        """Draw what the call takes under each common cause."""
        answers = random.standard_normal((len(causes), call.requests), dtype=np.float32)
        answers *= np.float32(self.spread * np.sqrt(1 - self.shared))
        answers += np.float32(self.spread * np.sqrt(self.shared)) * causes[:, None]
        np.exp(answers, out=answers)
        answers *= np.float32(self.request_us)
        answers += np.arange(1, call.requests + 1, dtype=np.float32) * np.float32(self.issue_us)
        took = answers.max(axis=1) + np.float32(call.rows * self.row_us + call.bytes * self.byte_ns / 1000)
        paused = random.random(len(causes)) < -np.expm1(-took / 1e6 * self.pauses_per_second)
        took[paused] += 1000 * self.pause_ms * random.exponential(size=int(paused.sum())).astype(np.float32)
        return np.asarray(took)
