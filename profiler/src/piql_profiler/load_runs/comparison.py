"""Two runs, line by line: whether more calls of one are slow, by a test with a stated error.

Of each query in steps of the same rate, the calls of both runs beyond the p99 of all of them are counted. If both took
equally long, how these are shared between the runs is hypergeometric (Fisher's exact test, two-sided). The verdicts
are corrected for how many there are (S. Holm, Scand. J. Statist. 6 (1979) 65-70): that any of them calls two equal
queries different has a probability of at most `ERROR`. Calls that are slow together count as fewer independent ones.

    slower, faster         the second run, beyond chance
    no difference shown    which is not to say that there is none
    too few                of either run, fewer independent calls than a p99 needs
    client                 the client itself was the limit in one of the runs
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from piql_profiler.load_runs.result import Line, LoadRun
from piql_profiler.measure.histogram import BINS, Histogram
from piql_profiler.measure.precision import FEWEST_FOR_P99
from piql_profiler.validation.agreement import ERROR
from piql_profiler.validation.two_shares import chance_of_so_many

Outcome = Literal["slower", "faster", "no difference shown", "too few", "client"]


@dataclass(frozen=True, slots=True)
class Pair:
    """One query at one rate in both runs, or None in a closed loop.

    `chance` is how probable so large a difference is if there is none.
    """

    rate: float | None
    first: Line
    second: Line
    outcome: Outcome
    chance: float = 1.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """All pairs, and in sentences how the two runs were not asked for the same."""

    pairs: tuple[Pair, ...]
    differences: tuple[str, ...]


def compare(first: LoadRun, second: LoadRun) -> Comparison:
    """Compare two runs; steps belong together that have the same rate."""
    pairs = _corrected([_judged(first, second, *lines) for lines in _lines_in_both(first, second)])
    return Comparison(tuple(pairs), tuple(_differences(first, second)))


def _lines_in_both(first: LoadRun, second: LoadRun) -> Iterator[tuple[Line, Line]]:
    free = [*second.lines]
    for line in first.lines:
        rate = first.setting.steps[line.step].rate
        for candidate in free:
            if candidate.query == line.query and second.setting.steps[candidate.step].rate == rate:
                free.remove(candidate)
                yield line, candidate
                break


def _judged(first: LoadRun, second: LoadRun, of_first: Line, of_second: Line) -> Pair:
    pair = Pair(first.setting.steps[of_first.step].rate, of_first, of_second, "no difference shown")
    if first.limit_of_client(of_first.step) or second.limit_of_client(of_second.step):
        return replace(pair, outcome="client")
    counts = _counts_of(of_first.latency, of_second.latency, of_first.worth[0.99], of_second.worth[0.99])
    if counts is None:
        return replace(pair, outcome="too few")
    (calls, slow), (other_calls, other_slow) = counts
    more = chance_of_so_many(other_slow, other_calls, calls, slow + other_slow)
    fewer = chance_of_so_many(slow, calls, other_calls, slow + other_slow)
    outcome: Outcome = "slower" if more < fewer else "faster"
    return replace(pair, outcome=outcome, chance=min(1.0, 2 * min(more, fewer)))


def _counts_of(
    first: Histogram, second: Histogram, first_worth: float, second_worth: float
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Of each run its independent calls, and how many are beyond the p99 of both; None where there are too few."""
    if min(first_worth, second_worth) < FEWEST_FOR_P99:
        return None
    p99 = min(int(np.argmax(first.merge(second).cumulative >= 0.99)), BINS)
    counts = []
    for histogram, worth in ((first, first_worth), (second, second_worth)):
        calls = round(min(worth, histogram.total))
        counts.append((calls, round(float(histogram.counts[p99:].sum()) * calls / histogram.total)))
    return counts[0], counts[1]


def _corrected(pairs: Sequence[Pair]) -> list[Pair]:
    """Take back what is not shown once all tests are counted (Holm): the smallest chance has the least error."""
    tested = sorted((pair for pair in pairs if pair.outcome in ("slower", "faster")), key=lambda pair: pair.chance)
    shown: list[Pair] = []
    for number, pair in enumerate(tested):
        if pair.chance > ERROR / (len(tested) - number):
            break
        shown.append(pair)
    return [
        replace(pair, outcome="no difference shown") if pair in tested and pair not in shown else pair for pair in pairs
    ]


def _differences(first: LoadRun, second: LoadRun) -> Iterator[str]:
    """In sentences, what was not the same in both runs."""
    asked, asked_then = first.setting, second.setting
    if asked.target != asked_then.target:
        yield f"the first called {asked.target}, the second {asked_then.target}"
    weights = [
        {query.name: query.weight / math.fsum(called.weight for called in setting.queries) for query in setting.queries}
        for setting in (asked, asked_then)
    ]
    if weights[0].keys() != weights[1].keys() or any(
        not math.isclose(weights[0][name], weights[1][name], rel_tol=1e-9) for name in weights[0]
    ):
        yield "the mixes of queries are not the same"
    if (asked.clients, asked.connections) != (asked_then.clients, asked_then.connections):
        yield (
            f"the first had {asked.clients} clients with {asked.connections} connections, the second "
            f"{asked_then.clients} with {asked_then.connections}"
        )
    rates = [[step.rate for step in setting.steps] for setting in (asked, asked_then)]
    if sorted(rates[0], key=str) != sorted(rates[1], key=str):
        yield f"the steps are {_listed(rates[0])} and {_listed(rates[1])} calls a second: only equal ones are compared"
    for name, run in (("first", first), ("second", second)):
        if run.is_partial:
            yield f"the {name} run is partial: {run.message}"


def _listed(rates: Sequence[float | None]) -> str:
    return ", ".join("as many as can be" if rate is None else f"{rate:g}" for rate in rates)
