"""A week of an environment is one page: what is in danger is first, with deployments and alerts."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import httpx
from piql_backend.alerts.schemas import AlertRead
from piql_backend.latency.budgets import budget_of
from piql_backend.latency.repository import SloCounts, SloInterval
from piql_backend.latency.schemas import (
    IncidentRead,
    LatencyPointRead,
    LatencyRead,
    MarkerRead,
    ObservedRead,
    QueryLatencyRead,
)
from piql_backend.latency.service import compliance_of
from piql_backend.slos.schemas import SloRead
from piql_backend.weeks.page import Week, as_page

from .conftest import DEVELOPMENT

UNTIL = datetime(2026, 6, 8, 12, tzinfo=UTC)
SINCE = UNTIL - timedelta(days=7)


def query(name: str, kept: int = 10_000, failures: int = 0, incident: str | None = None) -> QueryLatencyRead:
    """A query with an SLO that ran 10,000 times in the week."""
    slo = SloRead(query=name, quantile=0.99, threshold_ms=10, interval_seconds=600, updated_at=SINCE)
    whole = SloInterval(10_000, kept)
    return QueryLatencyRead.model_construct(
        query=name,
        executions=10_000,
        failures=failures,
        observed=ObservedRead(p50_ms=2, p99_ms=12.345, p999_ms=20, p99_low_ms=11, p99_high_ms=13),
        sizes=[],
        agreement=None,
        incidents=[IncidentRead.model_construct(kind=incident)] if incident else [],
        slo=slo,
        compliance=compliance_of(slo, SloCounts(whole, 1, int(kept == 10_000), 0)),
        budget=budget_of(0.99, whole, {}),
        was_executed=True,
    )


def page(*queries: QueryLatencyRead, **series: list[LatencyPointRead]) -> str:
    markers = [MarkerRead(version=3, at=SINCE + timedelta(days=1), changed=["cart"])]
    latency = LatencyRead.model_construct(queries=list(queries), markers=markers, updated_at=UNTIL)
    alert = AlertRead.model_construct(at=UNTIL, message="cart: 3 executions <failed>", state="resolved")
    return as_page(Week("shop", "production", 3, SINCE, latency, series, [alert]))


def test_what_fails_is_first_then_incidents_then_what_used_up_its_budget() -> None:
    text = page(
        query("calm"),
        query("over", kept=9_800),
        query("passed", incident="limit-passed"),
        query("failing", kept=0, failures=10_000),
    )
    assert re.findall(r"<tr><td>(\w+)</td>", text) == ["failing", "passed", "over", "calm"]
    assert "2 of 4 SLOs used up more than the error budget of the week." in text
    assert "1 query failed in half of the executions or more." in text
    assert "1 query had incidents." in text
    assert "<td>98.00 %</td><td>used 2.0 times</td>" in text


def test_a_week_without_trouble_says_so() -> None:
    assert "All 2 SLOs were kept." in page(query("one"), query("two"))
    assert "The SLO was kept." in page(query("one"))
    assert "No query with an SLO was executed." in page()


def test_the_page_has_deployments_alerts_and_the_p99_over_the_week_and_needs_nothing_else() -> None:
    points = [
        LatencyPointRead(at=SINCE + timedelta(hours=3 * hour), p50_ms=1, p99_ms=5.0 + hour, p999_ms=9, count=10)
        for hour in range(8)
    ]
    text = page(query("cart"), cart=points)
    assert "<title>PIQL: a week of shop, production</title>" in text
    assert "June 1, 2026 to June 8, 2026, version 3. 10,000 executions of 1 query." in text.replace("\n", " ")
    assert 'aria-label="p99 of cart from 5 ms to 12 ms"' in text
    assert "June 2, 12:00 UTC: version 3, with new plans of cart" in text
    assert "cart: 3 executions &lt;failed&gt; – over" in text
    assert not re.search(r"<script|<link|https?://|url\(", text)


async def test_the_week_of_a_deployment_is_sent_as_a_file(client: httpx.AsyncClient) -> None:
    answer = await client.get(f"{DEVELOPMENT}/weeks/live")
    assert answer.text.startswith("<!doctype html>")
    assert answer.headers["content-disposition"] == 'attachment; filename="scadr-development-week.html"'
    assert (await client.get(f"{DEVELOPMENT}/weeks/d99")).status_code == 404
