"""Counts of one worker. Only its event loop writes them, so they need no lock."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import accumulate
from typing import TypeAlias

BUCKETS_SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)

Sample: TypeAlias = tuple[str, str, dict[str, str], float]
"""The family, what is added to its name, labels, and the number."""


class Tallies:
    """Answers by query and status, times of executions, reads that joined another, and refusals by their code."""

    def __init__(self) -> None:
        self.answers: Counter[tuple[str, int]] = Counter()
        self.joined: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self._times: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()
        self._operations: Counter[str] = Counter()

    def executed(self, query: str, seconds: float, operations: int) -> None:
        """Count one execution in the store."""
        counts = self._times.get(query)
        if counts is None:
            counts = self._times[query] = [0] * (len(BUCKETS_SECONDS) + 1)
        counts[bisect_left(BUCKETS_SECONDS, seconds)] += 1
        self._seconds[query] += seconds  # type: ignore[assignment]
        self._operations[query] += operations

    def samples(self, worker: str, connections: int) -> list[Sample]:
        """Return all numbers, each with the label of the worker."""
        label = {"worker": worker}
        samples: list[Sample] = [("piql_service_connections", "", label, connections)]
        for (query, status), count in sorted(self.answers.items()):
            samples.append(("piql_service_answers", "_total", label | {"query": query, "status": str(status)}, count))
        for code, count in sorted(self.refusals.items()):
            samples.append(("piql_service_refusals", "_total", label | {"code": code}, count))
        for query, count in sorted(self.joined.items()):
            samples.append(("piql_service_joined", "_total", label | {"query": query}, count))
        for query, counts in sorted(self._times.items()):
            labels = label | {"query": query}
            samples.append(("piql_service_operations", "_total", labels, self._operations[query]))
            edges = [*(f"{seconds:g}" for seconds in BUCKETS_SECONDS), "+Inf"]
            for edge, count in zip(edges, accumulate(counts), strict=True):
                samples.append(("piql_service_execution_seconds", "_bucket", labels | {"le": edge}, count))
            samples.append(("piql_service_execution_seconds", "_sum", labels, self._seconds[query]))
            samples.append(("piql_service_execution_seconds", "_count", labels, sum(counts)))
        return samples
