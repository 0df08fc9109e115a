"""Whether the last hours of a query are unlike its own past: counts by the hour in, what is unusual out. Pure.

    8 weeks of hours  ──▶  of each hour of the week what was usual     (few executions: drawn to what all hours had)
                      ──▶  how much whole windows differ from that by themselves
    the last 1, 6, 24 hours against both  ──▶  Anomaly: slower at p50 or p99, more errors, more or fewer executions

A query has its own daily and weekly course, and its hours differ by more than chance. So a window is held against the
same hours of earlier weeks, and the spread that chance would give is widened by how much earlier windows were off.
What is counted beyond a limit is then tested as a negative binomial; executions by their logarithm, as Student's t.
All tests of a query together are allowed `FALSE_ALARMS` in a month of checks by the hour. Where many queries are looked
at together, all of their tests are allowed as many: somebody who is told of each would be told too often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

FALSE_ALARMS = 0.5  # of a query in a month, at most, as the tests are stated
WINDOWS = (1, 6, 24)  # hours
WEEKS = 8
HOURS_OF_WEEK = 168
FEWEST_HOURS = 72  # of the past with executions, before anything is said
_FEWEST = {"p50": 30, "p99": 100, "errors": 30}  # executions of a window that a test needs
_CHECKS_OF_MONTH = 720
_WORTH = 300.0  # executions of all hours that the same hours of earlier weeks are mixed with
_MOST_OFF = 5.0  # in standard deviations: an earlier incident must not hide the next one
_LEAST_RATIO = 1.5  # of executions, more or fewer

Measure = Literal["p50", "p99", "errors", "executions"]
Counts = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Hours:
    """A query, or one class of its sizes, by the hour, the oldest first; the last hour is the one before now.

    `times` has a row for each hour with its executions that did not fail by bucket of time, ascending.
    """

    first_hour: int
    executions: Counts
    failed: Counts
    times: Counts


@dataclass(frozen=True, slots=True)
class Anomaly:
    """What is unusual over the last `hours`: `observed` where `usual` was expected, by chance in `chance` of checks.

    Both are shares of executions beyond the usual p50 or p99, shares that failed, or executions an hour. `bucket` is
    the highest bucket of times that is within the usual p50 or p99.
    """

    measure: Measure
    hours: int
    observed: float
    usual: float
    executions: int
    chance: float
    bucket: int | None = None


def anomalies_of(whole: Hours, classes: Mapping[str, Hours], queries: int = 1) -> dict[str | None, list[Anomaly]]:
    """What is unusual of a query (None) and of each class of its sizes; empty where nothing is, or too little is known.

    `queries` is how many are looked at together, this one among them. Errors and executions are told of the whole
    query, and times by class: so other sizes than usual are no slowness.
    """
    if int((whole.executions[: -WINDOWS[0]] > 0).sum()) < FEWEST_HOURS:
        return {}
    error = FALSE_ALARMS / queries / _CHECKS_OF_MONTH / (len(WINDOWS) * (3 + 2 * len(classes)))
    unusual: dict[str | None, list[Anomaly]] = {
        None: [*_errors(whole, error), *_executions(whole, error)],
        **{name: [*_slower(hours, 0.5, error), *_slower(hours, 0.99, error)] for name, hours in classes.items()},
    }
    return {name: anomalies for name, anomalies in unusual.items() if anomalies}


def _slower(hours: Hours, quantile: float, error: float) -> list[Anomaly]:
    """Whether more executions than usual take longer than the usual quantile."""
    answered = hours.times.sum(axis=1)
    past = hours.times[: -WINDOWS[-1]].sum(axis=0)
    if past.sum() < _FEWEST["p99"]:
        return []
    bucket = int(np.argmax(np.cumsum(past) >= quantile * past.sum()))
    beyond = hours.times[:, bucket + 1 :].sum(axis=1)
    return _more_than_usual("p50" if quantile == 0.5 else "p99", hours.first_hour, answered, beyond, error, bucket)


def _errors(hours: Hours, error: float) -> list[Anomaly]:
    return _more_than_usual("errors", hours.first_hour, hours.executions, hours.failed, error, None)


def _more_than_usual(
    measure: Measure, first_hour: int, of: Counts, marked: Counts, error: float, bucket: int | None
) -> list[Anomaly]:
    """The windows in which more of the executions are marked than in the same hours before."""
    expected, variance = _expected(first_hour, of, marked)
    unusual = []
    for hours in WINDOWS:
        if len(of) <= 2 * hours:
            continue
        executions, seen = of[-hours:].sum(), marked[-hours:].sum()
        if executions < _FEWEST[measure]:
            continue
        usual = max(float(expected[-hours:].sum()), 0.5)
        spread = float(variance[-hours:].sum()) * _own_spread(expected, variance, marked, hours)
        chance = _chance_of_so_many(float(seen), usual, spread)
        if chance < error and seen > usual:
            unusual.append(
                Anomaly(measure, hours, seen / executions, usual / executions, int(executions), chance, bucket)
            )
    return unusual


def _expected(first_hour: int, of: Counts, marked: Counts) -> tuple[Counts, Counts]:
    """Of each hour how many are marked as usual, by the same hours of the other weeks, and the variance by chance."""
    week = (first_hour + np.arange(len(of))) % HOURS_OF_WEEK
    known = np.arange(len(of)) < len(of) - WINDOWS[-1]  # the last day is what is judged, so it is no baseline
    all_of, all_marked = np.zeros(HOURS_OF_WEEK), np.zeros(HOURS_OF_WEEK)
    np.add.at(all_of, week[known], of[known])
    np.add.at(all_marked, week[known], marked[known])
    others_of = all_of[week] - np.where(known, of, 0.0)
    others_marked = all_marked[week] - np.where(known, marked, 0.0)
    share = (marked[known].sum() + 0.5) / (of[known].sum() + 1.0)
    worth = others_of + _WORTH
    shares = (others_marked + _WORTH * share) / worth
    return of * shares, of * shares * (1.0 - shares) * (1.0 + of / worth)


def _own_spread(expected: Counts, variance: Counts, marked: Counts, hours: int) -> float:
    """How many times as far as by chance earlier windows of this length were off, squared; at least once."""
    blocks = (len(expected) - WINDOWS[-1]) // hours
    if blocks < 2:
        return 1.0
    end = len(expected) - WINDOWS[-1]
    means, spreads, seen = (
        values[end - blocks * hours : end].reshape(blocks, hours).sum(axis=1) for values in (expected, variance, marked)
    )
    is_known = spreads > 0
    if not is_known.any():
        return 1.0
    off = np.clip((seen - means)[is_known] ** 2 / spreads[is_known], 0.0, _MOST_OFF**2)
    return max(1.0, float(off.mean()))


def _chance_of_so_many(seen: float, mean: float, variance: float) -> float:
    """The chance of so many or more: negative binomial, or Poisson where the variance is no larger than the mean."""
    if seen <= 0:
        return 1.0
    if variance <= mean * 1.0001:
        return float(scipy.special.gammainc(seen, mean))
    size = mean * mean / (variance - mean)
    return float(scipy.special.betainc(seen, size, mean / (size + mean)))


def _executions(hours: Hours, error: float) -> list[Anomaly]:
    """Windows with far more or far fewer executions than the same hours of earlier weeks had."""
    counts, unusual = hours.executions, []
    end = len(counts) - WINDOWS[-1]
    week = (hours.first_hour + np.arange(len(counts))) % HOURS_OF_WEEK
    known = np.arange(len(counts)) < end
    sums, weeks = np.zeros(HOURS_OF_WEEK), np.zeros(HOURS_OF_WEEK)
    np.add.at(sums, week[known], counts[known])
    np.add.at(weeks, week[known], 1.0)
    others = weeks[week] - known
    if not (others[-WINDOWS[-1] :] >= 2).all():  # a course of the week is known after two weeks
        return []
    usual = (sums[week] - np.where(known, counts, 0.0)) / np.maximum(others, 1.0)
    for length in WINDOWS:
        blocks = end // length
        past = slice(end - blocks * length, end)
        had = counts[past].reshape(blocks, length).sum(axis=1)
        expected = usual[past].reshape(blocks, length).sum(axis=1)
        offs = np.log((had + 1.0) / (expected + 1.0))
        offs = offs[others[past].reshape(blocks, length).min(axis=1) >= 1]
        seen, meant = float(counts[-length:].sum()), float(usual[-length:].sum())
        spread = max(float(np.sqrt(np.mean(offs**2))), float(np.sqrt(1.0 / (meant + 1.0))))
        off = np.log((seen + 1.0) / (meant + 1.0))
        chance = 2 * float(scipy.special.stdtr(max(len(offs) - 1, 1), -abs(off) / spread))
        if chance < error and abs(off) > np.log(_LEAST_RATIO):
            unusual.append(Anomaly("executions", length, seen / length, meant / length, int(seen), chance))
    return unusual


def hours_of(first_hour: int, until: int, rows: Sequence[tuple[int, int, bool, int]]) -> Hours:
    """Counts by hour from rows of hour, bucket, whether they failed, and executions; hours without any have none."""
    length = until - first_hour
    highest = max((bucket for _, bucket, failed, _ in rows if not failed), default=0)
    times, failed_counts = np.zeros((length, highest + 1)), np.zeros(length)
    for hour, bucket, failed, executions in rows:
        if failed:
            failed_counts[hour - first_hour] += executions
        else:
            times[hour - first_hour, bucket] += executions
    return Hours(first_hour, times.sum(axis=1) + failed_counts, failed_counts, times)
