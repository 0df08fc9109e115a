"""Counts are the same by the minute, hour and day, however late they come and whenever they are put together."""

from __future__ import annotations

import random
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from piql_backend.database.connection import Database, now
from piql_backend.latency import repository
from piql_backend.latency.repository import ObservationTable
from piql_backend.reports import service
from piql_backend.reports.in_sql import lower_edge
from piql_backend.reports.repository import ReportedTable
from piql_backend.reports.service import Reports
from piql_backend.reports.widths import DAY, HOUR, MINUTE, begin_of, cells, kept, minute_of
from piql_backend.slos.repository import SloTable
from piql_backend.web.schemas import SloWrite

from .test_latency_table import FIRST, database, totals

__all__ = ["database"]
NOW = datetime(2026, 6, 5, 10, 20)
THRESHOLD_BUCKET = 760
Cell = tuple[int, str, int]  # minute, outcome, bucket


def take(table: ReportedTable, sequence: int, taken: list[Cell], version: int = 1) -> None:
    """Take a shipment of cells with one execution each."""
    ones = np.ones(len(taken), dtype=np.int64)
    columns = {
        "minute": np.array([minute for minute, _, _ in taken], dtype=np.int32),
        "query": np.array(["q"] * len(taken), dtype=object),
        "version": (version * ones).astype(np.int32),
        "outcome": np.array([outcome for _, outcome, _ in taken], dtype=object),
        "bound": (3 * ones).astype(np.int32),
        "requests_class": ones.astype(np.int8),
        "rows_class": ones.astype(np.int8),
        "bucket": np.array([bucket for _, _, bucket in taken], dtype=np.int16),
    }
    columns |= dict.fromkeys(("executions", "operations", "rows_given", "repairs", "statements"), ones)
    names = ("least_operations", "most_operations", "least_rows", "most_rows")
    columns |= {name: ones.astype(np.int32) for name in names}
    columns["spread"] = np.zeros(len(ones), np.int16)
    table.take("a" * 32, sequence, 0, columns)


def random_cells(chance: random.Random, until: datetime) -> list[Cell]:
    """Cells of the last three days before a time, most of them of the last minutes."""
    newest = minute_of(until)
    return [
        (
            newest - chance.choice((0, 1, chance.randrange(90), chance.randrange(3 * DAY))),
            chance.choice(("ok", "ok", "ok", "StoreSilent", "InvalidParameter")),
            THRESHOLD_BUCKET + chance.randrange(-3, 3),
        )
        for _ in range(chance.randrange(1, 40))
    ]


@pytest.mark.parametrize("seed", range(3))
def test_every_width_counts_the_same_however_late_counts_come(
    database: Database, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    with database.read() as cursor:
        (threshold_ms,) = cursor.execute(f"SELECT {lower_edge(str(THRESHOLD_BUCKET))}").fetchone() or (0,)
    slo = SloWrite(quantile=0.9, threshold_ms=threshold_ms, interval_seconds=3600)
    table, seen, time = ReportedTable(database), Counter[Cell](), NOW
    monkeypatch.setattr(repository, "now", lambda: time)
    for sequence in range(24):
        taken = random_cells(chance, time)
        take(table, sequence, taken)
        seen.update(taken)
        if sequence == 11:
            SloTable(database).save({"q": slo})  # what came before is counted for it
        if chance.random() < 0.4:
            table.put_together(minute_of(time) // HOUR * HOUR, minute_of(time - timedelta(days=2)) // HOUR * HOUR)
        if sequence < 23:
            time += timedelta(minutes=chance.randrange(200))
    assert_the_same(database, seen, time)
    SloTable(database).save({"q": slo.model_copy(update={"interval_seconds": 600.0})})
    assert_the_same(database, seen, time)


def assert_the_same(database: Database, truth: Counter[Cell], until: datetime) -> None:
    """Hold what is read by each width against the cells themselves."""
    for width, ago in ((MINUTE, timedelta(hours=1)), (HOUR, timedelta(days=1)), (DAY, timedelta(days=3))):
        since = begin_of(until - ago, width)
        first = minute_of(since)
        ran = [cell for cell in truth.elements() if cell[0] >= first]
        executions = [cell for cell in ran if cell[1] != "InvalidParameter"]
        good = [cell for cell in executions if cell[1] == "ok"]
        with database.read() as cursor:
            cursor.begin()
            sql = f"SELECT sum(executions)::INTEGER FROM {cells(width, first, kept(cursor).until)}"
            assert cursor.execute(sql).fetchone() == (len(ran) or None,)
        with ObservationTable(database).gathered(FIRST, since, "applications", width) as gathered:
            counted = gathered.totals()["q"]
        assert (counted.executions, counted.failures) == (len(executions), len(executions) - len(good))
        within = [cell for cell in good if cell[2] < THRESHOLD_BUCKET]
        whole = ObservationTable(database).slo_counts(1, since, "applications", width)["q"].whole
        assert (whole.executions, whole.kept) == (len(executions), len(within))
    burnt = ObservationTable(database).slo_windows(1, (21_600,), "applications")["q"][21_600]
    first = minute_of(until - timedelta(hours=6))
    assert burnt.executions == sum(
        count for cell, count in truth.items() if cell[0] >= first and cell[1] != "InvalidParameter"
    )


def test_what_was_kept_by_earlier_versions_is_put_together(tmp_path: Path) -> None:
    database = Database(tmp_path / "workbench.duckdb")
    table, minute = ReportedTable(database), minute_of(now())
    take(table, 0, [(minute - days * DAY, "ok", 700) for days in (1, 5, 40)])
    assert totals(database, FIRST, timedelta(days=60), "applications")["q"].executions == 3
    table.put_together(minute // HOUR * HOUR, (minute - 2 * DAY) // HOUR * HOUR)
    with ObservationTable(database).gathered(FIRST, now() - timedelta(days=60), "applications", DAY) as seen:
        assert seen.totals()["q"].executions == 3
    database.close()


@pytest.mark.parametrize("time", [NOW, NOW.replace(hour=0)], ids=["by day", "in the first hour of a day"])
def test_where_counts_take_too_much_disk_the_oldest_days_go(
    database: Database, monkeypatch: pytest.MonkeyPatch, time: datetime
) -> None:
    monkeypatch.setattr(service, "now", lambda: time)
    table, today = ReportedTable(database), minute_of(time) // DAY * DAY
    with database.write() as cursor:
        cursor.execute(
            f"""
            INSERT INTO reported
            SELECT {today} - days.range * {DAY}, 'query' || queries.range, 1, 'ok', 1, 1, 1,
                   hash(queries.range) % 900, 1, hash(queries.range + days.range) % 1000000007, 1, 1, 1, 1, 1, 1, 1, 0
            FROM range(20) AS days, range(20000) AS queries
            """
        )
    Reports(table).tidy()
    table.checkpoint()
    before = table.used_bytes()
    Reports(table, before * 2).tidy()
    assert table.oldest_day() == today - 19 * DAY
    Reports(table, before // 2).tidy()
    assert table.used_bytes() <= before // 2
    assert today - 19 * DAY < (table.oldest_day() or 0) < today
    Reports(table, 0).tidy()
    with database.read() as cursor:
        assert cursor.execute("SELECT DISTINCT minute FROM reported").fetchall() == [(today,)]
