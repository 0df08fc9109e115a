"""Whether the calls of a step kept an SLO: an exact test of how many did, wrong in at most 5 of 100 cases.

    kept         the share within the threshold is above what the SLO asks, beyond chance
    broken       it is below, beyond chance
    undecided    the calls do not decide
    too few      even calls that were all in time could not show that the SLO is kept
    client       the client itself was the limit, so nothing is known of the store

A call that ended in an error, or had not ended when the run did, was not in time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from piql_profiler.load_runs.result import Line, LoadRun
from piql_profiler.measure.histogram import EDGES_US
from piql_profiler.predictor.openslo import ALL_QUERIES, Objective
from piql_profiler.validation.agreement import ERROR, share_interval

Outcome = Literal["kept", "broken", "undecided", "too few", "client"]
Objectives = Mapping[str, Objective]
"""The SLO of each query by its name, or of all of them."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """An SLO held against one line; `share` of its calls were in time, `needed` independent ones can decide."""

    objective: Objective
    outcome: Outcome
    share: float
    needed: int


def objective_of(line: Line, objectives: Objectives) -> Objective | None:
    """The SLO that a line is held against, None where it has none."""
    return objectives.get(line.query) or objectives.get(ALL_QUERIES)


def verdict_of(run: LoadRun, line: Line, objective: Objective) -> Verdict:
    """Hold an SLO against the calls of one query in one step."""
    needed = math.ceil(math.log(ERROR / 2) / math.log(objective.quantile))
    calls = line.due
    in_time = (line.answered) * _share_below(line, objective.threshold_ms * 1000)
    share = in_time / max(calls, 1)
    worth = line.worth[0.99] * calls / max(line.latency.total, 1) if line.latency.total else float(calls)
    independent = round(min(worth, calls))
    if run.limit_of_client(line.step) is not None:
        return Verdict(objective, "client", share, needed)
    if independent < needed:
        return Verdict(objective, "too few", share, needed)
    low, high = share_interval(min(independent, round(share * independent)), independent)
    if low >= objective.quantile:
        return Verdict(objective, "kept", share, needed)
    return Verdict(objective, "broken" if high < objective.quantile else "undecided", share, needed)


def _share_below(line: Line, threshold_us: float) -> float:
    """The share of the answered calls that took no longer."""
    below = float(np.interp(threshold_us, EDGES_US, line.latency.cumulative)) * line.latency.total
    return min(below, line.answered) / max(line.answered, 1)
