"""The dashboard counts what applications reported as it counts what the workbench ran: weighted, and by size class."""

from __future__ import annotations

from pathlib import Path
from time import time

import numpy as np
import pytest
from piql.reporting.cells import Counted, Folded, bucket_of, class_of
from piql.reporting.shipment import shipments
from piql_backend.database.connection import Database, now
from piql_backend.latency.repository import Exceeding, ObservationTable, SizeRegion
from piql_backend.latency.sources import executed
from piql_backend.reports.repository import ReportedTable
from piql_backend.reports.schemas import Shipment
from piql_backend.reports.service import Reports

from .test_latency_table import AGO, FIRST, database, observe
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
        source: table.totals(FIRST, now() - AGO, source)["q"] for source in ("workbench", "applications", "both")
    }
    assert [totals.executions for totals in counted.values()] == [10, 30, 40]
    assert counted["workbench"].p50_ms == 1.0
    assert counted["both"].p50_ms == pytest.approx(4.0, rel=0.023)
    (point,) = table.series(1, now() - AGO, 86_400.0, "both")["q"]
    assert (point.count, point.p99_ms) == (40, counted["both"].p99_ms)
    assert sum(part.count for part in table.histogram(FIRST, now() - AGO, "both")["q"]) == 40


def test_quantiles_of_reports_are_those_of_the_executions_within_a_bucket(database: Database) -> None:
    latencies = np.random.default_rng(1).lognormal(1, 0.5, 5000)
    report(database, [ran(float(ms)) for ms in latencies])
    totals = ObservationTable(database).totals(FIRST, now() - AGO, "applications")["q"]
    ordered = np.sort(latencies)
    for quantile, seen in ((0.5, totals.p50_ms), (0.99, totals.p99_ms), (0.999, totals.p999_ms)):
        exact = ordered[int(np.ceil(quantile * 5000)) - 1]
        assert seen is not None
        assert exact <= seen <= exact * 1.023


def test_sizes_of_reports_are_classes_also_beside_the_workbenchs_own(database: Database) -> None:
    report(database, [ran(2.0, requests=size, rows=size) for size in (8, 9, 15, 16)])
    observe(database, [2.0], operations=12, rows=12)
    sizes = ObservationTable(database).sizes(FIRST, now() - AGO, "both")["q"]
    assert [(size.least_requests, size.requests, size.least_rows, size.rows, size.executions) for size in sizes] == [
        (8, 15, 8, 15, 4),
        (16, 16, 16, 16, 1),
    ]
    with database.read() as cursor:
        sql = f"SELECT most_requests, requests_key FROM {executed('both')}"
        assert all(key == class_of(requests) for requests, key in cursor.execute(sql).fetchall())


def test_a_bucket_that_holds_an_end_of_a_region_makes_the_region_wider(database: Database) -> None:
    report(database, [ran(2.0)] * 7)
    table, key = ObservationTable(database), class_of(11)
    (size,) = table.sizes(FIRST, now() - AGO, "applications")["q"]
    assert (size.requests_key, size.rows_key) == (key, class_of(10))
    regions = [SizeRegion("q", key, class_of(10), 2.0, 2.0)]
    assert table.exceeding(FIRST, now() - AGO, regions, "applications") == {"q": Exceeding(7, 7, 0)}


def test_refusals_are_left_out_and_what_broke_a_bound_is_counted(database: Database) -> None:
    broken = [ran(1.0, requests=0, rows=0, outcome="BoundExceeded")] * 2
    refused = [ran(1.0, requests=0, rows=0, outcome=name) for name in ("InvalidParameter", "StaleCursor")]
    # Of one cell, since 70 and 105 are of one class: that some were over the bound is known, and not how many.
    mixed = [ran(1.0, requests=70), ran(1.0, requests=105), ran(1.0, requests=106)]
    report(database, [*broken, *refused, *mixed, ran(1.0, outcome="StoreSilent")])
    totals = ObservationTable(database).totals(FIRST, now() - AGO, "applications")["q"]
    assert (totals.executions, totals.failures, totals.over_bound, totals.most_operations) == (6, 3, 3, 106)


def test_an_empty_file_has_no_reports(tmp_path: Path) -> None:
    database = Database(tmp_path / "other.duckdb")
    assert not ObservationTable(database).has_reports(now() - AGO)
    database.close()
