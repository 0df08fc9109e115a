"""Whether a version that is tried is worse: by exact tests, whose error over all looks is the stated one."""

from __future__ import annotations

import numpy as np
import pytest
from piql_profiler.validation.agreement import ERROR
from piql_profiler.validation.two_shares import chance_of_so_many
from piql_profiler.validation.two_versions import Ran, due_at, judge_versions, level_of

LOOKS = 5


def test_the_chance_is_that_of_drawing_without_putting_back() -> None:
    assert chance_of_so_many(2, 2, 2, 2) == pytest.approx(1 / 6)  # both marked of four into one pair
    assert chance_of_so_many(0, 10, 90, 5) == pytest.approx(1)
    assert chance_of_so_many(5, 10, 90, 5) == pytest.approx(252 / 75_287_520)


def test_the_levels_of_all_looks_together_are_the_stated_error() -> None:
    assert sum(level_of(look) for look in range(1, 10_000)) == pytest.approx(ERROR, rel=1e-3)
    assert [due_at(looks) for looks in range(4)] == [100, 200, 400, 800]


def test_few_executions_tell_nothing_and_equal_ones_show_no_difference() -> None:
    few = judge_versions({"q": (Ran(3), Ran(1))}, level_of(1))
    assert few == {"q": {"p99": "too few", "errors": "too few", "requests": "too few"}}
    equal = judge_versions({"q": (Ran(1900, 2, 19), Ran(100, 0, 1))}, level_of(1))
    assert set(equal["q"].values()) == {"no difference shown"}


def test_each_measure_is_judged_by_itself() -> None:
    slower = judge_versions({"q": (Ran(1900, 0, 10), Ran(100, 0, 10))}, level_of(1))["q"]
    assert (slower["p99"], slower["errors"]) == ("worse", "no difference shown")
    failing = judge_versions({"q": (Ran(1900, 1), Ran(100, 9))}, level_of(1))["q"]
    assert (failing["errors"], failing["requests"]) == ("worse", "no difference shown")
    dearer = judge_versions({"q": (Ran(1900, larger=0, smaller=900), Ran(100, larger=100, smaller=0))}, level_of(1))
    assert dearer["q"]["requests"] == "worse"
    cheaper = judge_versions({"q": (Ran(1900, larger=0, smaller=0), Ran(100, larger=0, smaller=90))}, level_of(1))
    assert cheaper["q"]["requests"] == "better"


def test_many_queries_are_told_worse_no_more_often_than_one() -> None:
    one = {"q": (Ran(1900, 0, 15), Ran(100, 0, 5))}
    assert judge_versions(one, level_of(1))["q"]["p99"] == "worse"
    others = {f"q{number}": (Ran(1900, 0, 19), Ran(100, 0, 1)) for number in range(50)}
    assert judge_versions(one | others, level_of(1))["q"]["p99"] == "no difference shown"


def test_equal_versions_are_told_apart_in_at_most_the_stated_share_of_trials() -> None:
    """Each trial has five looks at latencies that one distribution gives both versions, and failures of 1 of 50."""
    rng, trials = np.random.default_rng(7), 300

    def is_wrong() -> bool:
        old = tried = np.empty((0, 2))
        for look in range(1, LOOKS + 1):
            need = due_at(look - 1) - len(tried)
            tried = np.concatenate([tried, _drawn(rng, need)])
            old = np.concatenate([old, _drawn(rng, 9 * need)])
            limit = np.quantile(np.concatenate([old, tried])[:, 0], 0.99, method="higher")
            verdicts = judge_versions({"q": (_ran(old, limit), _ran(tried, limit))}, level_of(look))["q"]
            if {"worse", "better"} & set(verdicts.values()):
                return True
        return False

    wrong = sum(is_wrong() for _ in range(trials))
    assert wrong <= trials * ERROR


def _drawn(rng: np.random.Generator, count: int) -> np.ndarray:
    return np.column_stack([rng.lognormal(size=count), rng.random(count) < 0.02])


def _ran(executions: np.ndarray, limit: float) -> Ran:
    failed = executions[:, 1] == 1
    slow = int(((executions[:, 0] > limit) & ~failed).sum())
    return Ran(len(executions), int(failed.sum()), slow)
