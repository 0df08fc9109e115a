"""The dashboard counts what applications reported as it counts what the workbench ran: weighted, and by size class."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from time import time

import numpy as np
import pytest
from piql.reporting.cells import Counted, Folded, bucket_of, class_of
from piql.reporting.shipment import shipments
from piql_backend.database.connection import Database, aware, now
from piql_backend.latency.repository import ObservationTable
from piql_backend.latency.seen import Exceeding, SizeRegion
from piql_backend.reports.repository import ReportedTable
from piql_backend.reports.schemas import Shipment
from piql_backend.reports.service import Reports

from .test_latency_table import AGO, FIRST, database, observe, totals
from .test_reports import CLIENT, unpacked

__all__ = ["database"]


class Executed:
    """A query as reports see it."""

    name, version, bound = "q", 1, 101


def report(database: Database, executions: list[Counted], sequence: int = 0) -> None:
    folded = Folded()
    folded.fold(executions, int(time() // 60))
    (packed,) = shipments(folded, CLIENT, sequence)
    Reports(ReportedTable(database)).take(Shipment.model_validate(unpacked(packed)))


def ran(ms: float, requests: int = 11, rows: int = 10, outcome: str = "ok") -> Counted:
    return (Executed(), outcome, bucket_of(ms / 1000), requests, rows, 0, 1)


def test_each_source_has_its_own_executions_and_both_have_all(database: Database) -> None:
    observe(database, [1.0] * 10, operations=11, rows=10)
    report(database, [ran(4.0)] * 30)
    table = ObservationTable(database)
    assert table.has_reports(now() - AGO)
    counted = {
        "workbench": totals(database)["q"],
        "applications": totals(database, source="applications")["q"],
        "both": totals(database, source="both")["q"],
    }
    assert [source.executions for source in counted.values()] == [10, 30, 40]
    assert counted["workbench"].p50_ms == 1.0
    assert counted["both"].p50_ms == pytest.approx(4.0, rel=0.023)
    (point,) = table.series("q", 1, now() - AGO, 86_400.0, "both")
    assert (point.count, point.p99_ms) == (40, counted["both"].p99_ms)
    assert sum(part.count for part in table.histogram("q", FIRST, now() - AGO, "both")) == 40


def test_quantiles_of_reports_are_those_of_the_executions_within_a_bucket(database: Database) -> None:
    latencies = np.random.default_rng(1).lognormal(1, 0.5, 5000)
    report(database, [ran(float(ms)) for ms in latencies])
    reported = totals(database, source="applications")["q"]
    ordered = np.sort(latencies)
    for quantile, seen in ((0.5, reported.p50_ms), (0.99, reported.p99_ms), (0.999, reported.p999_ms)):
        exact = ordered[int(np.ceil(quantile * 5000)) - 1]
        assert seen is not None
        assert exact <= seen <= exact * 1.023


def test_sizes_of_reports_are_classes_also_beside_the_workbenchs_own(database: Database) -> None:
    report(database, [ran(2.0, requests=size, rows=size) for size in (8, 9, 15, 16)])
    observe(database, [2.0], operations=12, rows=12)
    with ObservationTable(database).gathered(FIRST, now() - AGO, "both") as seen:
        sizes = seen.sizes()["q"]
    assert [(size.least_requests, size.requests, size.least_rows, size.rows, size.executions) for size in sizes] == [
        (8, 15, 8, 15, 4),
        (16, 16, 16, 16, 1),
    ]
    assert all(size.requests_key == class_of(size.requests) for size in sizes)
    assert [size.requests_key for size in sizes] == [class_of(12), class_of(16)]


def test_a_bucket_that_holds_an_end_of_a_region_makes_it_wider_and_the_common_part_narrower(database: Database) -> None:
    report(database, [ran(2.0)] * 7)
    key = class_of(11)
    with ObservationTable(database).gathered(FIRST, now() - AGO, "applications") as seen:
        (size,) = seen.sizes()["q"]
        assert (size.requests_key, size.rows_key) == (key, class_of(10))
        regions = [SizeRegion("q", key, class_of(10), 2.0, 2.0, 2.0, 2.0)]
        assert seen.exceeding(regions) == {"q": Exceeding(7, 7, 0, 0, 7)}


def test_refusals_are_left_out_and_what_broke_a_bound_is_counted(database: Database) -> None:
    broken = [ran(1.0, requests=0, rows=0, outcome="BoundExceeded")] * 2
    refused = [ran(1.0, requests=0, rows=0, outcome=name) for name in ("InvalidParameter", "StaleCursor")]
    # Of one cell, since 70 and 105 are of one class: that some were over the bound is known, and not how many.
    mixed = [ran(1.0, requests=70), ran(1.0, requests=105), ran(1.0, requests=106)]
    report(database, [*broken, *refused, *mixed, ran(1.0, outcome="StoreSilent")])
    reported = totals(database, source="applications")["q"]
    counts = (reported.executions, reported.failures, reported.over_bound, reported.most_operations)
    assert counts == (6, 3, 3, 106)


def test_a_request_too_many_is_an_incident_of_who_executed_it_since_when_and_in_which_version(
    database: Database,
) -> None:
    earlier = now() - timedelta(minutes=30)
    observe(database, [1.0] * 2, operations=4, at=earlier, version=2)
    observe(database, [1.0], operations=4)
    observe(database, [1.0] * 5, operations=3)
    report(database, [ran(1.0, requests=0, rows=0, outcome="BoundExceeded")] * 2 + [ran(1.0, requests=105), ran(1.0)])
    table = ObservationTable(database)
    seen = table.incidents(2, now() - AGO, "both")
    assert [(by.source, by.executions, by.versions) for by in seen["q"]] == [
        ("applications", 3, [1]),
        ("workbench", 3, [1, 2]),
    ]
    assert seen["q"][0].since.timestamp() // 60 * 60 == seen["q"][0].since.timestamp()
    assert abs(seen["q"][1].since - aware(earlier)) < timedelta(milliseconds=1)
    assert [by.executions for by in table.incidents(1, now() - AGO, "workbench")["q"]] == [1]
    assert table.incidents(2, now() + AGO, "both") == {}


def test_a_limit_passed_and_an_entry_without_its_record_are_incidents_and_no_failures(database: Database) -> None:
    observe(database, [1.0], incident="dangling-entry", operations=4)
    report(database, [ran(1.0, outcome="limit-passed")] * 2 + [ran(1.0, outcome="dangling-entry"), ran(1.0)])
    seen = ObservationTable(database).incidents(1, now() - AGO, "both")["q"]
    assert [(incident.kind, incident.source, incident.executions) for incident in seen] == [
        ("dangling-entry", "applications", 1),
        ("dangling-entry", "workbench", 1),
        ("limit-passed", "applications", 2),
        ("over-bound", "workbench", 1),
    ]
    counted = totals(database, source="both")["q"]
    assert (counted.executions, counted.failures, counted.over_bound) == (5, 0, 1)


def test_an_empty_file_has_no_reports(tmp_path: Path) -> None:
    database = Database(tmp_path / "other.duckdb")
    assert not ObservationTable(database).has_reports(now() - AGO)
    database.close()
