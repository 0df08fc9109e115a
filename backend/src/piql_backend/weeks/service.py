"""Reads a week of a version: its dashboard over seven days, the p99 of its worst queries over time, and its alerts."""

from __future__ import annotations

from datetime import timedelta

from piql_backend.alerts.service import Alerts
from piql_backend.database.connection import aware, now
from piql_backend.deployments.service import Deployments
from piql_backend.latency.danger import worst_first
from piql_backend.latency.service import Latency
from piql_backend.reports.widths import begin_of, width_for
from piql_backend.weeks.page import MOST_CHARTS, Week, as_page

_SECONDS = 7 * 86_400.0


def week_of(
    deployment_id: str, place: tuple[str, str], deployments: Deployments, latency: Latency, alerts: Alerts
) -> str:
    """The page; ApiError 404 for an unknown deployment."""
    version = deployments.read(deployment_id).version
    read = latency.read(deployment_id, _SECONDS)
    since = aware(begin_of(now() - timedelta(seconds=_SECONDS), width_for(_SECONDS)))
    drawn = [query.query for query in worst_first(read.queries) if query.executions][:MOST_CHARTS]
    series = {name: latency.charts(deployment_id, name, _SECONDS).series for name in drawn}
    of_week = [alert for alert in alerts.read().alerts if alert.at >= since]
    return as_page(Week(*place, version, since, read, series, of_week))
