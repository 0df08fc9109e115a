"""What applications reported since the start, by query: for `/metrics`, whose counters may begin anew."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from piql.reporting.cells import GAVE_ROWS, lower_edge_ms

from piql_backend.reports.in_sql import REFUSED

MOST_QUERIES = 10_000


@dataclass(slots=True)
class ReportedTally:
    """The executions of one query: by outcome, and those that gave their rows by the bucket of their time."""

    outcomes: Counter[str] = field(default_factory=Counter)
    buckets: Counter[int] = field(default_factory=Counter)
    over_bound: int = 0

    @property
    def failed(self) -> int:
        """How many failed; errors that refuse a request, such as a wrong parameter, are no failures."""
        return sum(count for outcome, count in self.outcomes.items() if outcome not in (*GAVE_ROWS, *REFUSED))

    @property
    def seconds(self) -> float:
        """The time of those that gave their rows, by the upper edges of buckets: at most 2.2 % too high."""
        return sum(count * lower_edge_ms(bucket + 1) for bucket, count in self.buckets.items()) / 1000

    def within(self, seconds: float) -> int:
        """How many gave their rows and surely took no longer; one whose bucket holds that time is not among them."""
        return sum(
            count for bucket, count in self.buckets.items() if lower_edge_ms(bucket + 1) <= seconds * 1000 * (1 + 1e-12)
        )


class ReportedTallies:
    """The tallies of all queries; may be used from any thread. Beyond MOST_QUERIES new ones are counted as ''."""

    def __init__(self) -> None:
        self._by_query: dict[str, ReportedTally] = {}
        self._adding = threading.Lock()

    def add(self, cells: Iterable[tuple[str, str, int, int, int]]) -> None:
        """Count cells: query, outcome, bucket, executions, and how many of these passed their bound."""
        with self._adding:
            for query, outcome, bucket, executions, over_bound in cells:
                name = query if query in self._by_query or len(self._by_query) < MOST_QUERIES else ""
                tally = self._by_query.setdefault(name, ReportedTally())
                tally.outcomes[outcome] += executions
                tally.over_bound += over_bound
                if outcome in GAVE_ROWS:
                    tally.buckets[bucket] += executions

    def read(self) -> Mapping[str, ReportedTally]:
        """Copies of the tallies, by query."""
        with self._adding:
            return {
                query: ReportedTally(tally.outcomes.copy(), tally.buckets.copy(), tally.over_bound)
                for query, tally in self._by_query.items()
            }
