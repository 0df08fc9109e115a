"""Days that are judged once give the counts of intervals that are judged one by one, whatever comes later."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from piql_backend.database.connection import Database, aware
from piql_backend.latency import repository
from piql_backend.latency.repository import NO_COUNTS, ObservationTable, SloCounts, SloInterval
from piql_backend.latency.sources import Source
from piql_backend.reports.in_sql import lower_edge
from piql_backend.reports.repository import ReportedTable
from piql_backend.reports.widths import DAY, HOUR, begin_of, kept, minute_of
from piql_backend.slos.repository import SloTable
from piql_backend.web.schemas import SloWrite

from .test_latency_table import database, observe
from .test_report_widths import THRESHOLD_BUCKET, take

__all__ = ["database"]
Ran = tuple[int, int, str, int | None]  # minute, version, outcome, and the bucket: None where the workbench ran it


@pytest.mark.parametrize("interval_seconds", [600.0, 7_200.0, 25_200.0, 86_400.0])
def test_days_that_are_judged_count_as_their_intervals_do(
    database: Database, monkeypatch: pytest.MonkeyPatch, interval_seconds: float
) -> None:
    chance = random.Random(interval_seconds)
    with database.read() as cursor:
        (threshold_ms,) = cursor.execute(f"SELECT {lower_edge(str(THRESHOLD_BUCKET))}").fetchone() or (0,)
    slo = SloWrite(quantile=0.5, threshold_ms=threshold_ms, interval_seconds=interval_seconds)
    table, ran, time = ReportedTable(database), Counter[Ran](), datetime(2026, 6, 5, 22, 50)
    monkeypatch.setattr(repository, "now", lambda: time)
    SloTable(database).save({"q": slo.model_copy(update={"interval_seconds": 3600.0})})
    for sequence in range(12):
        version = 1 if sequence < 10 else 2
        cells = [
            (
                minute_of(time) - chance.choice((chance.randrange(60), chance.randrange(7 * DAY))),
                chance.choice(("ok", "ok", "ok", "StoreSilent", "InvalidParameter")),
                THRESHOLD_BUCKET + chance.randrange(-1, 2),
            )
            for _ in range(80)
        ]
        take(table, sequence, cells, version)
        ran.update((minute, version, outcome, bucket) for minute, outcome, bucket in cells)
        if sequence == 4:
            SloTable(database).save({"q": slo})
        if sequence == 7:
            minute = minute_of(time) - 4 * DAY
            observe(database, [threshold_ms / 2], at=datetime.fromtimestamp(minute * 60, UTC).replace(tzinfo=None))
            ran[minute, 1, "ok", None] += 1
        if sequence % 2:
            table.put_together(minute_of(time) // HOUR * HOUR, minute_of(time - timedelta(days=2)) // HOUR * HOUR)
        if sequence in (5, 9, 11):
            assert_judged(database, ran, time, slo)
        time += timedelta(hours=chance.randrange(5))


def assert_judged(database: Database, ran: Counter[Ran], time: datetime, slo: SloWrite) -> None:
    """Hold the counts of both versions and sources against the executions themselves."""
    since = begin_of(time - timedelta(days=5), DAY)
    with database.read() as cursor:
        minutes_from = kept(cursor).minutes_from
    by_hour = slo.interval_seconds % 3600 == 0
    sources: tuple[Source, ...] = ("applications", "both")
    for version in (1, 2):
        for source in sources:
            intervals: dict[int, list[int]] = {}
            for (minute, cell_version, outcome, bucket), count in ran.items():
                if aware(since).timestamp() > minute * 60 or cell_version > version or outcome == "InvalidParameter":
                    continue
                if bucket is None and source == "applications":
                    continue
                is_stamped_by_hour = bucket is not None and (by_hour or minute < minutes_from)
                stamp = minute // HOUR * HOUR if is_stamped_by_hour else minute
                sums = intervals.setdefault(int(stamp * 60 // slo.interval_seconds), [0, 0, 0])
                sums[0] += count
                sums[1] += count * (outcome == "ok" and (bucket is None or bucket < THRESHOLD_BUCKET))
                sums[2] += count * (outcome == "ok" and bucket == THRESHOLD_BUCKET)
            judged = [sums for sums in intervals.values() if sums[0] >= 2]
            truth = SloCounts(
                SloInterval(*(sum(sums[place] for sums in intervals.values()) for place in range(3))),
                len(judged),
                sum(sums[1] >= 0.5 * sums[0] for sums in judged),
                len(intervals) - len(judged),
            )
            counted = ObservationTable(database).slo_counts(version, since, source, DAY)
            assert counted.get("q", NO_COUNTS) == truth, (version, source)
