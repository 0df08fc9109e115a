"""What the dashboard over all applications shows of one environment."""

from __future__ import annotations

from datetime import datetime

from piql_backend.environments.schemas import Colour
from piql_backend.latency.schemas import QueryLatencyRead
from piql_backend.web.schemas import Read


class OverviewRead(Read):
    """One environment over the window, in the counts of its queries.

    `version` is null where nothing is live. `in_danger` counts the queries that fail, have an incident, burn their
    budget, or broke their SLO in an interval; `worst` are the first of them, the worst first. `slower` counts those
    whose p99 is higher than predicted, `promised` those with an SLO. `problem` says why the environment could not be
    read; all counts are then 0.
    """

    application: str
    application_title: str
    environment: str
    environment_title: str
    colour: Colour
    version: int | None
    queries: int
    executed: int
    executions: int
    promised: int
    in_danger: int
    slower: int
    worst: list[QueryLatencyRead]
    problem: str | None
    updated_at: datetime
