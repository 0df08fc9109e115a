"""Counts by buckets of time, as OTLP has them: with explicit bounds, or exponential.

explicit      bounds (0.005, 0.01), counts {0: 7, 2: 1}     7 took at most 5 ms, 1 over 10 ms
exponential   scale 5, counts {-224: 3}                     3 took from 2^(-224/32) s to 2^(-223/32) s
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

ZERO = -(10**9)  # the index of what is too small for any exponential bucket
_LONGEST_SECONDS = 3600.0  # what is over the last bound took at most so long, or twice the bound
_MOST_EXPONENT = 200.0  # a bucket beyond 2^200 seconds is none of an execution


class WrongHistogram(Exception):
    """The histogram cannot be right; the message says why, and ends without a stop."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where buckets end: at `bounds`, or at powers of 2^(2^-scale) where there is a `scale`."""

    bounds: tuple[float, ...] = ()
    scale: int | None = None
    zero_seconds: float = 0.0

    def edges(self, index: int) -> tuple[float, float]:
        """Return the shortest and the longest time of a bucket."""
        if self.scale is not None:
            if index == ZERO:
                return 0.0, self.zero_seconds
            exponents = index / 2.0**self.scale, (index + 1) / 2.0**self.scale
            if max(map(abs, exponents)) > _MOST_EXPONENT:
                raise WrongHistogram("a bucket holds times that no execution takes")
            return 2.0 ** exponents[0], 2.0 ** exponents[1]
        lower = self.bounds[index - 1] if index else 0.0
        if index < len(self.bounds):
            return max(0.0, lower), max(0.0, self.bounds[index])
        return max(0.0, lower), max(2 * lower, _LONGEST_SECONDS)


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many executions are in which bucket; none is in the others."""

    layout: Layout
    counts: Mapping[int, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def since(self, earlier: Histogram) -> Mapping[int, int] | None:
        """Return what has come since an earlier reading of the same series, in this layout; None where counts fell.

        An exponential histogram whose times need more room has a smaller scale than before. Raises WrongHistogram where
        the layouts have nothing to do with each other.
        """
        if self.layout.scale is None or earlier.layout.scale is None:
            if self.layout != earlier.layout:
                raise WrongHistogram("its buckets changed although its start stayed")
            before, after = earlier.counts, self.counts
        else:
            if self.layout.scale > earlier.layout.scale:
                raise WrongHistogram("its scale grew although its start stayed")
            before, after = _wider(earlier, earlier.layout.scale - self.layout.scale), self.counts
        new = {index: after.get(index, 0) - before.get(index, 0) for index in {*before, *after}}
        if any(count < 0 for count in new.values()):
            return None
        return {index: count for index, count in new.items() if count}

    def times(self, new: Mapping[int, int], least: float, most: float) -> Iterator[tuple[float, float, int]]:
        """Yield the edges in seconds and the count of buckets; no time is under `least` or over `most`."""
        for index, count in sorted(new.items()):
            lower, upper = self.layout.edges(index)
            lower, upper = max(lower, least), min(upper, most)
            yield min(lower, upper), max(lower, upper), count


def _wider(histogram: Histogram, steps: int) -> Mapping[int, int]:
    """The counts in buckets of which each holds 2^steps of these."""
    counts: dict[int, int] = {}
    for index, count in histogram.counts.items():
        wide = ZERO if index == ZERO else index >> steps
        counts[wide] = counts.get(wide, 0) + count
    return counts
