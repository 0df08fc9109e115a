"""Counts for Prometheus, read back by Prometheus' own client: exact at each SLO, for the process that counted."""

from __future__ import annotations

import math
import os
import threading
import urllib.request
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from wsgiref.simple_server import WSGIRequestHandler, make_server

import httpx
import piql
import pytest
from piql.telemetry.executed import Executed
from prometheus_client.parser import text_string_to_metric_families

from .conftest import deployed


def numbers(text: str) -> dict[tuple[str, ...], float]:
    """Each sample by its name and the values of its labels."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture
def exporter() -> piql.PrometheusExporter:
    return piql.PrometheusExporter({"findUser": 50, "findThem": 7.3})


@pytest.fixture
def db(exporter: piql.PrometheusExporter) -> Iterator[piql.Database]:
    with piql.connect("embedded:", report="", otel=False, exporter=exporter) as db:
        yield deployed(db)


def test_every_execution_is_counted_with_its_requests_and_rows(
    db: piql.Database, exporter: piql.PrometheusExporter
) -> None:
    for count in (1, 2, 3, 8):
        db.execute("findThem", {"names": [f"u{n}" for n in range(count)]})
    db.execute("findUser", {"name": "nobody"})
    values = numbers(exporter.text())
    assert values["piql_client_execution_seconds_count", "findThem"] == 4
    assert values["piql_client_execution_seconds_bucket", "findThem", "+Inf"] == 4
    assert values["piql_client_requests_total", "findThem"] == 14
    assert values["piql_client_rows_total", "findThem"] == 14
    assert values["piql_client_rows_total", "findUser"] == 0
    assert values["piql_client_executions_total", "findUser", "ok"] == 1


def test_a_bucket_ends_exactly_at_the_slo(db: piql.Database, exporter: piql.PrometheusExporter) -> None:
    page = db.execute("findUser", {"name": "u0"})
    query = db._prepared.queries["findUser"]
    for seconds in (0.05, math.nextafter(0.05, 1.0), math.nextafter(0.05, 0.0), 0.051):
        exporter.count(Executed(query, seconds, page, None))
    values = numbers(exporter.text())
    assert values["piql_client_execution_seconds_bucket", "findUser", "0.05"] == 3  # with the execution itself
    assert values["piql_client_execution_seconds_bucket", "findUser", "0.1"] == 5
    db.execute("findThem", {"names": ["u0"]})
    assert ("piql_client_execution_seconds_bucket", "findThem", "0.0073") in numbers(exporter.text())


def test_buckets_grow_and_the_last_is_the_count(db: piql.Database, exporter: piql.PrometheusExporter) -> None:
    for _ in range(200):
        db.execute("findUser", {"name": "u0"})
    buckets = [
        sample
        for family in text_string_to_metric_families(exporter.text())
        for sample in family.samples
        if sample.name.endswith("_bucket") and sample.labels["query"] == "findUser"
    ]
    edges = [float(bucket.labels["le"]) for bucket in buckets]
    assert edges == sorted(edges)
    assert [bucket.value for bucket in buckets] == sorted(bucket.value for bucket in buckets)
    assert buckets[-1].value == 200


def test_refusals_are_no_failures_and_errors_of_the_store_are(
    db: piql.Database, exporter: piql.PrometheusExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(piql.InvalidParameter):
        db.execute("findUser")
    with pytest.raises(piql.NotDeployed):
        db.execute("nothing")
    assert numbers(exporter.text())["piql_client_failed_total", "findUser"] == 0

    def fail(*_: object) -> None:
        raise piql.StoreUnavailable("away")

    monkeypatch.setattr(piql.Database, "_read", fail)
    with pytest.raises(piql.StoreUnavailable):
        db.execute("findUser", {"name": "u0"})
    values = numbers(exporter.text())
    assert values["piql_client_failed_total", "findUser"] == 1
    assert values["piql_client_executions_total", "findUser", "StoreUnavailable"] == 1
    assert values["piql_client_executions_total", "", "NotDeployed"] == 1
    assert values["piql_client_execution_seconds_count", "findUser"] == 0


def test_threads_and_databases_are_counted_together(exporter: piql.PrometheusExporter) -> None:
    def work() -> None:
        with piql.connect("embedded:", report="", exporter=exporter) as db:
            deployed(db)
            for _ in range(300):
                db.execute("findUser", {"name": "u0"})

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert numbers(exporter.text())["piql_client_execution_seconds_count", "findUser"] == 1200


class Silent(WSGIRequestHandler):
    def log_message(self, *args: object) -> None: ...


def test_it_answers_scrapes_as_a_wsgi_application(db: piql.Database, exporter: piql.PrometheusExporter) -> None:
    db.execute("findUser", {"name": "u0"})
    with make_server("127.0.0.1", 0, exporter.wsgi, handler_class=Silent) as server:  # type: ignore[arg-type]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/metrics"
        with urllib.request.urlopen(address, timeout=10) as answer:
            assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
            assert numbers(answer.read().decode())["piql_client_rows_total", "findUser"] == 1
        with pytest.raises(HTTPError, match="405"):
            urllib.request.urlopen(address, data=b"", timeout=10)
        server.shutdown()


async def test_it_answers_scrapes_as_an_asgi_application(db: piql.Database, exporter: piql.PrometheusExporter) -> None:
    db.execute("findUser", {"name": "u0"})
    transport: Any = httpx.ASGITransport(exporter.asgi)  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
        answer = await client.get("/metrics")
        assert numbers(answer.text)["piql_client_rows_total", "findUser"] == 1
        assert (await client.head("/metrics")).headers["content-length"] == str(len(answer.content))
        assert (await client.post("/metrics")).status_code == 405


def test_a_forked_process_counts_its_own_executions(db: piql.Database, exporter: piql.PrometheusExporter) -> None:
    db.execute("findUser", {"name": "u0"})
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.write(writing, exporter.text().encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert "findUser" not in pipe.read()
    os.wait()
    assert numbers(exporter.text())["piql_client_execution_seconds_count", "findUser"] == 1


@pytest.mark.parametrize("slos", [{"findUser": 0}, {"findUser": -1}, {"findUser": "5"}, {1: 5}, {"a": math.inf}, 5])
def test_a_threshold_that_is_none_is_refused(slos: Any) -> None:
    with pytest.raises(piql.InvalidParameter, match="slos_ms"):
        piql.PrometheusExporter(slos)


def test_an_exporter_that_is_none_is_refused() -> None:
    with pytest.raises(piql.InvalidParameter, match="exporter is a str"):
        piql.connect("embedded:", exporter="x")  # type: ignore[arg-type]
