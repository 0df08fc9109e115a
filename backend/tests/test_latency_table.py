"""The SQL of the dashboard, against numbers counted by hand."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from piql.client.database import Observation
from piql.runtime.execution.incidents import IncidentKind
from piql_backend.data_folder.disk import FREE_SOME, LET_WRITE
from piql_backend.database import connection
from piql_backend.database.connection import Database, now
from piql_backend.executions.observations import Observations, ObservedExecution
from piql_backend.latency.repository import ObservationTable, SloCounts, SloInterval
from piql_backend.latency.seen import Exceeding, SizeRegion, SizeTotals, Span, Totals
from piql_backend.latency.service import compliance_of
from piql_backend.latency.sources import Source
from piql_backend.slos.repository import SloTable
from piql_backend.web.schemas import SloWrite

AGO = timedelta(hours=1)
FIRST, SECOND = Span(1, {"q": 1}), Span(2, {"q": 2})
MIGRATIONS = Path(connection.__file__).parent / "migrations"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "workbench.duckdb")
    yield database
    database.close()


def observe(
    database: Database,
    latencies_ms: list[float],
    query: str = "q",
    at: datetime | None = None,
    operations: int = 1,
    failed: bool = False,
    rows: int = 0,
    version: int = 1,
    incident: IncidentKind | None = None,
) -> None:
    observations = Observations(database)
    for elapsed_ms in latencies_ms:
        observation = Observation(query, version, at or now(), elapsed_ms, operations, 1, rows)
        observations.add(ObservedExecution(observation, 3, failed, incident))
    observations.flush()


def totals(
    database: Database, span: Span = FIRST, ago: timedelta = AGO, source: Source = "workbench"
) -> dict[str, Totals]:
    with ObservationTable(database).gathered(span, now() - ago, source) as seen:
        return seen.totals()


def test_quantiles_are_those_of_the_executions_themselves(database: Database) -> None:
    chance = np.random.default_rng(1)
    latencies = chance.lognormal(1, 0.5, 5000)
    observe(database, list(latencies))
    seen = totals(database)["q"]
    ordered = np.sort(latencies)
    assert seen.executions == 5000
    assert seen.p50_ms == pytest.approx(ordered[2499])
    assert seen.p99_ms == pytest.approx(ordered[4949])
    assert seen.p99_low_ms is not None
    assert seen.p99_high_ms is not None
    assert seen.p99_low_ms == pytest.approx(ordered[4935])
    assert seen.p99_high_ms == pytest.approx(ordered[4964])


def test_few_executions_give_no_confidence_interval(database: Database) -> None:
    observe(database, [1.0, 2.0, 3.0])
    seen = totals(database)["q"]
    assert (seen.p50_ms, seen.p99_ms, seen.p99_low_ms, seen.p99_high_ms) == (2.0, 3.0, None, None)


def test_failures_count_but_have_no_latency(database: Database) -> None:
    observe(database, [1.0, 2.0])
    observe(database, [900.0], failed=True)
    seen = totals(database)["q"]
    assert (seen.executions, seen.failures, seen.p99_ms) == (3, 1, 2.0)


def test_only_failures_leave_no_quantiles(database: Database) -> None:
    observe(database, [900.0], failed=True)
    seen = totals(database)["q"]
    assert (seen.executions, seen.failures, seen.p50_ms) == (1, 1, None)


def test_a_request_over_the_bound_is_counted(database: Database) -> None:
    observe(database, [1.0] * 3, operations=3)
    observe(database, [1.0], operations=4)
    seen = totals(database)["q"]
    assert (seen.over_bound, seen.most_operations) == (1, 4)


def test_the_window_and_the_version_choose_what_is_seen(database: Database) -> None:
    observe(database, [1.0], at=now() - 2 * AGO)
    table = ObservationTable(database)
    assert totals(database) == {}
    assert totals(database, SECOND, 3 * AGO) == {}
    table.delete_older_than(AGO)
    assert totals(database, FIRST, 3 * AGO) == {}


def test_what_ran_by_the_same_plan_counts_together_and_what_ran_later_does_not(database: Database) -> None:
    for version in (1, 2, 3, 4):
        observe(database, [float(version)], version=version)
    table = ObservationTable(database)
    assert totals(database, Span(3, {"q": 2}))["q"].executions == 2
    assert sum(bucket.count for bucket in table.histogram("q", Span(3, {"q": 2}), now() - AGO)) == 2
    assert sum(bucket.count for bucket in table.series("q", 3, now() - AGO, 1.0)) == 3
    assert totals(database, Span(3, {})) == {}


def test_executions_are_counted_by_the_requests_they_made_and_the_rows_they_gave(database: Database) -> None:
    observe(database, [1.0, 2.0, 9.0], operations=11, rows=10)
    observe(database, [5.0], operations=3, rows=2)
    observe(database, [700.0], operations=11, rows=10, failed=True)
    with database.write() as cursor:
        cursor.execute("INSERT INTO observations SELECT * REPLACE (NULL AS rows_given) FROM observations LIMIT 1")
    ends = ((11, 10, 1.5, 8.0), (3, 2, 4.0, 6.0), (4, 4, 0.0, 0.0))
    regions = [SizeRegion("q", requests, rows, low, high, low, high) for requests, rows, low, high in ends]
    with ObservationTable(database).gathered(FIRST, now() - AGO) as seen:
        assert seen.sizes() == {"q": [SizeTotals(11, 10, 11, 11, 10, 10, 3, 9.0), SizeTotals(3, 2, 3, 3, 2, 2, 1, 5.0)]}
        assert seen.exceeding(regions) == {"q": Exceeding(4, 3, 1, 3, 1)}
        assert seen.exceeding(regions[:1]) == {"q": Exceeding(3, 2, 1, 2, 1)}
        assert seen.exceeding([]) == {}


def test_the_series_has_one_point_a_step(database: Database) -> None:
    start = datetime(2026, 6, 1, 12)
    observe(database, [1.0, 2.0, 3.0], at=start + timedelta(seconds=4))
    observe(database, [8.0], at=start + timedelta(seconds=31))
    points = ObservationTable(database).series("q", 1, start, 10.0)
    assert [(point.at.second, point.p50_ms, point.p99_ms, point.count) for point in points] == [
        (0, 2.0, 3.0, 3),
        (30, 8.0, 8.0, 1),
    ]
    assert points[0].at.isoformat() == "2026-06-01T12:00:00+00:00"


def test_the_histogram_counts_every_execution_inside_its_bin(database: Database) -> None:
    latencies = [0.0, 0.2, 1.0, 1.1, 7.7, 1234.5]
    observe(database, latencies)
    bins = ObservationTable(database).histogram("q", FIRST, now() - AGO)
    assert sum(counted.count for counted in bins) == len(latencies)
    for latency in latencies[1:]:
        assert any(counted.ms_low <= latency * 1.000001 and latency < counted.ms_high for counted in bins)


def test_an_interval_keeps_its_slo_when_the_quantile_keeps_the_threshold(database: Database) -> None:
    SloTable(database).save({"q": SloWrite(quantile=0.9, threshold_ms=10.0, interval_seconds=60.0)})
    start = datetime(2026, 6, 1, 12)
    observe(database, [1.0] * 9 + [99.0], at=start)  # 90 % within: kept
    observe(database, [1.0] * 8 + [99.0] * 2, at=start + timedelta(seconds=60))  # 80 %: broken
    observe(database, [1.0] * 9, at=start + timedelta(seconds=120))  # too few to tell
    observe(database, [1.0] * 9, at=start + timedelta(seconds=180))
    observe(database, [1.0], at=start + timedelta(seconds=181), failed=True)  # a failure keeps nothing: 90 %
    counts = ObservationTable(database).slo_counts(1, start)["q"]
    assert counts == SloCounts(SloInterval(39, 35), judged=3, kept=2, too_few=1)
    slo = SloTable(database).list()[0]
    found = compliance_of(slo, counts)
    assert (found.kept, found.judged, found.too_few, found.samples_needed) == (2, 3, 1, 10)
    assert found.share == pytest.approx(2 / 3)


def test_without_enough_samples_nothing_is_judged(database: Database) -> None:
    (slo,) = SloTable(database).save({"q": SloWrite(quantile=0.99)})
    found = compliance_of(slo, SloCounts(SloInterval(99, 0), 0, 0, 1))
    assert (found.share, found.too_few, found.samples_needed) == (None, 1, 100)


def test_observations_wait_for_a_database_that_fails(database: Database) -> None:
    observations = Observations(database)
    with database.write() as cursor:
        cursor.execute("ALTER TABLE observations RENAME TO away")
    observations.add(ObservedExecution(Observation("q", 1, now(), 1.0, 1, 1, 0), 1))
    observations.flush()
    with database.write() as cursor:
        cursor.execute("ALTER TABLE away RENAME TO observations")
    observations.flush()
    assert totals(database)["q"].executions == 1


@pytest.mark.parametrize(
    ("number", "advice"),
    [(errno.ENOSPC, FREE_SOME), (errno.EROFS, LET_WRITE), (errno.EACCES, LET_WRITE), (5, "See the log.")],
)
def test_what_to_do_about_observations_that_wait_is_said_by_the_reason(
    database: Database, monkeypatch: pytest.MonkeyPatch, number: int, advice: str
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, "refused")

    observations = Observations(database)
    monkeypatch.setattr(database, "append", refuse)
    observations.add(ObservedExecution(Observation("q", 1, now(), 1.0, 1, 1, 0), 1))
    observations.flush()
    assert (observations.problem or "").startswith("1 observations wait to be written: ")
    assert observations.advice == advice


def test_migrations_are_applied_once(tmp_path: Path) -> None:
    for _ in range(2):
        database = Database(tmp_path / "twice.duckdb")
        with database.read() as cursor:
            numbers = [number for (number,) in cursor.execute("SELECT number FROM migrations").fetchall()]
        assert sorted(numbers) == [int(file.name[:4]) for file in sorted(MIGRATIONS.glob("*.sql"))]
        database.close()


def test_what_ran_while_the_clock_was_ahead_is_in_no_window_that_ends_now(database: Database) -> None:
    with database.write() as cursor:
        cursor.execute(
            "INSERT INTO slos (query, quantile, threshold_ms, interval_seconds, updated_at) VALUES"
            " ('q', 0.9, 10, 60, now()::TIMESTAMP)"
        )
    observe(database, [1.0] * 3)
    observe(database, [99.0] * 7, at=now() + timedelta(hours=5))
    table = ObservationTable(database)
    assert table.slo_windows(1, [300])["q"][300] == SloInterval(3, 3)
    assert table.slo_counts(1, now() - AGO)["q"].whole == SloInterval(3, 3)
    assert sum(point.count for point in table.series("q", 1, now() - AGO, 60.0)) == 3
    assert totals(database)["q"].executions == 3
