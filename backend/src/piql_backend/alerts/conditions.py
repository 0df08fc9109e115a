"""What is wrong with the queries of a dashboard, each as a sentence. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from piql_backend.latency.schemas import AnomalyRead, IncidentRead, LatencyRead, QueryLatencyRead, UnusualQueriesRead

Kind: TypeAlias = Literal["burning", "over-bound", "limit-passed", "dangling-entry", "slower", "kept-less", "unusual"]

_UNDECIDED = ("too few", "undecided")


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that is wrong with one query."""

    kind: Kind
    query: str
    message: str


def conditions_of(latency: LatencyRead) -> Iterator[Condition]:
    """Yield what is wrong: incidents, a budget that burns, and what a test says is worse than predicted."""
    for query in latency.queries:
        if query.requests_over_bound:
            message = (
                f"{query.query}: {query.requests_over_bound} executions made more requests than the bound of "
                f"{query.bound_operations}"
            )
            yield Condition("over-bound", query.query, message)
        yield from _found_in_store(query)
        burning = _burning(query)
        if burning is not None:
            yield Condition("burning", query.query, burning)
        if query.agreement is not None and query.agreement.outcome == "slower":
            message = (
                f"{query.query}: the p99 is higher than predicted, by {query.agreement.executions} executions; such a "
                f"verdict errs in at most {100 * query.agreement.error:.4g} % of cases"
            )
            yield Condition("slower", query.query, message)
        kept_less = _kept_less(query)
        if kept_less is not None:
            yield Condition("kept-less", query.query, kept_less)


def unusual_in(unusual: UnusualQueriesRead) -> Iterator[Condition]:
    """Yield the queries that became slower than they were, or fail more often. How often they run is no fault."""
    for query in unusual.queries:
        sentences = [_unusual(anomaly) for anomaly in query.anomalies if anomaly.measure != "executions"]
        if sentences:
            yield Condition("unusual", query.query, f"{query.query}: {'; '.join(sentences)}")


def _unusual(anomaly: AnomalyRead) -> str:
    during = "in the last hour" if anomaly.hours == 1 else f"in the last {anomaly.hours} hours"
    what = "failed" if anomaly.limit_ms is None else f"took longer than {anomaly.limit_ms:.4g} ms"
    return (
        f"{100 * anomaly.observed:.3g} % of {anomaly.executions} executions {during} {what}, where "
        f"{100 * anomaly.usual:.3g} % are usual at these hours of the week"
    )


def undecided_in(latency: LatencyRead) -> Collection[tuple[Kind, str]]:
    """What executions do not decide: where it was wrong, it is not over by that."""
    return {key for query in latency.queries for key in _undecided(query)}


def _undecided(query: QueryLatencyRead) -> Iterator[tuple[Kind, str]]:
    compliance = query.predicted_compliance and query.predicted_compliance.agreement
    if query.agreement is not None and query.agreement.outcome in _UNDECIDED:
        yield "slower", query.query
    if query.slo is not None and compliance and compliance.outcome in _UNDECIDED:
        yield "kept-less", query.query


def _found_in_store(query: QueryLatencyRead) -> Iterator[Condition]:
    """Yield a condition for each kind of incident that says that the store is not as declared."""
    kinds: dict[Kind, list[IncidentRead]] = {}
    for incident in query.incidents:
        if incident.kind != "over-bound":
            kinds.setdefault(incident.kind, []).append(incident)
    for kind, incidents in kinds.items():
        executions = sum(incident.executions for incident in incidents)
        relied_on = ", ".join(dict.fromkeys(text for incident in incidents for text in incident.relied_on))
        what = (
            f"more rows than {relied_on or 'a CARDINALITY LIMIT'} allows"
            if kind == "limit-passed"
            else f"an index entry of {relied_on or 'a table'} without its record"
        )
        message = f"{query.query}: {executions} executions found {what}"
        yield Condition(kind, query.query, message)


def _burning(query: QueryLatencyRead) -> str | None:
    """How fast a query burns its budget; None where it does not."""
    if query.slo is None or query.budget is None:
        return None
    for burn in query.budget.burns:
        if burn.is_burning:
            return (
                f"{query.query}: over the last {burn.long_seconds / 3600:g} h, {burn.long_rate:.1f} times as many "
                f"executions broke {query.slo.threshold_ms:g} ms as the SLO of {100 * query.slo.quantile:.4g} % allows"
            )
    return None


def _kept_less(query: QueryLatencyRead) -> str | None:
    """How many executions took at most the SLO's threshold, where a test says that they are fewer than predicted."""
    agreement = query.predicted_compliance and query.predicted_compliance.agreement
    if query.slo is None or not agreement or agreement.outcome != "worse":
        return None
    return (
        f"{query.query}: {agreement.within} of {agreement.executions} executions took {query.slo.threshold_ms:g} ms or "
        f"less, where at least {100 * agreement.least:.4g} % count as predicted; such a verdict errs in at most "
        f"{100 * agreement.error:.4g} % of cases"
    )
