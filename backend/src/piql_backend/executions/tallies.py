"""Counts of executions by query, in buckets of their time.

Every execution is counted before it is answered, so counting must be cheap.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field

BUCKETS_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


@dataclass(slots=True)
class Tally:
    """Executions of one query: `counts[i]` took at most BUCKETS_SECONDS[i] and more than the bucket before.

    The last count is of those beyond all buckets; `seconds` is the time of all together.
    """

    counts: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS_SECONDS) + 1))
    seconds: float = 0.0
    failed: int = 0


class Tallies:
    """The tallies of all queries since the start; may be used from any thread."""

    def __init__(self) -> None:
        self._by_query: dict[str, Tally] = {}
        self._adding = threading.Lock()

    def add(self, query: str, seconds: float, failed: bool) -> None:
        with self._adding:
            tally = self._by_query.get(query)
            if tally is None:
                tally = self._by_query[query] = Tally()
            tally.counts[bisect_left(BUCKETS_SECONDS, seconds)] += 1
            tally.seconds += seconds
            tally.failed += failed

    def read(self) -> Mapping[str, Tally]:
        """Copies of the tallies, by query."""
        with self._adding:
            return {
                query: Tally(list(tally.counts), tally.seconds, tally.failed) for query, tally in self._by_query.items()
            }
