"""How good predictions are: errors and losses of each query (`Row`) and of a model over all queries (`Summary`).

Actual p99s are uncertain, so an error alone proves nothing. A goal is met or missed only where the whole confidence
interval of the actual p99 says so; otherwise it is undecidable. An under-prediction counts where the whole interval
lies above the prediction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from piql_profiler.measure.histogram import EDGES_US, Histogram, bins_of
from piql_profiler.measure.precision import Precision
from piql_profiler.validation.agreement import Agreement, judge, region_of

QUANTILE = 0.99
_THRESHOLDS = np.geomspace(0.5, 2.0, 21)  # of an SLO, as shares of the actual p99


@dataclass(frozen=True, slots=True)
class Row:
    """One query: how many remote operators it has, its actual latencies, and the prediction of each model, in µs.

    Medians are known far better than tails. Where the p99 is wrong and the median right, the operators are as measured
    in the profile, and the error comes from the tail.
    """

    query: str
    operators: int
    actual: Precision
    histogram: Histogram
    predicted_us: Mapping[str, float]
    conservative_us: float | None
    predicted_median_us: Mapping[str, float] = field(default_factory=dict)

    def error(self, model: str) -> float:
        """The error of a p99: predicted / actual − 1."""
        return self.predicted_us[model] / self.actual.estimate_us - 1.0

    def median_error(self, model: str) -> float | None:
        """The error of the median: predicted / actual − 1; None where it was not predicted."""
        predicted = self.predicted_median_us.get(model)
        return None if predicted is None else predicted / self.histogram.quantile_us(0.5) - 1.0

    def is_under(self, model: str) -> bool:
        """Whether the whole interval of the actual p99 lies above the prediction."""
        return self.actual.low_us > self.predicted_us[model]


def agreement_of(row: Row, model: str) -> Agreement:
    """Judge a prediction by the executions as the dashboard does; all those in the bin of an end count as beyond it."""
    region = region_of(row.predicted_us[model], row.conservative_us)
    over_low, over_high = (
        int(row.histogram.counts[int(bins_of(np.array([end]))[0]) :].sum()) for end in (region.low, region.high)
    )
    return judge(row.histogram.total, over_low, over_high)


@dataclass(frozen=True, slots=True)
class Summary:
    """The scores of one model over all rows; errors are relative, losses in µs.

    `bias` is the mean error, `certain_unders` counts sure under-predictions. `false_safe` and `false_alarm` are shares
    of SLOs, with thresholds from half to twice the actual p99, that are predicted to be kept but broken, and the other
    way round.
    """

    model: str
    mean_absolute_error: float
    mean_absolute_error_composed: float | None
    bias: float
    worst_over: float
    worst_under: float
    certain_unders: int
    excess_pinball_us: float
    false_safe: float
    false_alarm: float
    median_absolute_error: float | None


def summary_of(model: str, rows: Sequence[Row]) -> Summary:
    """Score a model; `composed` are the queries of two or more operators."""
    errors = np.array([row.error(model) for row in rows])
    composed = [abs(row.error(model)) for row in rows if row.operators >= 2]
    predicted = np.array([row.predicted_us[model] for row in rows])
    actual = np.array([row.actual.estimate_us for row in rows])
    thresholds = actual[:, None] * _THRESHOLDS
    says_safe, is_safe = predicted[:, None] <= thresholds, actual[:, None] <= thresholds
    return Summary(
        model,
        float(np.abs(errors).mean()),
        float(np.mean(composed)) if composed else None,
        float(errors.mean()),
        float(errors.max()),
        float(errors.min()),
        sum(row.is_under(model) for row in rows),
        float(np.mean([excess_pinball_us(row.histogram, row.predicted_us[model]) for row in rows])),
        float((says_safe & ~is_safe).mean()),
        float((~says_safe & is_safe).mean()),
        _mean_of_absolutes([row.median_error(model) for row in rows]),
    )


def _mean_of_absolutes(errors: Sequence[float | None]) -> float | None:
    sizes = [abs(error) for error in errors if error is not None]
    return float(np.mean(sizes)) if sizes else None


def covered(rows: Sequence[Row]) -> tuple[int, int]:
    """How many actual p99s are at most the conservative prediction, and of how many that have one."""
    bounded = [row for row in rows if row.conservative_us is not None]
    return sum(row.actual.estimate_us <= (row.conservative_us or 0.0) for row in bounded), len(bounded)


def excess_pinball_us(histogram: Histogram, predicted_us: float) -> float:
    """How much more a prediction loses on the observed latencies than the best constant, their own p99, does."""
    return max(0.0, _pinball(histogram, predicted_us) - _pinball(histogram, histogram.quantile_us(QUANTILE)))


def _pinball(histogram: Histogram, predicted_us: float) -> float:
    """The mean pinball loss of a p99, in µs: a latency above it costs 0.99 of the distance, one below it 0.01."""
    middles = np.sqrt(EDGES_US[:-1] * EDGES_US[1:])
    over = middles - predicted_us
    losses = np.where(over >= 0, QUANTILE * over, (QUANTILE - 1.0) * over)
    return float((losses * histogram.counts).sum() / histogram.total)


def verdict(row: Row, model: str, goal: float) -> str:
    """Whether a prediction is within `goal` of the actual p99, as far as that is known."""
    predicted = row.predicted_us[model]
    low, high = row.actual.low_us, row.actual.high_us
    worst = max(abs(predicted / low - 1.0), abs(predicted / high - 1.0) if np.isfinite(high) else np.inf)
    nearest = 0.0 if low <= predicted <= high else min(abs(predicted / low - 1.0), abs(predicted / high - 1.0))
    if worst <= goal:
        return "met"
    return "missed" if nearest > goal else "undecidable"
