"""A database that reports what it executes: each execution of a deployed query leaves a tuple for the reporter.

Where nothing is reported, `connect` opens a plain `Database`, which has nothing of this in its way.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log2
from time import perf_counter

from piql.client.database import Database
from piql.reporting.cells import BUCKETS_PER_OCTAVE, MOST_OUTCOME, OK, TICKS_PER_SECOND, bucket_of
from piql.reporting.reporter import Reporter, ReportStatus
from piql.runtime.execution.observation import Observation, Observer
from piql.runtime.execution.prepared_query import Page, PreparedQuery
from piql.runtime.execution.strategy import Strategy
from piql.runtime.execution.supplied import Now, utc_now
from piql.store.base import Consistency, Store

_execute = Database.execute


class ReportedDatabase(Database):
    """A `Database` whose executions are counted; the time counted is all that a caller of `execute` waits for.

    `reporter` counts them and ships the counts.
    """

    def __init__(
        self,
        store: Store,
        observer: Observer | None,
        strategy: Strategy,
        consistency: Consistency | None,
        version: int | None,
        now: Now = utc_now,
        reporter: Reporter | None = None,
        canary: bool = False,
    ) -> None:
        assert reporter is not None
        super().__init__(store, observer, strategy, consistency, version=version, now=now, canary=canary)
        self.reporter = reporter
        self._pending = reporter.pending
        self._sampler = reporter.sampler

    @property
    def report_status(self) -> ReportStatus:
        """Return how reporting does: what was sent, what was lost, and why shipments wait."""
        return self.reporter.status

    def close(self) -> None:
        """Close the store, and ship what was counted."""
        super().close()
        self.reporter.close()

    def execute(
        self,
        name: str,
        parameters: Mapping[str, object] | None = None,
        cursor: str | None = None,
        strategy: Strategy | None = None,
        consistency: Consistency | None = None,
        snapshot: bool = False,
        version: int | None = None,
    ) -> Page:
        """Execute as `Database.execute` does, and count the execution, by the version that it was of."""
        if version is None and self._takes_canary and self._prepared.canary is not None:
            self._refuse_without(snapshot)
            return self._execute_drawn(name, parameters, cursor, strategy, consistency)
        pending = self._pending
        if self._sampler.is_turn:
            executing = self._sampled(name, version)
            return ReportedDatabase.execute(
                executing, name, parameters, cursor, strategy, consistency, snapshot, version
            )
        started = perf_counter()
        try:
            page = _execute(self, name, parameters, cursor, strategy, consistency, snapshot, version)
        except Exception as failure:
            self._count_failure(name, version, type(failure).__name__[:MOST_OUTCOME], perf_counter() - started)
            raise
        # Inline, as a call would cost more than what it does.
        bucket = int(BUCKETS_PER_OCTAVE * log2(1.0 + (perf_counter() - started) * TICKS_PER_SECOND))
        query = self._of_version(version).queries.get(name)
        rows, _, operations, _, _, repair_operations, _, statements, _, incidents = page
        outcome = incidents[0].kind if incidents else OK
        pending.append((query, outcome, bucket, operations, len(rows), repair_operations, statements))
        if len(pending) >= self.reporter.full:
            self.reporter.reached()
        return page

    def _sampled(self, name: str, version: int | None) -> ReportedDatabase:
        """This database with an observer, for one execution; itself where that is not to be sampled."""
        self._sampler.is_turn = False
        query = self._of_version(version).queries.get(name) if isinstance(name, str) else None
        if query is None or (isinstance(query, PreparedQuery) and query.is_one_scan) or not self._sampler.has_room():
            return self
        observed, last = self._sampler.observed, self.observer

        def observe(observation: Observation) -> None:
            observed.append((query, observation))
            if last is not None:
                last(observation)

        return self.observed_by(observe)

    def _count_failure(self, name: str, version: int | None, outcome: str, seconds: float) -> None:
        """Count an execution that gave no rows; what it asked of the store before it failed is not known."""
        query = self._of_version(version).queries.get(name)
        self._pending.append((query, outcome, bucket_of(seconds), 0, 0, 0, 0))
        if len(self._pending) >= self.reporter.full:
            self.reporter.reached()
