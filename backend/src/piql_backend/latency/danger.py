"""Which queries are in danger, and which of several is the worst; as the dashboard in the browser has it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from piql_backend.latency.schemas import QueryLatencyRead

_FAILING = 0.5  # of the executions


def is_failing(query: QueryLatencyRead) -> bool:
    """Whether at least half of what was executed failed."""
    return query.executions > 0 and query.failures >= _FAILING * query.executions


def budget_left(query: QueryLatencyRead) -> float:
    """The part of the error budget that is left; whole without an SLO."""
    return 1.0 if query.budget is None or query.budget.left is None else query.budget.left


def is_in_danger(query: QueryLatencyRead) -> bool:
    """Whether it fails, has an incident, burns its budget, or broke its SLO in an interval."""
    if is_failing(query) or query.requests_over_bound or query.incidents:
        return True
    if query.executions == 0 or query.observed is None:
        return False
    is_burning = query.budget is not None and any(burn.is_burning for burn in query.budget.burns)
    share = None if query.compliance is None else query.compliance.share
    return is_burning or (share is not None and share < 1)


def worst_first(queries: Sequence[QueryLatencyRead]) -> list[QueryLatencyRead]:
    """What fails, then what has incidents, then by what is left of the error budget, then by how often it ran."""
    return sorted(
        queries,
        key=lambda query: (
            not is_failing(query),
            not query.incidents,
            budget_left(query),
            -query.executions,
            query.query,
        ),
    )
