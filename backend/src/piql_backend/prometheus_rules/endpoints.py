"""HTTP for the SLOs of an environment as rules for Prometheus."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse

from piql_backend.prometheus_rules.rules import Metrics, Scraped, rules_of
from piql_backend.web.dependencies import TheEnvironment
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs

router = APIRouter(route_class=GuardedRoute, prefix="/prometheus-rules", tags=["slos"])


@router.get("", response_class=PlainTextResponse)
@needs(in_application("viewer"))
def export_prometheus_rules(
    environment: TheEnvironment,
    metrics: Metrics = "reported",
    job: Annotated[str | None, Query(min_length=1, max_length=200)] = None,
) -> str:
    """All SLOs as a rule file for Prometheus (YAML), with alerts when a budget burns too fast.

    `reported` are the metrics of the workbench, `client` those of an application's exporter; `job` is where Prometheus
    scrapes them.
    """
    return rules_of(environment.slos.list(), Scraped(*environment.place, metrics, job))
