"""A database whose executions are told to OpenTelemetry or counted for Prometheus, also where it reports them.

Where neither is asked for, `connect` opens a `Database` or a `ReportedDatabase`, without any of this in their way.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import TYPE_CHECKING

from piql.client.database import Database
from piql.client.prepared import PreparedStatement
from piql.client.reported import ReportedDatabase
from piql.runtime.execution.prepared_query import Page
from piql.runtime.execution.strategy import Strategy
from piql.store.base import Consistency
from piql.telemetry.executed import Executed
from piql.telemetry.exporter import PrometheusExporter

if TYPE_CHECKING:  # these need OpenTelemetry
    from piql.telemetry.instruments import Instruments
    from piql.telemetry.spans import Begun, Spans


class Watched(Database):
    """Watches `execute` of the class behind it; what watches is set by `watch`, before the first execution."""

    _spans: Spans | None = None
    _instruments: Instruments | None = None
    _exporter: PrometheusExporter | None = None

    def watch(self, spans: Spans | None, instruments: Instruments | None, exporter: PrometheusExporter | None) -> None:
        """Say who is told of executions from now on."""
        self._spans, self._instruments, self._exporter = spans, instruments, exporter

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
        """Execute as `Database.execute` does, and tell those that watch, once and of the version that it was of."""
        if version is None and self._takes_canary and self._prepared.canary is not None:
            self._refuse_without(snapshot)
            return self._execute_drawn(name, parameters, cursor, strategy, consistency)
        spans = self._spans
        begun = None if spans is None else spans.begin(self._prepared_query(name, version))
        started = perf_counter()
        try:
            page = super().execute(name, parameters, cursor, strategy, consistency, snapshot, version)
        except BaseException as failure:
            self._tell(begun, Executed(self._prepared_query(name, version), perf_counter() - started, None, failure))
            raise
        seconds = perf_counter() - started
        self._tell(begun, Executed(self._prepared_query(name, version), seconds, page, None))
        return page

    def _prepared_query(self, name: str, version: int | None) -> PreparedStatement | None:
        """The query of a name and version, if it is ready to run; anything may be given as a name."""
        return self._of_version(version).queries.get(name) if isinstance(name, str) else None

    def _tell(self, begun: Begun | None, executed: Executed) -> None:
        if self._exporter is not None:
            self._exporter.count(executed)
        if self._instruments is not None:
            self._instruments.record(executed)
        if begun is not None and self._spans is not None:
            self._spans.end(begun, executed)


class WatchedDatabase(Watched, Database):
    """A watched database that reports nothing."""


class WatchedReportedDatabase(Watched, ReportedDatabase):
    """A watched database that reports as well."""
