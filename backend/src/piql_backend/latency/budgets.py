"""Error budgets: how much of what an SLO allows is used, and how fast it is being used.

An SLO of 99 % allows 1 of 100 executions to take longer or to fail. The budget of a window is the number of its
executions for which that is allowed. The burn rate is the share of executions that took longer or failed, divided by
the share that is allowed. At a burn rate of 1 the budget is used up at the end of the window. At 14.4 the budget of 30
days is used up in two days.

A query is burning when the rates of a long and of a short window both reach their factor. The long window shows that
it matters, the short one that it still goes on. Chance alone must not call a query burning. So the long window needs
enough executions to show the quantile, and the confidence interval of its burn rate must lie above 1. Of queries that
keep their SLO, all pairs of windows together then call at most the share ERROR burning. An execution that may have kept
the threshold counts as one that has kept it.

The pairs of windows: B. Beyer et al., The Site Reliability Workbook, chapter 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from piql_profiler.validation.agreement import ERROR
from piql_profiler.validation.compliance import samples_needed

from piql_backend.latency.repository import SloInterval
from piql_backend.latency.schemas import BudgetRead, BurnRead


@dataclass(frozen=True, slots=True)
class BurnWindows:
    """Two windows that end now, and the burn rate that is too high in both."""

    long_seconds: int
    short_seconds: int
    factor: float


PAIRS = (
    BurnWindows(3_600, 300, 14.4),
    BurnWindows(21_600, 1_800, 6.0),
    BurnWindows(86_400, 7_200, 3.0),
    BurnWindows(259_200, 21_600, 1.0),
)
WINDOWS = tuple(sorted({seconds for pair in PAIRS for seconds in (pair.long_seconds, pair.short_seconds)}))
_NONE = SloInterval(0, 0)
_ERROR_OF_PAIR = 2 * ERROR / len(PAIRS)  # of a two-sided interval, since only one of its ends decides


def budget_of(quantile: float, window: SloInterval, recent: Mapping[int, SloInterval]) -> BudgetRead:
    """The budget of an SLO, from the executions of the whole `window`, and `recent` ones by each length in WINDOWS."""
    allowed = (1 - quantile) * window.executions
    used = window.executions - window.kept
    return BudgetRead(
        left=1 - used / allowed if allowed > 0 else None,
        burns=[_burn(quantile, pair, recent) for pair in PAIRS],
    )


def _burn(quantile: float, pair: BurnWindows, recent: Mapping[int, SloInterval]) -> BurnRead:
    long, short = recent.get(pair.long_seconds, _NONE), recent.get(pair.short_seconds, _NONE)
    rates = _rate(quantile, long), _rate(quantile, short)
    is_high = all(rate is not None and rate >= pair.factor for rate in rates)
    is_enough = long.executions >= samples_needed(quantile)
    return BurnRead(
        long_seconds=pair.long_seconds,
        short_seconds=pair.short_seconds,
        factor=pair.factor,
        long_rate=rates[0],
        short_rate=rates[1],
        is_burning=is_high and is_enough and long.share_interval(_ERROR_OF_PAIR)[1] < quantile,
    )


def _rate(quantile: float, counted: SloInterval) -> float | None:
    """The burn rate of a window; None where nothing was executed."""
    if counted.executions == 0:
        return None
    rate = (counted.executions - counted.kept) / counted.executions / (1 - quantile)
    return round(rate, 9)  # or 3 of 100 would be a little less than 3 times what 0.99 allows
