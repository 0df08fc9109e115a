"""Metrics over OTLP: what an application executed is counted once, and no more is said of it than was sent."""

from __future__ import annotations

import gzip
import json
import math
import subprocess
import sys
from pathlib import Path
from time import time_ns
from typing import Any

import httpx
import pytest
from google.protobuf.json_format import MessageToJson
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality
from piql.reporting.cells import lower_edge_ms
from piql_backend.app import create_app
from piql_backend.database.connection import Database
from piql_backend.otlp import service
from piql_backend.otlp.points import MOST_POINTS
from piql_backend.otlp.repository import SeriesTable
from piql_backend.otlp.service import Otlp
from piql_backend.reports.repository import ReportedTable
from piql_backend.reports.service import Reports
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT
from .test_reports import reported

METRICS = f"{DEVELOPMENT}/otlp/v1/metrics"
PROTOBUF = {"content-type": "application/x-protobuf"}
JSON = {"content-type": "application/json"}
CUMULATIVE = AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE
DELTA = AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA
SECOND = 10**9
NOW = time_ns()
START = NOW - 60 * SECOND
BOUNDS = (0.001, 0.005, 0.01)


def pairs(**attributes: str | int | bool) -> list[KeyValue]:
    values = []
    for name, value in attributes.items():
        kind = "bool_value" if isinstance(value, bool) else "int_value" if isinstance(value, int) else "string_value"
        values.append(KeyValue(key=name.replace("__", "."), value=AnyValue(**{kind: value})))
    return values


LABELS: dict[str, Any] = {
    "db__system__name": "piql",
    "piql__query": "findUser",
    "piql__version": 1,
    "piql__bound": 4,
    "piql__outcome": "ok",
    "piql__requests_class": 1,
    "piql__rows_class": 1,
}


def request(
    counts: list[int],
    start: int = START,
    at: int = NOW,
    temporality: int = CUMULATIVE,
    scale: int | None = None,
    offset: int = 0,
    instance: str = "a",
    requests_sum: float | None = None,
    bounds: tuple[float, ...] = BOUNDS,
    **labels: Any,
) -> ExportMetricsServiceRequest:
    """A request with one data point; its counts are those of buckets with bounds, or exponential with a scale."""
    message = ExportMetricsServiceRequest()
    of_resource = message.resource_metrics.add()
    of_resource.resource.attributes.extend(pairs(service__instance__id=instance))
    of_scope = of_resource.scope_metrics.add()
    metric = of_scope.metrics.add(name="db.client.operation.duration", unit="s")
    common = {"start_time_unix_nano": start, "time_unix_nano": at, "count": sum(counts)}
    attributes = pairs(**{**LABELS, **labels})
    if scale is None:
        metric.histogram.aggregation_temporality = temporality
        metric.histogram.data_points.add(**common, explicit_bounds=bounds, bucket_counts=counts, attributes=attributes)
    else:
        data = metric.exponential_histogram
        data.aggregation_temporality = temporality
        data.data_points.add(
            **common, scale=scale, attributes=attributes, positive={"offset": offset, "bucket_counts": counts}
        )
    if requests_sum is not None:
        sizes = of_scope.metrics.add(name="piql.client.operation.requests", unit="{request}")
        sizes.histogram.aggregation_temporality = temporality
        sizes.histogram.data_points.add(**common, sum=requests_sum, attributes=attributes)
    return message


async def sent(client: httpx.AsyncClient, message: ExportMetricsServiceRequest) -> ExportMetricsServiceResponse:
    answer = await client.post(METRICS, content=message.SerializeToString(), headers=PROTOBUF)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-protobuf"
    response = ExportMetricsServiceResponse()
    response.ParseFromString(answer.content)
    return response


async def counted(client: httpx.AsyncClient) -> int:
    return int((await reported(client))["executions"])


async def test_cumulative_points_count_what_is_new(client: httpx.AsyncClient) -> None:
    for at, counts in enumerate([[5, 0, 0, 0], [5, 2, 0, 0], [5, 2, 0, 0], [9, 2, 0, 1]]):
        assert not (await sent(client, request(counts, at=NOW + at * SECOND))).HasField("partial_success")
    assert await counted(client) == 12


async def test_what_comes_again_or_late_is_counted_once(client: httpx.AsyncClient) -> None:
    first, second = request([5, 0, 0, 0]), request([8, 0, 0, 0], at=NOW + SECOND)
    for message in (first, first, second, first, second):
        await sent(client, message)
    assert await counted(client) == 8


async def test_a_restarted_process_is_counted_as_a_whole_and_another_instance_by_itself(
    client: httpx.AsyncClient,
) -> None:
    await sent(client, request([5, 0, 0, 0]))
    await sent(client, request([3, 0, 0, 0], start=NOW + SECOND, at=NOW + 2 * SECOND))  # fewer: it began again
    await sent(client, request([5, 0, 0, 0], instance="b"))
    await sent(client, request([6, 0, 0, 0], at=NOW + 3 * SECOND))  # two processes of one name: each has its start
    assert await counted(client) == 5 + 3 + 5 + 1


async def test_deltas_are_counted_once_by_their_starts_in_any_order(client: httpx.AsyncClient) -> None:
    deltas = [
        request([1 + at, 0, 0, 0], start=START + at * SECOND, at=START + (at + 1) * SECOND, temporality=DELTA)
        for at in range(5)
    ]
    for at in (0, 2, 1, 1, 4, 3, 0):
        await sent(client, deltas[at])
    assert await counted(client) == 15


async def test_what_ran_long_before_the_first_point_is_left_out(client: httpx.AsyncClient) -> None:
    long_ago = NOW - 2 * 3600 * SECOND
    await sent(client, request([1000, 0, 0, 0], start=long_ago))
    await sent(client, request([1007, 0, 0, 0], start=long_ago, at=NOW + SECOND))
    assert await counted(client) == 7


async def test_without_a_start_counts_that_fall_have_begun_again(client: httpx.AsyncClient) -> None:
    for at, count in enumerate([10, 12, 3]):
        await sent(client, request([count, 0, 0, 0], start=0, at=NOW + at * SECOND))
    assert await counted(client) == 2 + 3


async def test_times_are_known_as_well_as_their_buckets_say(client: httpx.AsyncClient) -> None:
    slo = {"quantile": 0.5, "threshold_ms": 5.2, "interval_seconds": 600}
    assert (await client.put(f"{DEVELOPMENT}/slos/findUser", json=slo)).status_code == 200
    await sent(client, request([0, 60, 40, 0]))
    (query,) = (await reported(client))["queries"]
    assert query["p50_ms"] == pytest.approx(5.0, rel=0.023)
    assert query["p99_ms"] == pytest.approx(10.0, rel=0.023)
    values = (await client.get("/metrics")).text
    labels = 'application="scadr",environment="development",query="findUser"'
    assert f'piql_reported_execution_seconds_bucket{{{labels},le="0.0052"}} 60' in values


def kept_slos(database: Database) -> tuple[int, int, int]:
    """Executions, those that kept the SLO for certain, and those that may have."""
    with database.read() as cursor:
        row = cursor.execute(
            """
            SELECT sum(executions)::BIGINT, sum(executions) FILTER (WHERE high <= 0.007)::BIGINT,
                   sum(executions) FILTER (WHERE low <= 0.007 AND high > 0.007)::BIGINT
            FROM (SELECT executions, (power(2, (bucket - spread) / 32.0) - 1) / power(2, 32) AS low,
                         (power(2, (bucket + 1) / 32.0) - 1) / power(2, 32) AS high FROM reported)
            """
        ).fetchone()
    assert row is not None
    return row


def test_a_bucket_that_holds_a_threshold_decides_nothing(tmp_path: Path) -> None:
    database = Database(tmp_path / "kept.duckdb")
    Otlp(SeriesTable(database), Reports(ReportedTable(database))).take(request([0, 60, 40, 3]))
    assert kept_slos(database) == (103, 60, 40)


def test_it_stays_so_when_minutes_become_hours_and_days(tmp_path: Path) -> None:
    database = Database(tmp_path / "kept.duckdb")
    reports = Reports(ReportedTable(database))
    otlp, ago = Otlp(SeriesTable(database), reports), 3 * 86_400 * SECOND
    for at in range(3):  # a minute apart, in one hour or two
        point = request([0, 60, 40, 3], start=START - ago + at, at=NOW - ago + at * 60 * SECOND)
        otlp.take(point)
    reports.tidy()
    with database.read() as cursor:
        for table in ("reported_hours", "reported_days"):
            rows = cursor.execute(f"SELECT spread, sum(executions)::INT FROM {table} GROUP BY spread").fetchall()
            assert sorted(count for _, count in rows) == [9, 120, 180]
            assert all(spread > 20 for spread, _ in rows)


@pytest.mark.parametrize("scale", [5, 8, 3, 0])
def test_exponential_buckets_lie_where_the_cells_of_reports_do(tmp_path: Path, scale: int) -> None:
    database = Database(tmp_path / "kept.duckdb")
    seconds = 0.0071
    index = math.ceil(math.log2(seconds) * 2.0**scale) - 1
    Otlp(SeriesTable(database), Reports(ReportedTable(database))).take(request([10], scale=scale, offset=index))
    with database.read() as cursor:
        ((bucket, spread),) = cursor.execute("SELECT bucket, spread FROM reported").fetchall()
    lower, upper = lower_edge_ms(bucket - spread) / 1000, lower_edge_ms(bucket + 1) / 1000
    assert lower <= seconds <= upper
    assert spread <= (0 if scale == 5 else 1 if scale > 5 else 2 ** (5 - scale) - 1)


def test_an_exponential_histogram_may_become_coarser(tmp_path: Path) -> None:
    database = Database(tmp_path / "kept.duckdb")
    otlp = Otlp(SeriesTable(database), Reports(ReportedTable(database)))
    assert not otlp.take(request([1, 2, 3, 4], scale=6, offset=-501))
    # by two, from an odd offset: [1], [2, 3], [4], and three more in the last
    assert not otlp.take(request([1, 5, 7], scale=5, offset=-251, at=NOW + SECOND))
    assert kept_slos(database)[0] == 13
    refused = otlp.take(request([1, 5, 8], scale=6, offset=-251, at=NOW + 2 * SECOND))
    assert refused == {"its scale grew although its start stayed": 1}


async def test_sizes_are_those_of_the_class_and_sums_those_that_were_sent(client: httpx.AsyncClient) -> None:
    await sent(client, request([10, 0, 0, 0], requests_sum=26, piql__requests_class=2, piql__rows_class=0))
    await sent(
        client, request([14, 0, 0, 0], requests_sum=37, piql__requests_class=2, piql__rows_class=0, at=NOW + SECOND)
    )
    (query,) = (await reported(client))["queries"]
    (size,) = query["sizes"]
    assert (size["least_requests"], size["most_requests"], size["most_rows"]) == (2, 3, 0)
    assert query["requests"] == 37


async def test_a_class_that_reaches_over_the_bound_is_no_incident(client: httpx.AsyncClient) -> None:
    await sent(client, request([10, 0, 0, 0], piql__requests_class=3))  # 4 to 7 requests, with a bound of 4
    (query,) = (await reported(client))["queries"]
    assert (query["most_requests"], query["over_bound"]) == (4, 0)
    await sent(client, request([2, 0, 0, 0], piql__requests_class=3, piql__over_bound=True))
    (query,) = (await reported(client))["queries"]
    assert query["over_bound"] == 2


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (request([1, 0, 0]), "not one bucket more than bounds"),
        (request([1, 0, 0, 0], bounds=(3, 2, 1)), "bounds do not grow"),
        (request([1, 0, 0, 0], bounds=(1, 2, math.nan)), "bounds do not grow"),
        (request([1, 0, 0, 0], temporality=0), "cumulative or delta"),
        (request([1, 0, 0, 0], start=NOW + SECOND), "the start comes after the end"),
        (request([1, 0, 0, 0], at=1, start=0), "older than 90 days"),
        (request([1, 0, 0, 0], at=NOW + 7200 * SECOND), "from the future"),
        (request([1, 0, 0, 0], at=2**64 - 1), "times are none"),
        (request([1], scale=5, offset=2**31 - 1), "no execution takes"),
        (request([1], scale=500), "its scale"),
        (request([1, 0, 0, 0], piql__version=-1), "piql.version"),
        (request([1, 0, 0, 0], piql__bound="x"), "piql.bound"),
        (request([1, 0, 0, 0], piql__outcome=""), "piql.outcome"),
        (request([1, 0, 0, 0], piql__query="x" * 1001), "piql.query"),
        (request([1, 0, 0, 0], piql__requests_class=32), "piql.requests_class"),
        (request([2**60, 0, 0, 0]), "too large"),
        (request([1, 0, 0, 0], db__system__name="postgresql"), "not of PIQL"),
    ],
)
async def test_what_cannot_be_right_is_refused_with_a_reason_and_the_rest_is_taken(
    client: httpx.AsyncClient, message: ExportMetricsServiceRequest, reason: str
) -> None:
    message.MergeFrom(request([3, 0, 0, 0], instance="sound"))
    answer = (await sent(client, message)).partial_success
    assert answer.rejected_data_points == 1
    assert reason in answer.error_message
    assert await counted(client) == 3


async def test_counts_that_fall_and_buckets_that_change_are_refused(client: httpx.AsyncClient) -> None:
    await sent(client, request([5, 0, 0, 0]))
    for later, reason in (
        (request([4, 0, 0, 0], at=NOW + SECOND), "counts fell"),
        (request([6, 0, 0, 0], at=NOW + SECOND, bounds=(1, 2, 3)), "buckets changed"),
    ):
        assert reason in (await sent(client, later)).partial_success.error_message
    await sent(client, request([7, 0, 0, 0], at=NOW + SECOND))
    assert await counted(client) == 7


async def test_other_metrics_are_refused_and_said_to_be(client: httpx.AsyncClient) -> None:
    message = request([5, 0, 0, 0])
    other = message.resource_metrics[0].scope_metrics[0].metrics.add(name="http.server.request.duration", unit="s")
    for _ in range(3):
        other.histogram.data_points.add(count=1)
    answer = (await sent(client, message)).partial_success
    assert (answer.rejected_data_points, answer.error_message[:9]) == (3, "3 refused")
    assert await counted(client) == 5


async def test_json_says_the_same_as_protobuf(client: httpx.AsyncClient) -> None:
    for text in (MessageToJson(request([5, 0, 0, 0])), MessageToJson(request([5, 0, 0, 0], piql__version=-1))):
        body = gzip.compress(text.replace("}", ',"laterField":1}', 1).encode())
        answer = await client.post(METRICS, content=body, headers={**JSON, "content-encoding": "gzip"})
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
    assert answer.json()["partialSuccess"]["rejectedDataPoints"] == "1"
    await sent(client, request([5, 0, 0, 0]))  # the same point, in the other encoding
    assert await counted(client) == 5


@pytest.mark.parametrize("body", [b"\xff\xff\xff", b"{", b"[]", b'{"resourceMetrics": 5}', b"[" * 100_000, b"\xff{"])
async def test_a_body_that_is_no_request_gets_a_status_in_its_encoding(client: httpx.AsyncClient, body: bytes) -> None:
    answer = await client.post(METRICS, content=body, headers=JSON)
    assert answer.status_code == 400
    assert "JSON" in answer.json()["message"]
    answer = await client.post(METRICS, content=b"\xff\xff\xff" + body, headers=PROTOBUF)
    assert (answer.status_code, answer.headers["content-type"]) == (400, PROTOBUF["content-type"])
    status = Status()
    status.ParseFromString(answer.content)
    assert "protobuf" in status.message


async def test_limits_are_those_of_reports(client: httpx.AsyncClient) -> None:
    packed = gzip.compress(bytes(25_000_000))
    answer = await client.post(METRICS, content=packed, headers={**PROTOBUF, "content-encoding": "gzip"})
    assert answer.status_code == 413
    assert (await client.post(METRICS, content=bytes(6_000_000), headers=PROTOBUF)).status_code == 413
    assert (await client.post(METRICS, content=b"x", headers={"content-type": "text/plain"})).status_code == 415
    other = f"{DEVELOPMENT}/reports"
    assert (await client.post(other, content=b"x", headers=PROTOBUF)).status_code == 415


async def test_metrics_are_taken_from_this_machine_alone(settings: Settings) -> None:
    app = create_app(settings)
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app, client=("192.0.2.7", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as stranger:
            answer = await stranger.post(METRICS, content=b"", headers=PROTOBUF)
            assert (answer.status_code, answer.json()["code"]) == (403, "report-from-elsewhere")


async def test_a_request_with_too_many_points_is_taken_as_far_as_it_may_be(client: httpx.AsyncClient) -> None:
    message = request([1, 0, 0, 0])
    points = message.resource_metrics[0].scope_metrics[0].metrics[0].histogram.data_points
    for at in range(MOST_POINTS + 5 - 1):
        points.add().CopyFrom(points[0])
        points[-1].start_time_unix_nano -= at + 1
    body = gzip.compress(message.SerializeToString())
    answer = await client.post(METRICS, content=body, headers={**PROTOBUF, "content-encoding": "gzip"})
    response = ExportMetricsServiceResponse()
    response.ParseFromString(answer.content)
    assert response.partial_success.rejected_data_points == 5
    assert await counted(client) == MOST_POINTS


def test_series_beyond_the_limit_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("piql_backend.otlp.repository.MOST_SERIES", 2)
    database = Database(tmp_path / "kept.duckdb")
    otlp = Otlp(SeriesTable(database), Reports(ReportedTable(database)))
    refused = [otlp.take(request([5, 0, 0, 0], instance=instance)) for instance in "abcab"]
    assert [sum(reasons.values()) for reasons in refused] == [0, 0, 1, 0, 0]
    monkeypatch.setattr(service, "SERIES_KEPT", -service.SERIES_KEPT)
    otlp._forgot_at = service.datetime.min
    otlp.take(request([5, 0, 0, 0], instance="a"))  # which forgets all that were last seen long ago
    assert not otlp.take(request([5, 0, 0, 0], instance="c"))


TAKE = """
import os, signal, sys
from pathlib import Path
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from piql_backend.database.connection import Database
from piql_backend.otlp.repository import SeriesTable
from piql_backend.otlp.service import Otlp
from piql_backend.reports.repository import ReportedTable
from piql_backend.reports.service import Reports
database = Database(Path(sys.argv[1]))
Otlp(SeriesTable(database), Reports(ReportedTable(database))).take(
    ExportMetricsServiceRequest.FromString(sys.stdin.buffer.read())
)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_taken_is_there_after_a_kill_and_counted_once(tmp_path: Path) -> None:
    file = tmp_path / "kept.duckdb"
    message = request([5, 0, 0, 0])
    command = [sys.executable, "-c", TAKE, str(file)]
    assert subprocess.run(command, input=message.SerializeToString(), check=False).returncode < 0
    database = Database(file)
    reports = Reports(ReportedTable(database))
    assert not Otlp(SeriesTable(database), reports).take(message)
    assert reports.read(3600).executions == 5


APPLICATION = """
import json, sys
import piql
from opentelemetry import metrics, trace
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics import Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import AggregationTemporality, PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import ExponentialBucketHistogramAggregation
address, store, kind = sys.argv[1:]
choices = {}
if kind == "delta":
    choices["preferred_temporality"] = {Histogram: AggregationTemporality.DELTA}
if kind == "exponential":
    choices["preferred_aggregation"] = {Histogram: ExponentialBucketHistogramAggregation()}
exporter = OTLPMetricExporter(endpoint=address, compression=Compression.Gzip, **choices)
provider = MeterProvider([PeriodicExportingMetricReader(exporter, export_interval_millis=200)])
metrics.set_meter_provider(provider)
with piql.connect(store, report="", otel=True) as db:
    db.deploy(piql.compile(
        "CREATE TABLE users (name VARCHAR(9) PRIMARY KEY);"
        f"CREATE QUERY {kind} AS SELECT name FROM users WHERE name IN ([1: names] MAX 8);"
    ))
    requests = 0
    for number in range(3000):
        requests += db.execute(kind, {"names": [f"u{n}" for n in range(1 + number % 5)]}).operations
    try:
        db.execute(kind)
    except piql.InvalidParameter:
        pass
provider.shutdown()
print(json.dumps(requests))
"""


@pytest.mark.parametrize("kind", ["cumulative", "delta", "exponential"])
def test_the_real_sdk_sends_over_the_wire_what_the_workbench_counts(address: str, tmp_path: Path, kind: str) -> None:
    command = [sys.executable, "-c", APPLICATION, f"{address}{METRICS}", f"embedded:{tmp_path / 'store'}", kind]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "rror" not in run.stderr, run.stderr
    queries = httpx.get(f"{address}{DEVELOPMENT}/reports").json()["queries"]
    (query,) = (query for query in queries if query["query"] == kind)
    assert (query["executions"], query["versions"]) == (3001, [1])
    assert {outcome["outcome"]: outcome["executions"] for outcome in query["outcomes"]} == {
        "ok": 3000,
        "InvalidParameter": 1,
    }
    sizes = [(size["least_requests"], size["most_requests"], size["executions"]) for size in query["sizes"]]
    assert sizes == [(1, 1, 600), (2, 3, 1200), (4, 5, 1200)]
    assert (query["requests"], query["over_bound"]) == (json.loads(run.stdout), 0)
