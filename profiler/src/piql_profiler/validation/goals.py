"""The goals of predictions, and whether they are met, missed, or undecidable because actual p99s are uncertain.

A value is stated with the best and the worst that it can be while each actual p99 stays within its 95 % interval. A
goal is met where even the worst reaches it, missed where even the best does not. An under-prediction counts only where
the whole interval lies above the prediction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy

from piql_profiler.measure.histogram import Histogram
from piql_profiler.validation.scores import Row, excess_pinball_us

Verdict = Literal["met", "missed", "undecidable"]
_THRESHOLDS = 21  # of an SLO, evenly over the range of a map
_DRAWS, _SEED = 1000, 1  # of actual p99s within their intervals, for a rank correlation
_RESAMPLES = 200  # of the executions, for a ratio of losses
_DEVIATIONS = 1.96  # to the ends of an interval


@dataclass(frozen=True, slots=True)
class Goal:
    """A limit that a value has to stay below, or with `is_least` above, and the value with its best and worst.

    Values are shares; without `is_share` they are plain numbers.
    """

    name: str
    limit: float
    value: float
    best: float
    worst: float
    is_least: bool = False
    is_share: bool = True

    @property
    def verdict(self) -> Verdict:
        best, worst = (self.best, self.worst) if self.is_least else (-self.best, -self.worst)
        limit = self.limit if self.is_least else -self.limit
        if worst >= limit:
            return "met"
        return "missed" if best < limit else "undecidable"


def goals_of_queries(rows: Sequence[Row], model: str, baseline: str) -> tuple[Goal, ...]:
    """The goals of a list of queries."""
    composed = [row for row in rows if row.operators >= 2]
    over = [row.error(model) for row in rows]
    least, most = zip(*(_errors(row, model) for row in rows), strict=True)
    return (
        _mean_error("mean absolute error of p99", 0.07, rows, model),
        _mean_error("of queries with two or more operators", 0.09, composed, model),
        Goal("worst over-prediction", 0.20, max(over), max(least), max(most)),
        Goal("worst under-prediction", -0.03, min(over), min(most), min(least), is_least=True),
        _excess(rows, model, baseline),
    )


def goal_of_unseen(rows: Sequence[Row], model: str) -> Goal:
    """The goal of queries at cardinalities that no point was measured at."""
    return _mean_error("mean absolute error at unseen cardinalities", 0.10, rows, model)


def goals_of_map(rows: Sequence[Row], model: str, width: int) -> tuple[Goal, ...]:
    """The goals of a map's cells, `width` in a line: their order, their growth, and on which side of an SLO they are.

    A threshold does not count for a cell whose actual p99 may lie on either side of it.
    """
    actual = np.array([row.actual.estimate_us for row in rows])
    predicted = np.array([row.predicted_us[model] for row in rows])
    ends = np.array([(row.actual.low_us, row.actual.high_us) for row in rows])
    # What has no upper end is taken to reach as far up as down.
    tops = np.where(np.isfinite(ends[:, 1]), ends[:, 1], actual**2 / ends[:, 0])
    deviations = (np.log(tops) - np.log(ends[:, 0])) / (2 * _DEVIATIONS)
    noise = np.random.default_rng(_SEED).standard_normal((_DRAWS, len(rows)))
    ranks = [
        float(scipy.stats.spearmanr(predicted, latencies_us).statistic)
        for latencies_us in actual * np.exp(deviations * noise)
    ]
    value = float(scipy.stats.spearmanr(predicted, actual).statistic)
    worst, best = min(value, float(np.quantile(ranks, 0.025))), max(value, float(np.quantile(ranks, 0.975)))
    right, decided = _sides(predicted, ends)
    share = right / max(decided, 1)
    falls = _falls(predicted.reshape(-1, width))
    return (
        Goal("Spearman's rank correlation", 0.97, value, best, worst, is_least=True, is_share=False),
        Goal("neighbouring cells where the larger is predicted faster", 0, falls, falls, falls, is_share=False),
        Goal(f"right side of an SLO ({decided} decided)", 0.95, share, share, share, is_least=True),
    )


def _errors(row: Row, model: str) -> tuple[float, float]:
    """predicted / actual − 1 at the two ends of the actual's interval."""
    predicted = row.predicted_us[model]
    return predicted / row.actual.high_us - 1.0, predicted / row.actual.low_us - 1.0


def _mean_error(name: str, limit: float, rows: Sequence[Row], model: str) -> Goal:
    ends = [_errors(row, model) for row in rows]
    nearest = [0.0 if low <= 0.0 <= high else min(abs(low), abs(high)) for low, high in ends]
    farthest = [max(abs(low), abs(high)) for low, high in ends]
    value = np.mean([abs(row.error(model)) for row in rows])
    return Goal(name, limit, float(value), float(np.mean(nearest)), float(np.mean(farthest)))


def _excess(rows: Sequence[Row], model: str, baseline: str) -> Goal:
    """The loss of a model as a share of a baseline's; the range is the 95 % interval of a bootstrap."""
    random = np.random.default_rng(_SEED)
    drawn = sorted(
        _ratio([replace(row, histogram=_resampled(row.histogram, random)) for row in rows], model, baseline)
        for _ in range(_RESAMPLES)
    )
    value, ends = _ratio(rows, model, baseline), (round(0.025 * _RESAMPLES), round(0.975 * _RESAMPLES))
    best, worst = min(value, drawn[ends[0]]), max(value, drawn[ends[1]])
    return Goal(f"excess pinball loss, as a share of that of {baseline}", 0.5, value, best, worst)


def _ratio(rows: Sequence[Row], model: str, baseline: str) -> float:
    model_error, baseline_error = (
        sum(excess_pinball_us(row.histogram, row.predicted_us[name]) for row in rows) for name in (model, baseline)
    )
    return model_error / max(baseline_error, 1e-12)


def _resampled(histogram: Histogram, random: np.random.Generator) -> Histogram:
    return Histogram(random.multinomial(histogram.total, histogram.counts / histogram.total))


def _falls(cells: np.ndarray) -> int:
    """Count the steps to a larger limit, to the right and downwards, at which the prediction falls."""
    return sum(int((np.diff(cells, axis=axis) < 0.0).sum()) for axis in (0, 1))


def _sides(predicted: np.ndarray, ends: np.ndarray) -> tuple[int, int]:
    """Over all thresholds: how many cells are predicted on their actual side, and of how many that side is known."""
    highest = ends[:, 1][np.isfinite(ends[:, 1])].max(initial=ends[:, 0].max())
    thresholds = np.geomspace(ends[:, 0].min(), highest, _THRESHOLDS)[:, None]
    is_above, is_below = ends[None, :, 0] > thresholds, ends[None, :, 1] < thresholds
    is_right = np.where(predicted[None, :] > thresholds, is_above, is_below)
    decided = is_above | is_below
    return int((is_right & decided).sum()), int(decided.sum())
