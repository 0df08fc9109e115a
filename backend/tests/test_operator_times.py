"""Where the time of executions goes: which operator makes the slowest ones slow, and how well each is predicted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from time import time
from typing import Any

import httpx
import pytest
from piql.reporting.cells import Folded, bucket_of
from piql.reporting.operator_cells import OperatorCells, cells_of, join
from piql.reporting.shipment import shipments
from piql.runtime.execution.observation import Observation, OperatorTiming
from piql_backend.database.connection import Database
from piql_backend.operator_times.blame import blame_of
from piql_backend.operator_times.calibration import Estimates, SizeKey, calibrated, lines_of
from piql_backend.operator_times.repository import TimedRow
from piql_backend.predictions.questions import OperatorEstimate
from piql_backend.reports import operator_samples
from piql_backend.reports.operator_samples import add_samples, columns_of, tidy_samples

from .conftest import DEVELOPMENT

HEADERS = {"content-type": "application/json", "content-encoding": "gzip"}
SCAN, JOIN = "0.1", "0"


class Query:
    """A query as samples name it."""

    name, version, bound = "thoughtstream", 1, 101


def observation(scan_ms: float, join_ms: float, rest_ms: float = 0.25, requests: int = 10) -> Observation:
    timings = (
        OperatorTiming((0, 1), "IndexScan", 1, requests, scan_ms),
        OperatorTiming((0,), "SortedIndexJoin", requests, 10, join_ms),
    )
    whole_ms = scan_ms + join_ms + rest_ms
    return Observation("thoughtstream", 1, datetime(2026, 6, 1, tzinfo=UTC), whole_ms, requests + 1, 2, 10, timings)


def cells(observations: Iterator[Observation], minute: int | None = None) -> OperatorCells:
    folded: OperatorCells = {}
    for observed in observations:
        join(folded, cells_of(Query(), observed, int(time() // 60) if minute is None else minute))
    return folded


def rows(samples: OperatorCells) -> list[TimedRow]:
    return [TimedRow(cell.query, *cell[3:], *sums.values()) for cell, sums in samples.items()]


def three_of_a_hundred_wait_for_the_join(count: int = 1000) -> Iterator[Observation]:
    return (observation(1.0, 20.0 if number % 33 == 0 else 0.5) for number in range(count))


def test_the_slowest_executions_name_the_operator_that_took_their_time() -> None:
    blame = blame_of(rows(cells(three_of_a_hundred_wait_for_the_join())))
    assert blame is not None
    assert (blame.samples, blame.slowest) == (1000, 31)
    assert 19 < blame.slow_from_ms <= 21.25
    first, second, rest = blame.spent
    assert (first.path, first.operator, first.slow_ms, first.typical_ms) == (JOIN, "SortedIndexJoin", 20.0, 0.5)
    assert (second.path, second.operator, second.slow_ms, second.typical_ms) == (SCAN, "IndexScan", 1.0, 1.0)
    assert (rest.operator, rest.slow_ms, rest.slow_requests) == ("", 0.25, 0.0)
    assert (first.slow_requests, second.slow_requests) == (10, 1)


def test_executions_that_are_slow_for_their_size_show_more_requests_in_the_same_operator() -> None:
    observations = (
        observation(1.0, 20.0, requests=90) if number % 33 == 0 else observation(1.0, 2.0) for number in range(500)
    )
    blame = blame_of(rows(cells(observations)))
    assert blame is not None
    assert (blame.spent[0].slow_requests, blame.spent[0].typical_requests) == (90, 10)


def test_nothing_is_said_before_there_are_a_hundred_samples() -> None:
    assert blame_of(rows(cells(three_of_a_hundred_wait_for_the_join(99)))) is None
    assert blame_of(rows(cells(three_of_a_hundred_wait_for_the_join(100)))) is not None


def estimates(scan_ms: float, join_ms: float) -> Estimates:
    operators = [
        OperatorEstimate(SCAN, scan_ms, scan_ms * 1.1, 1.0),
        OperatorEstimate(JOIN, join_ms, join_ms * 1.1, 1.0),
    ]
    return Estimates(operators, operators)


def test_an_operator_is_held_against_its_own_prediction_and_the_farthest_off_comes_first() -> None:
    samples = rows(cells(observation(1.0, 4.0) for _ in range(1000)))
    key = SizeKey("thoughtstream", 4, 4)
    scan, joined = calibrated(samples, {key: estimates(scan_ms=3.0, join_ms=4.0)})
    assert (scan.operator, scan.outcome, joined.operator, joined.outcome) == (
        "IndexScan",
        "faster",
        "SortedIndexJoin",
        "agrees",
    )
    assert scan.ratio is not None
    assert 0.3 < scan.ratio < 0.4
    (slow, *_) = calibrated(samples, {key: estimates(scan_ms=1.0, join_ms=1.0)})
    assert (slow.operator, slow.outcome) == ("SortedIndexJoin", "slower")


def test_operators_of_a_kind_are_put_together_by_their_requests() -> None:
    samples = rows(cells(observation(1.0, 4.0) for _ in range(400)))
    cells_held = calibrated(samples, {SizeKey("thoughtstream", 4, 4): estimates(scan_ms=3.0, join_ms=4.0)})
    lines = {(line.operator, line.requests_class): dict(line.outcomes) for line in lines_of(cells_held)}
    assert lines == {("IndexScan", 1): {"faster": 1}, ("SortedIndexJoin", 4): {"agrees": 1}}


def test_what_has_no_prediction_is_left_out() -> None:
    assert calibrated(rows(cells(three_of_a_hundred_wait_for_the_join())), {}) == []


async def times(client: httpx.AsyncClient, **wish: str) -> dict[str, Any]:
    answer = await client.get(f"{DEVELOPMENT}/operator-times/live", params=wish)
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    return content


async def test_samples_of_applications_are_read_with_their_source(client: httpx.AsyncClient) -> None:
    folded = Folded()
    folded.fold([(Query(), "ok", bucket_of(0.002), 11, 10, 0, 2)] * 1000, int(time() // 60))
    (packed,) = shipments(folded, "ab" * 16, 0, cells(three_of_a_hundred_wait_for_the_join()))
    for is_new in (True, False):  # what comes again is not counted again
        answer = await client.post(f"{DEVELOPMENT}/reports", content=packed, headers=HEADERS)
        assert (answer.status_code, answer.json()["is_new"]) == (200, is_new), answer.text
    of_applications = await times(client, source="applications")
    (blame,) = of_applications["blame"]
    assert (of_applications["samples"], blame["query"], blame["slowest"]) == (1000, "thoughtstream", 31)
    assert [part["operator"] for part in blame["spent"]] == ["SortedIndexJoin", "IndexScan", ""]
    assert (await times(client, source="workbench"))["samples"] == 0


async def test_the_workbench_keeps_where_the_time_of_its_own_executions_goes(client: httpx.AsyncClient) -> None:
    run = f"{DEVELOPMENT}/deployments/live/queries"
    for _ in range(3):
        body = {"parameters": {"me": "ada_bell", "count": 5}}
        assert (await client.post(f"{run}/thoughtstream/executions", json=body)).status_code == 200
        body = {"parameters": {"username": "ada_bell"}}
        assert (await client.post(f"{run}/findUser/executions", json=body)).status_code == 200
    assert (await times(client, source="workbench"))["samples"] == 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"operator": [7]},
        {"samples": []},
        {"samples": [0]},
        {"path": ["'; DROP TABLE reported"]},
        {"minute": [0]},
        {"minute": [2**31 - 1]},
    ],
    ids=["name", "length", "none", "path", "old", "future"],
)
async def test_samples_that_cannot_be_right_are_refused(client: httpx.AsyncClient, wrong: dict[str, Any]) -> None:
    sample = cells(iter([observation(1.0, 1.0)]))
    columns = {name: list(values)[:1] for name, values in columns_of(sample).items()}
    empty = {name: [] for name in ("minute", "query", "version", "outcome", "bound", "requests_class", "rows_class")}
    empty |= {name: [] for name in ("bucket", "executions", "operations", "rows", "repairs", "statements")}
    empty |= {name: [] for name in ("least_operations", "most_operations", "least_rows", "most_rows")}
    body = {
        "client": "cd" * 16,
        "sequence": 0,
        "lost": 0,
        "queries": ["thoughtstream"],
        "outcomes": [],
        "cells": empty,
        "operator_names": [""],
        "operators": columns | {"query": [0], "operator": [0]},
    }
    assert (await client.post(f"{DEVELOPMENT}/reports", json=body)).status_code == 200
    body |= {"sequence": 1, "operators": columns | {"query": [0], "operator": [0]} | wrong}
    assert (await client.post(f"{DEVELOPMENT}/reports", json=body)).status_code == 422


def test_samples_of_hours_that_are_over_are_put_together_and_old_ones_go(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operator_samples, "now", lambda: datetime(2026, 6, 10, 12, 30))
    noon = int(datetime(2026, 6, 10, 12, tzinfo=UTC).timestamp()) // 60
    database = Database(tmp_path_factory.mktemp("samples") / "workbench.duckdb")
    for minute in (noon - 9 * 1440, noon - 120, noon - 120, noon - 70, noon - 65, noon - 60, noon - 60, noon + 5):
        with database.write() as cursor:
            add_samples(cursor, columns_of(cells(iter([observation(1.0, 1.0)] * 2), minute)), "applications")
    with database.write() as cursor:
        tidy_samples(cursor)
        tidy_samples(cursor)
        kept = cursor.execute(
            "SELECT minute, samples FROM operator_times WHERE operator = '' ORDER BY minute"
        ).fetchall()
    database.close()
    assert kept == [(noon - 120, 8), (noon - 60, 4), (noon + 5, 2)]
