"""Where the time of executions goes, by operator: of a sample of them, and of none whose operator is all there is."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import piql
import pytest
from piql.client.reported import ReportedDatabase
from piql.reporting import operator_cells
from piql.reporting.operator_cells import EVERY, MOST_A_SECOND, Sampler, cells_of, edges_ms, wide_bucket
from piql.runtime.execution.observation import Observation, OperatorTiming

SOURCE = """
CREATE TABLE users (name VARCHAR(32) PRIMARY KEY, town VARCHAR(64));
CREATE TABLE friends (
  owner VARCHAR(32), friend VARCHAR(32), CARDINALITY LIMIT 10 (owner), PRIMARY KEY (owner, friend)
);
CREATE QUERY findUser AS SELECT town FROM users WHERE name = [1: name];
CREATE QUERY townsOfFriends AS
SELECT u.town FROM friends f JOIN users u ON u.name = f.friend WHERE f.owner = [1: owner];
"""
FRIENDS = 5


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReportedDatabase:
    monkeypatch.setenv("PIQL_REPORT_SPOOL", str(tmp_path / "spool"))
    database = piql.connect(f"embedded:{tmp_path / 'shop.db'}", report="http://127.0.0.1:1/reports")
    assert isinstance(database, ReportedDatabase)
    database.deploy(piql.compile(SOURCE))
    database.load("users", ({"name": f"u{number}", "town": "London"} for number in range(FRIENDS)))
    database.load("friends", ({"owner": "ada", "friend": f"u{number}"} for number in range(FRIENDS)))
    return database


def samples(spool: Path) -> dict[tuple[str, str], dict[str, int]]:
    """The sums of all shipments that wait, by query and operator."""
    sums: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for path in spool.rglob("*.json.gz"):
        shipment: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
        columns = shipment.get("operators")
        for number in range(len(columns["samples"]) if columns else 0):
            query = shipment["queries"][columns["query"][number]]
            operator = shipment["operator_names"][columns["operator"][number]]
            for name in ("samples", "operations", "rows", "microseconds"):
                sums[query, operator][name] += columns[name][number]
    return sums


def test_samples_say_how_the_time_of_a_query_is_divided_among_its_operators(
    db: ReportedDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operator_cells, "MOST_A_SECOND", 10**6)
    for _ in range(40 * EVERY):
        db.execute("townsOfFriends", {"owner": "ada"})
    db.close()
    sums = samples(tmp_path / "spool")
    whole, scan, join = (sums["townsOfFriends", operator] for operator in ("", "IndexScan", "IndexFKJoin"))
    assert whole["samples"] == scan["samples"] == join["samples"] >= 20
    assert (scan["operations"], join["operations"]) == (whole["samples"], FRIENDS * whole["samples"])
    assert whole["operations"] == scan["operations"] + join["operations"]
    assert 0 < scan["microseconds"] + join["microseconds"] < whole["microseconds"]


def test_a_query_of_one_scan_is_counted_and_never_sampled(db: ReportedDatabase, tmp_path: Path) -> None:
    for _ in range(10 * EVERY):
        db.execute("findUser", {"name": "u1"})
    db.close()
    assert samples(tmp_path / "spool") == {}


def test_sampling_does_not_take_the_observer_of_the_application(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIQL_REPORT_SPOOL", str(tmp_path / "spool"))
    observed: list[Observation] = []
    url = f"embedded:{tmp_path / 'shop.db'}"
    with piql.connect(url, observed.append, report="http://127.0.0.1:1/reports") as database:
        database.deploy(piql.compile(SOURCE))
        for _ in range(3 * EVERY):
            database.execute("townsOfFriends", {"owner": "ada"})
    assert len(observed) == 3 * EVERY


def test_a_process_takes_only_so_many_samples_in_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operator_cells, "monotonic", lambda: 7.0)
    sampler = Sampler()
    assert [sampler.has_room() for _ in range(MOST_A_SECOND + 3)] == [True] * MOST_A_SECOND + [False] * 3
    monkeypatch.setattr(operator_cells, "monotonic", lambda: 8.0)
    assert sampler.has_room()


def test_a_sample_has_a_cell_for_the_execution_and_one_for_each_operator() -> None:
    class Query:
        name, version, bound = "townsOfFriends", 3, 11

    observation = Observation(
        "townsOfFriends",
        3,
        datetime(2026, 6, 1, tzinfo=UTC),
        2.0,
        6,
        2,
        5,
        (OperatorTiming((0, 1), "IndexScan", 1, 5, 0.5), OperatorTiming((0,), "IndexFKJoin", 5, 5, 1.25)),
    )
    cells = cells_of(Query(), observation, 29_404_121)
    assert [(cell.path, cell.operator, sums.values()) for cell, sums in cells.items()] == [
        ("", "", (1, 6, 5, 2000)),
        ("0.1", "IndexScan", (1, 1, 5, 500)),
        ("0", "IndexFKJoin", (1, 5, 5, 1250)),
    ]
    low, high = edges_ms(wide_bucket(2.0))
    assert low <= 2.0 < high < low * 1.1
