"""Counts of executions by query, in buckets of their time: a tenth of a microsecond each, on the way of every one."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field

BUCKETS_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


@dataclass(slots=True)
class Tally:
    """Executions of one query: how many took how long (the last bucket is beyond all), and how many failed."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS_SECONDS) + 1))
    seconds: float = 0.0
    failed: int = 0


class Tallies:
    """Of all queries since the start."""

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
        with self._adding:
            return {
                query: Tally(list(tally.counts), tally.seconds, tally.failed) for query, tally in self._by_query.items()
            }
