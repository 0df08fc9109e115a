"""Executions as OpenTelemetry's own SDK sees them: spans and histograms by its conventions, and nothing unasked."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import piql
import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv.attributes import db_attributes, error_attributes
from opentelemetry.semconv.metrics import db_metrics
from opentelemetry.trace import SpanKind, StatusCode, Tracer
from piql.client.asynchronous import AsyncDatabase
from piql.client.database import Database
from piql.client.reported import ReportedDatabase
from piql.client.watched import WatchedDatabase
from piql.telemetry.instruments import DURATION, REQUESTS, ROWS, Instruments
from piql.telemetry.spans import Spans
from reporting.receiver import Receiver

from .conftest import SOURCE, deployed


@dataclass
class Sdk:
    """A real SDK whose spans and metrics stay in memory, and a database that tells it what it executes."""

    db: piql.Database
    tracer: Tracer
    spans: InMemorySpanExporter
    reader: InMemoryMetricReader

    @property
    def last(self) -> ReadableSpan:
        return self.spans.get_finished_spans()[-1]

    def points(self, metric: str) -> list[HistogramDataPoint]:
        """The series of a metric; each reading is cumulative."""
        data = self.reader.get_metrics_data()
        assert data is not None
        metrics = data.resource_metrics[0].scope_metrics[0].metrics
        return [point for series in metrics if series.name == metric for point in series.data.data_points]  # type: ignore[misc]


@pytest.fixture
def sdk() -> Iterator[Sdk]:
    spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    tracer, meter = provider.get_tracer("piql"), MeterProvider([reader]).get_meter("piql")
    with piql.connect("embedded:", report="", otel=True) as db:
        assert isinstance(db, WatchedDatabase)
        db.watch(Spans(tracer), Instruments(meter), None)
        yield Sdk(deployed(db), tracer, spans, reader)


def attributes_of(span: ReadableSpan) -> dict[str, Any]:
    assert span.attributes is not None
    return dict(span.attributes)


def test_each_execution_is_one_span_by_the_conventions_for_databases(sdk: Sdk) -> None:
    sdk.db.execute("findThem", {"names": ["u0", "u1", "nobody"]})
    sdk.db.execute("addUser", {"name": "ada", "town": "London"})
    read, write = sdk.spans.get_finished_spans()
    assert (read.name, read.kind, read.status.status_code) == ("SELECT findThem", SpanKind.CLIENT, StatusCode.UNSET)
    assert write.name == "INSERT addUser"
    attributes = attributes_of(read)
    assert attributes[db_attributes.DB_SYSTEM_NAME] == "piql"
    assert attributes[db_attributes.DB_OPERATION_NAME] == "SELECT"
    assert attributes[db_attributes.DB_QUERY_SUMMARY] == read.name
    assert attributes[db_attributes.DB_STORED_PROCEDURE_NAME] == "findThem"
    sizes = ("piql.version", "piql.bound", "piql.requests", "db.response.returned_rows", "piql.outcome")
    assert [attributes[name] for name in sizes] == [1, 8, 3, 2, "ok"]
    assert attributes_of(write)["piql.rows_affected"] == 1


def test_a_unit_is_one_span(sdk: Sdk) -> None:
    unit = "CREATE UNIT swap AS BEGIN DELETE FROM users WHERE name = [a]; INSERT INTO users (name) VALUES ([b]); END;"
    sdk.db.deploy(piql.compile(SOURCE + unit))
    page = sdk.db.execute("swap", {"a": "u0", "b": "u9"})
    (span,) = sdk.spans.get_finished_spans()
    attributes = attributes_of(span)
    assert (span.name, attributes[db_attributes.DB_OPERATION_NAME]) == ("UNIT swap", "UNIT")
    assert (attributes["piql.requests"], attributes["piql.rows_affected"]) == (page.operations, 2)


def test_a_span_holds_no_parameter_and_no_row(sdk: Sdk) -> None:
    sdk.db.execute("addUser", {"name": "secret-name", "town": "secret-town"})
    sdk.db.execute("findUser", {"name": "secret-name"})
    with pytest.raises(piql.InvalidParameter, match="secret"):
        sdk.db.execute("findThem", {"names": "secret-name"})
    with pytest.raises(piql.NotDeployed, match="secret"):
        sdk.db.execute("secret-query")
    spans = sdk.spans.get_finished_spans()
    assert len(spans) == 4
    assert not any("secret" in span.to_json() for span in spans)
    assert not any("secret" in str(point) for point in sdk.points(DURATION))


def test_what_fails_says_so_by_the_name_of_its_error(sdk: Sdk) -> None:
    with pytest.raises(piql.InvalidParameter):
        sdk.db.execute("findUser")
    with pytest.raises(piql.NotDeployed):
        sdk.db.execute("nothing")
    refused, unknown = sdk.spans.get_finished_spans()
    assert (refused.status.status_code, refused.name, unknown.name) == (StatusCode.ERROR, "SELECT findUser", "piql")
    errors = [attributes_of(span)[error_attributes.ERROR_TYPE] for span in (refused, unknown)]
    assert errors == ["InvalidParameter", "NotDeployed"]
    assert [span.events for span in (refused, unknown)] == [(), ()]
    assert [dict(point.attributes or {}).get("error.type") for point in sdk.points(DURATION)] == errors
    assert sdk.points(ROWS) == []


def test_the_span_is_below_the_callers_and_above_what_runs_inside(sdk: Sdk) -> None:
    sdk.db.observer = lambda observation: sdk.tracer.start_span("inside").end()
    with sdk.tracer.start_as_current_span("request"):
        sdk.db.execute("findUser", {"name": "u0"})
    spans = {span.name: span for span in sdk.spans.get_finished_spans()}
    inside, execution, request = spans["inside"], spans["SELECT findUser"], spans["request"]
    assert inside.parent is not None
    assert execution.parent is not None
    assert inside.parent.span_id == execution.context.span_id
    assert execution.parent.span_id == request.context.span_id
    sdk.db.observer = None
    sdk.db.execute("findUser", {"name": "u0"})
    assert sdk.last.parent is None


async def test_so_it_is_where_the_execution_runs_in_another_thread(sdk: Sdk) -> None:
    from piql.client.asynchronous import _new_pool

    db = AsyncDatabase(sdk.db, _new_pool())
    with sdk.tracer.start_as_current_span("request") as request:
        await db.execute("findUser", {"name": "u0"})
    execution = sdk.spans.get_finished_spans()[0]
    assert execution.parent is not None
    assert execution.parent.span_id == request.get_span_context().span_id


def test_histograms_count_each_execution_by_its_classes_of_size(sdk: Sdk) -> None:
    pages = [sdk.db.execute("findThem", {"names": [f"u{n}" for n in range(1 + at % 5)]}) for at in range(50)]
    assert db_metrics.DB_CLIENT_OPERATION_DURATION == DURATION
    counts = {
        (point.attributes or {})["piql.requests_class"]: (point.count, point.sum) for point in sdk.points(REQUESTS)
    }
    assert {size: count for size, (count, _) in counts.items()} == {1: 10, 2: 20, 3: 20}
    assert sum(total for _, total in counts.values()) == sum(page.operations for page in pages) == 150
    assert sum(point.sum for point in sdk.points(ROWS)) == sum(len(page.rows) for page in pages)
    duration = sdk.points(DURATION)
    assert sum(point.count for point in duration) == 50
    assert tuple(duration[0].explicit_bounds) == (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10)
    elapsed = sum(page.elapsed_ms for page in pages) / 1000
    assert elapsed <= sum(point.sum for point in duration) < elapsed + 0.5


def test_sessions_are_watched_as_well(sdk: Sdk) -> None:
    sdk.db.session().execute("findUser", {"name": "u0"})
    assert sdk.last.name == "SELECT findUser"


def test_what_was_not_asked_for_is_neither_imported_nor_in_the_way() -> None:
    program = (
        "import sys, piql; db = piql.connect('embedded:', report='');"
        "print(type(db).__name__, type(db).execute is piql.Database.execute, 'opentelemetry' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env={})
    assert run.stdout.split() == ["Database", "True", "False"]


@pytest.mark.parametrize(
    ("word", "argument", "is_watched"),
    [("1", None, True), ("true", None, True), ("0", None, False), ("", None, False), ("1", False, False)],
)
def test_the_environment_asks_where_no_argument_does(
    monkeypatch: pytest.MonkeyPatch, word: str, argument: bool | None, is_watched: bool
) -> None:
    monkeypatch.setenv("PIQL_OTEL", word)
    with piql.connect("embedded:", report="", otel=argument) as db:
        assert isinstance(db, WatchedDatabase) == is_watched
        assert type(db) is (WatchedDatabase if is_watched else Database)


def test_what_cannot_be_asked_for_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(piql.InvalidParameter, match="otel is a str"):
        piql.connect("embedded:", otel="yes")  # type: ignore[arg-type]
    monkeypatch.setenv("PIQL_OTEL", "maybe")
    with pytest.raises(piql.InvalidParameter, match="PIQL_OTEL is neither 1 nor 0"):
        piql.connect("embedded:")
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(piql.InvalidParameter, match=r"pip install 'piql\[otel\]'"):
        piql.connect("embedded:", otel=True)


def test_a_database_reports_and_is_watched_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIQL_REPORT_SPOOL", str(tmp_path))
    exporter = piql.PrometheusExporter()
    with Receiver() as receiver, piql.connect("embedded:", report=receiver.url, exporter=exporter) as db:
        assert isinstance(db, ReportedDatabase)
        deployed(db)
        for _ in range(5):
            db.execute("findUser", {"name": "u0"})
        db.reporter.fold()
        assert db.reporter.ship(60)
        assert receiver.counts == {("findUser", 1, "ok"): 5}
    assert 'piql_client_executions_total{query="findUser",outcome="ok"} 5' in exporter.text()
