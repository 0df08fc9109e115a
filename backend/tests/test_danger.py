"""What puts a query in danger; `logic/latency-comparison.ts` judges by the same facts."""

from __future__ import annotations

from typing import Any

import pytest
from piql_backend.latency.danger import is_in_danger
from piql_backend.latency.schemas import BudgetRead, BurnRead, ComplianceRead, ObservedRead, QueryLatencyRead

SEEN = ObservedRead(p50_ms=1, p99_ms=2, p999_ms=3, p99_low_ms=None, p99_high_ms=None)


def query(**facts: Any) -> QueryLatencyRead:
    nothing: dict[str, Any] = dict.fromkeys(
        ("predicted_p99_ms", "predicted", "agreement", "predicted_compliance", "slo", "compliance", "budget", "price")
    )
    usual = {"query": "q", "executions": 100, "failures": 0, "observed": SEEN, "sizes": [], "plan_since": 1}
    rest = {
        "bound_operations": 1,
        "most_operations": 1,
        "requests_over_bound": 0,
        "incidents": [],
        "was_executed": True,
    }
    return QueryLatencyRead(**{**nothing, **usual, **rest, **facts})


def burning(is_burning: bool) -> BudgetRead:
    burn = BurnRead(
        long_seconds=3600, short_seconds=300, factor=14.4, long_rate=20, short_rate=20, is_burning=is_burning
    )
    return BudgetRead(left=0.5, burns=[burn])


def kept(share: float | None) -> ComplianceRead:
    return ComplianceRead(
        share=share,
        kept=0,
        judged=1,
        too_few=0,
        samples_needed=100,
        executions=100,
        within=0,
        within_low=0,
        within_high=1,
    )


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, False),
        ({"failures": 49}, False),
        ({"failures": 50}, True),
        ({"requests_over_bound": 1}, True),
        ({"budget": burning(True)}, True),
        ({"budget": burning(False)}, False),
        ({"compliance": kept(1.0)}, False),
        ({"compliance": kept(0.5)}, True),
        ({"compliance": kept(None)}, False),
        ({"compliance": kept(0.5), "executions": 0, "observed": None}, False),
    ],
)
def test_a_query_is_in_danger_by_what_was_observed_of_it(facts: dict[str, Any], expected: bool) -> None:
    assert is_in_danger(query(**facts)) is expected
