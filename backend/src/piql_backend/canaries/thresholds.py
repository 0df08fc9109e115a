"""Whether the version that is tried has passed what its user allowed: pure, from counted executions.

    errors     the share of all its executions that failed
    burn       the share of a query's executions that broke its SLO, by the share that the SLO allows

A share has passed a threshold once the exact interval of the true share, which is wrong in CERTAIN of cases, lies above
it. One failure of three is no proof; ten of ten are. The interval is that narrow since it is looked at every 2 s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from piql_profiler.validation.agreement import share_interval

from piql_backend.canaries.counting import Sides
from piql_backend.canaries.schemas import ThresholdsRead
from piql_backend.slos.schemas import SloRead

CERTAIN = 0.001


@dataclass(frozen=True, slots=True)
class _Share:
    """A part of executions, and whether it lies above a threshold beyond chance."""

    part: int
    executions: int

    @property
    def value(self) -> float:
        return self.part / self.executions if self.executions else 0.0

    def is_over(self, threshold: float) -> bool:
        return self.executions > 0 and share_interval(self.part, self.executions, CERTAIN)[0] > threshold


def burn_of(sides: Sides, slo: SloRead) -> float | None:
    """How many times as often as its SLO allows the tried version breaks it; None before it was executed."""
    if sides.tried is None or not sides.tried.ran.executions:
        return None
    return sides.tried.broke / sides.tried.ran.executions / (1 - slo.quantile)


def passed(thresholds: ThresholdsRead, counted: Mapping[str, Sides], slos: Mapping[str, SloRead]) -> str | None:
    """Why the version is to be withdrawn, as a sentence; None where it is not."""
    tried = {query: sides.tried for query, sides in counted.items() if sides.tried is not None}
    errors = _Share(
        sum(side.ran.failures for side in tried.values()), sum(side.ran.executions for side in tried.values())
    )
    if thresholds.errors_percent is not None and errors.is_over(thresholds.errors_percent / 100):
        return (
            f"Withdrawn by itself: {errors.part:,} of {errors.executions:,} executions failed, "
            f"{100 * errors.value:.1f} %, over {thresholds.errors_percent:g} %."
        )
    for query, side in tried.items() if thresholds.burn is not None else ():
        slo = slos.get(query)
        if slo is None or thresholds.burn is None:
            continue
        broken, allowed = _Share(side.broke, side.ran.executions), 1 - slo.quantile
        if broken.is_over(min(1.0, thresholds.burn * allowed)):
            return (
                f"Withdrawn by itself: {query} broke its SLO in {broken.part:,} of {broken.executions:,} executions, "
                f"{broken.value / allowed:.1f} times as often as it allows, over {thresholds.burn:g}."
            )
    return None
