"""An application whose store takes stated times, and the workbench that it reports to, on one virtual clock.

    law → store → `execute`, counted by the library → shipments → the workbench's tables → its dashboard

All of it is the code that runs in production, but for the clock, the store's times, what is deployed, and predictions:
these are stated, so that it is known which verdicts are right.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import piql
import pytest
from piql.client.reported import ReportedDatabase
from piql.reporting.address import ReportAddress
from piql.reporting.reporter import Reporter
from piql.reporting.sending import Answer
from piql.store.base import Answers, Batch, Consistency, Store
from piql.store.open import open_store
from piql.store.wrapper import StoreWrapper
from piql_backend.database.connection import Database
from piql_backend.executions.observations import Observations
from piql_backend.latency.comparing import Comparing
from piql_backend.latency.plans import Plans
from piql_backend.latency.repository import ObservationTable
from piql_backend.latency.schemas import QueryLatencyRead
from piql_backend.latency.service import Latency
from piql_backend.predictions.questions import SizeEstimate, SizeEstimates
from piql_backend.prices.service import Prices
from piql_backend.reports.repository import ReportedTable
from piql_backend.reports.schemas import Shipment
from piql_backend.reports.service import Reports
from piql_backend.slos.repository import SloTable
from piql_backend.web.schemas import SloWrite
from piql_profiler.measure.clock import VirtualClock
from piql_profiler.predictor.sizes import Size

BEGIN = datetime(2026, 6, 5, 12, 0, 30)  # UTC
MOST_SIZE = 100
_READS_CLOCK = ("latency.service", "latency.repository", "reports.service", "reports.repository", "slos.repository")


class TimedStore(StoreWrapper):
    """Answers at once, and lets the time of `next_ms` pass on the clock."""

    def __init__(self, behind: Store, clock: VirtualClock) -> None:
        super().__init__(behind)
        self._clock = clock
        self.next_ms = 0.0

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        self._clock.spend(self.next_ms / 1000)
        return self.behind.read_many(batches, consistency)


class Stated:
    """Stands for what is deployed, and for the predictor: the estimates of each query and size are given."""

    def __init__(self, queries: Sequence[str]) -> None:
        self.estimates: dict[tuple[str, int], SizeEstimate] = {}
        self._queries = [
            SimpleNamespace(name=name, kind="select", operations=MOST_SIZE, predicted_p99_ms=None) for name in queries
        ]

    def read(self, deployment_id: str) -> SimpleNamespace:
        return SimpleNamespace(id=deployment_id, version=1, run_id="stated", model="surface", queries=self._queries)

    def times(self, version: int, since: datetime) -> list[object]:
        return []

    def texts(self, version: int) -> dict[str, str]:
        return {}

    def for_sizes(
        self, texts: object, sizes: Mapping[str, list[Size]], thresholds_ms: object, run_id: str
    ) -> dict[str, SizeEstimates]:
        return {
            name: SizeEstimates(None, {size: self.estimates[name, size.requests] for size in wanted})
            for name, wanted in sizes.items()
        }


class World:
    """One application and one workbench. `run` executes a query; `dashboard` shows what the workbench says of it."""

    def __init__(self, folder: Path, queries: Sequence[str], clock: VirtualClock) -> None:
        self.stated = Stated(queries)
        self._clock = clock
        self._database = Database(folder / "workbench.duckdb")
        self._reports = Reports(ReportedTable(self._database))
        deployments = cast(Any, self.stated)
        self.slos = SloTable(self._database)
        self._latency = Latency(
            ObservationTable(self._database),
            self.slos,
            deployments,
            Observations(self._database),
            Plans(deployments),
            Comparing(deployments, cast(Any, self.stated)),
            Prices(lambda: None, is_file=True, workers=cast(Any, None)),
        )
        self._store = TimedStore(open_store(f"embedded:{folder / 'store'}"), clock)
        address = ReportAddress("http", "127.0.0.1", 1, "/reports", folder / "spool")
        self._reporter = Reporter(address, self._take)
        self._application = ReportedDatabase(self._store, None, "parallel", None, None, reporter=self._reporter)
        self._application.deploy(
            piql.compile(
                "CREATE TABLE users (name VARCHAR(9) PRIMARY KEY);"
                + "".join(
                    f"CREATE QUERY {name} AS SELECT name FROM users WHERE name IN ([1: names] MAX {MOST_SIZE});"
                    for name in queries
                )
            )
        )
        self._parameters = [{"names": [f"u{number}" for number in range(size)]} for size in range(MOST_SIZE + 1)]

    def run(self, query: str, latencies_ms: Sequence[float], sizes: Sequence[int]) -> None:
        """Execute a query once for each latency, making so many requests."""
        for latency_ms, size in zip(latencies_ms, sizes, strict=True):
            self._store.next_ms = latency_ms
            self._application.execute(query, self._parameters[size])

    def wait(self, seconds: float) -> None:
        """Let time pass without executions."""
        self._reporter.fold()  # counted by the minute in which they ended
        self._clock.spend(seconds)

    def promise(self, query: str, quantile: float, threshold_ms: float) -> None:
        """Set the SLO of a query."""
        slo = SloWrite(quantile=quantile, threshold_ms=threshold_ms, interval_seconds=3600)
        self.slos.save({query: slo})

    def dashboard(self, window_seconds: float = 3600) -> dict[str, QueryLatencyRead]:
        """What the dashboard shows of each query when all reports have arrived."""
        self._reporter.fold()
        assert self._reporter.ship(60)
        return {query.query: query for query in self._latency.read("live", window_seconds, "applications").queries}

    def close(self) -> None:
        self._application.close()
        self._database.close()

    def _take(self, address: ReportAddress, shipment: bytes, timeout_seconds: float) -> Answer:
        self._reports.take(Shipment.model_validate_json(gzip.decompress(shipment)))
        return Answer("taken")


@contextmanager
def world(folder: Path, queries: Sequence[str]) -> Iterator[World]:
    """A world that begins at BEGIN."""
    clock = VirtualClock()
    began_at = BEGIN.replace(tzinfo=UTC).timestamp()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("piql.client.reported.perf_counter", clock.now)
        patch.setattr("piql.reporting.reporter.time", lambda: began_at + clock.now())
        for module in _READS_CLOCK:
            patch.setattr(f"piql_backend.{module}.now", lambda: BEGIN + timedelta(seconds=clock.now()))
        made = World(folder, queries, clock)
        try:
            yield made
        finally:
            made.close()
