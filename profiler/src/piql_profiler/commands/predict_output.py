"""What `piql predict` prints of a `Forecast`, as a table or as JSON.

thoughtstream  p99 ≈    12.345 ms (9 of 10 ≤ 15.000 ms), worst of 3 intervals 13.100 ms  measured  meets the SLO

Largest limits that keep the SLO, each while the others stay:
  subscriptions per owner      240  now 100; then thoughtstream breaks it
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from piql_profiler.predictor.cardinalities import Axis
from piql_profiler.predictor.openslo import Objective
from piql_profiler.predictor.predict import Prediction
from piql_profiler.predictor.risk import Risk
from piql_profiler.predictor.safe_limits import SafeLimit, SafeLimits


@dataclass(frozen=True, slots=True)
class LargestPairs:
    """Two limits of a query, and the pairs of their values that keep its SLO while neither can grow alone."""

    query: str
    x: Axis
    y: Axis
    pairs: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Forecast:
    """What was predicted, by the name of a query or page.

    `slos` and `risks` are of those that have an SLO, `pairs` of the queries that were named. `limits` is None where no
    SLO was given, or limits were set.
    """

    predictions: Mapping[str, Prediction]
    quantile: float
    slos: Mapping[str, Objective]
    risks: Mapping[str, Risk]
    limits: SafeLimits | None
    stale_operators: tuple[str, ...]
    pairs: tuple[LargestPairs, ...] = ()

    def meets(self, name: str) -> bool:
        """Whether a query that has an SLO is predicted to keep it, in every interval."""
        return self.predictions[name].meets(self.slos[name].quantile, self.slos[name].threshold_ms)

    @property
    def staleness(self) -> str | None:
        """A sentence about the operators that take another time than when they were profiled; None where none does."""
        if not self.stale_operators:
            return None
        names = ", ".join(self.stale_operators)
        return f"the profile is stale: {names} took a different time when last looked at; piql profile --refresh"


def as_json(forecast: Forecast) -> list[dict[str, Any]]:
    """An object for each query or page."""
    limits = forecast.limits.limits if forecast.limits else ()
    growth = None if forecast.limits is None else {"growth": forecast.limits.growth, "binding": forecast.limits.binding}
    return [
        {
            "query": name,
            "model": prediction.model,
            "quantile": forecast.quantile,
            "latency_ms": prediction.typical_quantile_ms(forecast.quantile),
            "worst_latency_ms": prediction.quantile_ms(forecast.quantile),
            "is_noisy": prediction.is_noisy,
            "conservative_p99_ms": prediction.conservative_ms,
            "latency_by_interval_ms": prediction.quantile_by_interval_ms(forecast.quantile),
            "meets_slo": forecast.meets(name) if name in forecast.slos else None,
            "risk": _risk_json(forecast.risks.get(name)),
            "largest_safe": {limit.axis.symbol: limit.largest for limit in limits if name in limit.queries},
            "largest_pairs": [
                {"x": pair.x.symbol, "y": pair.y.symbol, "pairs": pair.pairs}
                for pair in forecast.pairs
                if pair.query == name
            ],
            "all_limits": growth,
            "coverage": prediction.coverage.label,
            "operators": [
                {
                    "operator": part.operator,
                    "point": str(part.point),
                    "p99_ms": part.p99_ms,
                    "part_of_p99_ms": part.blame_ms,
                }
                for part in prediction.operators
            ],
            "warnings": [*prediction.warnings, *filter(None, [forecast.staleness])],
        }
        for name, prediction in forecast.predictions.items()
    ]


def print_table(forecast: Forecast) -> None:
    """Print a line for each query or page with notes below it, then the largest limits."""
    width = max(len(name) for name in forecast.predictions)
    for name, prediction in forecast.predictions.items():
        verdict = ""
        if name in forecast.slos:
            verdict = "  meets the SLO" if forecast.meets(name) else "  BREAKS the SLO"
        print(f"{name:{width}}  {_latency(prediction, forecast.quantile)}  {prediction.coverage.label}{verdict}")
        for note in (*_risk_lines(forecast.risks.get(name)), *prediction.warnings):
            print(f"{'':{width}}  {note}")
    if forecast.staleness:
        print(f"piql predict: {forecast.staleness}", file=sys.stderr)
    _print_limits(forecast.limits)
    for pair in forecast.pairs:
        largest = ", ".join(f"{x} × {y}" for x, y in pair.pairs) or "none"
        print(f"{pair.query}, largest {pair.x.label} × {pair.y.label} together: {largest}")


def _latency(prediction: Prediction, quantile: float) -> str:
    """The estimate of the median interval, what it stays below in 9 of 10 cases, and that of the worst interval."""
    conservative_ms = prediction.conservative_ms if quantile == 0.99 else None
    bound = "" if conservative_ms is None else f" (9 of 10 ≤ {conservative_ms:.3f} ms)"
    intervals = len(prediction.p99_by_interval_ms)
    worst = "" if intervals == 1 else f", worst of {intervals} intervals {prediction.quantile_ms(quantile):.3f} ms"
    return f"p{quantile * 100:g} ≈ {prediction.typical_quantile_ms(quantile):9.3f} ms{bound}{worst}"


def _risk_json(risk: Risk | None) -> dict[str, Any] | None:
    if risk is None or not risk.is_shown:
        return None
    return {
        "violations": risk.violations,
        "intervals": risk.intervals,
        "share": risk.share,
        "low": risk.low,
        "high": risk.high,
        "warnings": risk.warnings,
    }


def _risk_lines(risk: Risk | None) -> tuple[str, ...]:
    if risk is None or not risk.is_shown:
        return ()
    share = f"{risk.share:.1%} ({risk.low:.1%} – {risk.high:.1%})"
    return f"broken in {risk.violations} of {risk.intervals} intervals: {share}", *risk.warnings


def _print_limits(limits: SafeLimits | None) -> None:
    """What each limit may grow to, the others as they are, and what all may grow to together."""
    if limits is None or not limits.limits:
        return
    print("\nLargest limits that keep the SLO, each while the others stay:")
    width = max(len(_label(limit)) for limit in limits.limits)
    for limit in limits.limits:
        most = "none" if limit.largest is None else str(limit.largest)
        why = f"then {limit.binding} breaks it" if limit.binding else "larger ones were not measured"
        print(f"  {_label(limit):{width}}  {most:>7}  now {limit.axis.current}; {why}")
    why = f"then {limits.binding} breaks its SLO" if limits.binding else "larger ones were not measured"
    if limits.growth is None:
        print(f"All limits together: however small they are, {limits.binding} breaks its SLO")
    else:
        print(f"All limits together: {limits.growth:g} times what they are; {why}")


def _label(limit: SafeLimit) -> str:
    """The name of a limit; one that stands in the text of a query is named with that query."""
    return limit.axis.label if "." in limit.axis.symbol else f"{limit.queries[0]}: {limit.axis.label}"
