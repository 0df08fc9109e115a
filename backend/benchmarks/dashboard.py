"""How long the dashboard takes over months of reports of many queries, and how much disk they take.

Each hour of each query has `--cells` cells, as 50 servers leave them once they are put together; the current hour has
cells of its first minute. Measured is all the SQL of the dashboard, for all queries.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from time import perf_counter, process_time

from piql_backend.database.connection import Database, now
from piql_backend.latency.budgets import WINDOWS
from piql_backend.latency.repository import ObservationTable
from piql_backend.latency.seen import SizePromise, SizeRegion, Span
from piql_backend.reports.repository import ReportedTable
from piql_backend.reports.service import Reports
from piql_backend.reports.widths import begin_of, minute_of, width_for
from piql_backend.slos.repository import SloTable
from piql_backend.web.schemas import SloWrite

GOAL_MS = 300.0
_CELLS = """
    INSERT INTO reported
    SELECT {minute} - hours.range * 60 - {ago}, 'query' || queries.range, 1, 'ok', 101, 1 + cells.range % 3,
           1 + cells.range % 3, 800 + queries.range % 40 + cells.range * 3,
           (5000 * exp(-cells.range / 4.0))::BIGINT + 1, 100, 100, 0, 100, 1, 1, 1, 1, 0
    FROM range({hours}) AS hours, range({queries}) AS queries, range({cells}) AS cells
"""


def fill(database: Database, queries: int, days: int, cells: int) -> None:
    """Fill `reported` as the hours of so many days leave it, and put them together."""
    SloTable(database).save(
        {
            f"query{number}": SloWrite(quantile=0.99, threshold_ms=50.0, interval_seconds=3600)
            for number in range(queries)
        }
    )
    minute = minute_of(now())
    hour = minute // 60 * 60
    with database.write() as cursor:
        sizes = {"queries": queries, "cells": cells}
        cursor.execute(_CELLS.format(minute=hour, ago=60, hours=days * 24, **sizes))
        cursor.execute(_CELLS.format(minute=hour, ago=0, hours=1, **sizes))
    Reports(ReportedTable(database)).tidy()
    with database.read() as cursor:
        cursor.execute("CHECKPOINT")


def milliseconds(read: Callable[[], object], repetitions: int) -> tuple[float, float]:
    """Return the medians of the time and of the processor time."""
    times, processor_times = [], []
    for _ in range(repetitions):
        started, processor_started = perf_counter(), process_time()
        read()
        times.append((perf_counter() - started) * 1000)
        processor_times.append((process_time() - processor_started) * 1000)
    return statistics.median(times), statistics.median(processor_times)


def main() -> int:
    """Print the times of windows; return 1 when one takes longer than the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--days", type=int, default=90)
    parser.add_argument("--cells", type=int, default=7)
    parser.add_argument("--repetitions", type=int, default=7)
    options = parser.parse_args()
    slowest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "workbench.duckdb")
        database = Database(file)
        started = perf_counter()
        fill(database, options.queries, options.days, options.cells)
        size = file.stat().st_size
        print(
            f"{options.queries} queries, {options.days} days, {options.queries * options.days * 24 * options.cells:,} "
            f"cells of hours made in {perf_counter() - started:.0f} s; {size / 1e6:.0f} MB, "
            f"{size / options.queries / options.days:.0f} bytes for each query and day"
        )
        for days in (1 / 24, 1, 7, 30, 90):
            slowest = max(slowest, print_times(database, options.queries, days, options.repetitions))
        database.close()
    return int(slowest > GOAL_MS)


def print_times(database: Database, queries: int, days: float, repetitions: int) -> float:
    """Print how long a window takes, and return the sum of what the dashboard reads in it, in ms."""
    table = ObservationTable(database)
    span = Span(1, {f"query{number}": 1 for number in range(queries)})
    width = width_for(days * 86_400)
    since = begin_of(now() - timedelta(days=days), width)

    def gather() -> None:
        with table.gathered(span, since, "applications", width) as seen:
            seen.queries()
            seen.totals()
            sizes = [(query, size) for query, seen_sizes in seen.sizes().items() for size in seen_sizes]
            ends = (40.0, 60.0, 45.0, 55.0)
            seen.exceeding([SizeRegion(query, size.requests_key, size.rows_key, *ends) for query, size in sizes])
            seen.within([SizePromise(query, size.requests_key, size.rows_key, 50.0) for query, size in sizes])

    def chart() -> None:
        begin = now() - timedelta(days=days)
        table.series("query7", 1, begin, days * 1440, "applications")
        table.histogram("query7", span, begin, "applications")

    parts = {
        "latencies, and how many are as predicted": milliseconds(gather, repetitions),
        "SLOs": milliseconds(lambda: table.slo_counts(1, since, "applications", width), repetitions),
        "incidents": milliseconds(lambda: table.incidents(1, since, "applications", width), repetitions),
        "burn rates": milliseconds(lambda: table.slo_windows(1, WINDOWS, "applications"), repetitions),
    }
    total, used = (sum(times) for times in zip(*parts.values(), strict=True))
    text = ", ".join(f"{name} {wall:.0f}" for name, (wall, _) in parts.items())
    charts = milliseconds(chart, repetitions)[0]
    print(f"{days:5.2f} days: {total:.0f} ms ({text}), {used:.0f} ms of processor; charts of one query {charts:.0f} ms")
    return total


if __name__ == "__main__":
    raise SystemExit(main())
