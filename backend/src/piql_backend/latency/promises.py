"""Compares how often executions kept their SLO's threshold with what is predicted for their own sizes.

shares predicted for the smallest and the largest size of each class  →  how many were within the threshold
                                                                      →  verdict: agrees, worse, better, undecided
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import astuple

from piql_profiler.validation.agreement import ERROR
from piql_profiler.validation.compliance import (
    Kept,
    PredictedShare,
    expected_of,
    expected_together,
    judge_compliance,
)

from piql_backend.latency.repository import SloInterval
from piql_backend.latency.schemas import ComplianceAgreementRead
from piql_backend.latency.seen import Seen, SizePromise, SizeTotals
from piql_backend.slos.schemas import SloRead


class Promises:
    """What is predicted of the SLOs, gathered by size; then judged by what was seen."""

    def __init__(self, slos: Mapping[str, SloRead]) -> None:
        self._slos = slos
        self._shares: dict[str, list[tuple[SizeTotals, PredictedShare, PredictedShare]]] = defaultdict(list)

    def add(
        self, query: str, totals: SizeTotals, smallest: PredictedShare | None, largest: PredictedShare | None
    ) -> None:
        """Add the shares of a class of sizes; None where they are not predicted."""
        if smallest is not None and largest is not None:
            self._shares[query].append((totals, smallest, largest))

    def judged(self, seen: Seen) -> Mapping[str, ComplianceAgreementRead]:
        """Judge each query by its executions of these sizes."""
        promises = [
            SizePromise(query, totals.requests_key, totals.rows_key, self._slos[query].threshold_ms)
            for query, shares in self._shares.items()
            for totals, _, _ in shares
        ]
        return {query: self._judge(query, kept) for query, kept in seen.within(promises).items()}

    def _judge(self, query: str, kept: Kept) -> ComplianceAgreementRead:
        shares = self._shares[query]
        expected = expected_together(
            [(totals.executions, expected_of(smallest, largest)) for totals, smallest, largest in shares]
        )
        verdict = judge_compliance(kept, expected, self._slos[query].quantile)
        low, high = SloInterval(*astuple(kept)).share_interval()
        by_smallest = _mean([(totals.executions, smallest.share) for totals, smallest, _ in shares])
        by_largest = _mean([(totals.executions, largest.share) for totals, _, largest in shares])
        return ComplianceAgreementRead(
            outcome=verdict.outcome,
            executions=kept.executions,
            within=kept.kept,
            within_low=low,
            within_high=high,
            predicted=min(by_largest, by_smallest),
            predicted_most=max(by_largest, by_smallest),
            least=verdict.least,
            most=verdict.most,
            needed=verdict.needed,
            error=ERROR,
        )


def _mean(shares: Sequence[tuple[int, float]]) -> float:
    """The mean of shares, each with how many executions it is of."""
    return sum(count * share for count, share in shares) / sum(count for count, _ in shares)
