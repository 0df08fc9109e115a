"""Which queries of a version are unlike their past is looked at once an hour, and told in lists and alerts."""

from __future__ import annotations

import time
from datetime import datetime
from typing import cast

import httpx
import pytest
from piql_backend.alerts.conditions import unusual_in
from piql_backend.database.connection import Database
from piql_backend.deployments.schemas import DeployedQueryRead, DeploymentDetailRead
from piql_backend.latency import all_unusual
from piql_backend.latency.all_unusual import AllUnusual
from piql_backend.latency.repository import ObservationTable
from piql_backend.latency.schemas import UnusualQueriesRead, UnusualRead

from .conftest import DEVELOPMENT
from .test_latency_table import database
from .test_unusual import observe_hours

__all__ = ["database"]


def deployment(*queries: str) -> DeploymentDetailRead:
    """A version as far as it is looked at."""
    deployed = [DeployedQueryRead.model_construct(name=query) for query in queries]
    return DeploymentDetailRead.model_construct(version=1, queries=deployed)


def looked_aside(looks: AllUnusual, version: DeploymentDetailRead) -> UnusualQueriesRead:
    """What is answered once the thread has looked."""
    while (look := looks.read(version, "both")).until is None:
        time.sleep(0.01)
    return look


def test_a_list_is_answered_at_once_and_knows_after_a_look(database: Database) -> None:
    observe_hours(database, 200, 300, slower_for=6, factor=1.5)
    looks = AllUnusual(ObservationTable(database), lambda: None)
    version = deployment("q", "never_executed")
    assert looks.read(version, "both") == UnusualQueriesRead(until=None, queries=[])
    (slow,) = looked_aside(looks, version).queries
    assert slow.query == "q"
    assert {anomaly.measure for anomaly in slow.anomalies} <= {"p50", "p99"}


def test_an_hour_is_looked_at_once_and_the_next_one_anew(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    hours: list[int] = []

    def unusual_of(*asked: object) -> UnusualRead:
        hours.append(cast(int, asked[-1]))
        return UnusualRead.model_construct(anomalies=[])

    monkeypatch.setattr(all_unusual, "unusual_of", unusual_of)
    observe_hours(database, 200, 3)
    looks, version = AllUnusual(ObservationTable(database), lambda: None), deployment("q")
    last = all_unusual._hour()
    for _ in range(3):
        looks.looked(version, "both")
    monkeypatch.setattr(all_unusual, "_hour", lambda: last + 1)
    looks.looked(version, "both")
    assert hours == [last, last + 1]


def test_alerts_tell_what_became_slower_and_not_how_often_it_runs(database: Database) -> None:
    observe_hours(database, 200, 300, slower_for=6, factor=1.5)
    look = AllUnusual(ObservationTable(database), lambda: None).looked(deployment("q"), "both")
    (condition,) = unusual_in(look)
    assert (condition.kind, condition.query) == ("unusual", "q")
    assert "executions in the last 6 hours took longer than " in condition.message
    assert " % are usual at these hours of the week" in condition.message
    counts = [anomaly.model_copy(update={"measure": "executions"}) for anomaly in look.queries[0].anomalies]
    rest = look.queries[0].model_copy(update={"anomalies": counts})
    assert list(unusual_in(UnusualQueriesRead(until=datetime(2026, 6, 5), queries=[rest]))) == []


async def test_a_deployment_says_which_of_its_queries_are_unusual(client: httpx.AsyncClient) -> None:
    answer = await client.get(f"{DEVELOPMENT}/latency/live/unusual")
    assert (answer.status_code, answer.json()["queries"]) == (200, [])
    assert (await client.get(f"{DEVELOPMENT}/latency/d99/unusual")).status_code == 404
