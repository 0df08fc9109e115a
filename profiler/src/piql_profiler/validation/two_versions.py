"""Whether a version that is tried is worse than the one beside it: exact tests of executions drawn at random.

    p99         of the executions that gave rows, more are among the slowest hundredth of both together
    errors      more fail
    requests    more make more requests than the middle execution of both together

Each is an exact test (`two_shares`), two-sided. If the versions are alike, chance alone says which executions are of
which, so the tests need no assumption about latencies or load. They are corrected for how many are made in a look
(S. Holm, Scand. J. Statist. 6 (1979) 65-70).

A trial is looked at again and again. So look number k, counted from 1, is made at the level ERROR / (k (k + 1)): over
all looks together that is ERROR. The looks are due when the version has twice as many executions as at the last one.

    too few    even the most unequal counts could not be told from chance
    no difference shown    which is not to say that there is none

Executions of one second are slow together, also if they are of both versions; that does not favour either of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from piql_profiler.validation.agreement import ERROR
from piql_profiler.validation.two_shares import chance_of_so_many

FIRST_LOOK = 100  # executions of the version that is tried

Measure = Literal["p99", "errors", "requests"]
Difference = Literal["too few", "worse", "better", "no difference shown"]


@dataclass(frozen=True, slots=True)
class Ran:
    """The executions of one query in one version.

    slow       of those that gave rows, beyond the p99 of both versions together
    larger     of those that gave rows, with more requests than the middle one of both versions together
    smaller    of those that gave rows, with fewer
    """

    executions: int = 0
    failures: int = 0
    slow: int = 0
    larger: int = 0
    smaller: int = 0

    @property
    def gave_rows(self) -> int:
        return self.executions - self.failures


Verdicts = Mapping[str, Mapping[Measure, Difference]]


def level_of(look: int) -> float:
    """The error of a look, counted from 1: those of all looks together are ERROR at most."""
    return ERROR / (look * (look + 1))


def due_at(looks: int) -> int:
    """How many executions of the version that is tried the next look needs, after so many at the present share."""
    return FIRST_LOOK << looks


def judge_versions(pairs: Mapping[str, tuple[Ran, Ran]], level: float) -> Verdicts:
    """Judge the queries that both versions have, each by its executions in the old and in the tried one."""
    tests = [(query, *test) for query, (old, tried) in pairs.items() for test in _tests(old, tried)]
    verdicts: dict[str, dict[Measure, Difference]] = {query: {} for query in pairs}
    is_shown = True
    for number, (query, measure, outcome, chance, least) in enumerate(sorted(tests, key=lambda test: test[3])):
        is_shown = is_shown and chance <= level / (len(tests) - number)
        if is_shown:
            verdicts[query][measure] = outcome
        else:
            verdicts[query][measure] = "too few" if least > level / len(tests) else "no difference shown"
    return verdicts


def _tests(old: Ran, tried: Ran) -> Iterator[tuple[Measure, Difference, float, float]]:
    """Yield each measure with its direction, the chance of so large a difference, and of the largest there could be."""
    n_old, n_tried = old.gave_rows, tried.gave_rows
    slow = old.slow + tried.slow
    yield (
        "p99",
        *_direction(
            chance_of_so_many(tried.slow, n_tried, n_old, slow), chance_of_so_many(old.slow, n_old, n_tried, slow)
        ),
        _least(min(slow, n_tried), n_tried, n_old, slow),
    )
    failures, m_old, m_tried = old.failures + tried.failures, old.executions, tried.executions
    yield (
        "errors",
        *_direction(
            chance_of_so_many(tried.failures, m_tried, m_old, failures),
            chance_of_so_many(old.failures, m_old, m_tried, failures),
        ),
        _least(m_tried, m_tried, m_old, m_tried + old.failures),
    )
    larger, smaller = old.larger + tried.larger, old.smaller + tried.smaller
    yield (
        "requests",
        *_direction(
            min(
                1.0,
                2 * chance_of_so_many(tried.larger, n_tried, n_old, larger),
                2 * chance_of_so_many(old.smaller, n_old, n_tried, smaller),
            ),
            min(
                1.0,
                2 * chance_of_so_many(tried.smaller, n_tried, n_old, smaller),
                2 * chance_of_so_many(old.larger, n_old, n_tried, larger),
            ),
        ),
        2 * _least(n_tried, n_tried, n_old, n_tried + old.larger),
    )


def _direction(more: float, fewer: float) -> tuple[Difference, float]:
    """Whether more or fewer are the less probable, and the two-sided chance of that."""
    return ("worse" if more < fewer else "better"), min(1.0, 2 * min(more, fewer))


def _least(marked: int, group: int, other_group: int, all_marked: int) -> float:
    return 2 * chance_of_so_many(marked, group, other_group, all_marked) if group and other_group else 1.0
