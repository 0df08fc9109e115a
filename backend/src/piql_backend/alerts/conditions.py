"""What is wrong with the queries of a dashboard, each as a sentence. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from piql_backend.latency.schemas import LatencyRead, QueryLatencyRead

Kind: TypeAlias = Literal["burning", "over-bound", "slower"]


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that is wrong with one query."""

    kind: Kind
    query: str
    message: str


def conditions_of(latency: LatencyRead) -> Iterator[Condition]:
    """Yield what is wrong: a budget that burns, executions over their bound, a p99 that is slower than predicted."""
    for query in latency.queries:
        if query.requests_over_bound:
            message = (
                f"{query.query}: {query.requests_over_bound} executions made more requests than the bound of "
                f"{query.bound_operations}"
            )
            yield Condition("over-bound", query.query, message)
        burning = _burning(query)
        if burning is not None:
            yield Condition("burning", query.query, burning)
        if query.agreement is not None and query.agreement.outcome == "slower":
            message = (
                f"{query.query}: the p99 is higher than predicted, by {query.agreement.executions} executions; such a "
                f"verdict errs in at most {query.agreement.error:.0%} of cases"
            )
            yield Condition("slower", query.query, message)


def _burning(query: QueryLatencyRead) -> str | None:
    """How fast a query burns its budget; None where it does not."""
    if query.slo is None or query.budget is None:
        return None
    for burn in query.budget.burns:
        if burn.is_burning:
            return (
                f"{query.query}: over the last {burn.long_seconds / 3600:g} h, {burn.long_rate:.1f} times as many "
                f"executions broke {query.slo.threshold_ms:g} ms as the SLO of {query.slo.quantile:.4g} allows"
            )
    return None
