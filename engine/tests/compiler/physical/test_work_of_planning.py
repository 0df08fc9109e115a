"""How often a query's reads are planned grows with the query, not with the square or a power of its tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import piql
import pytest
from piql.compiler.physical.planner import planner, scans
from piql.compiler.physical.planner.alternatives import MOST_ALTERNATIVES

TABLE = "CREATE TABLE t (a INT PRIMARY KEY, b INT, c INT, UNIQUE (b));\n"
FOUND_BY_LEFT = "SELECT s{0}.a FROM t s{0} JOIN t r{0} ON r{0}.c > s{0}.c AND r{0}.b = s{0}.a WHERE s{0}.b = t.c"
FOUND_BY_NOTHING = "SELECT s{0}.a FROM t s{0} WHERE s{0}.c > t.c"


def query(tests: Iterable[str]) -> str:
    return f"{TABLE}CREATE QUERY q AS SELECT t.c FROM t WHERE {' AND '.join(tests)};\n"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The reads of one relation that were planned, each way to make one counted."""
    planned: list[object] = []
    best_access = scans.best_access

    def count(reading: scans.Reading) -> object:
        planned.append(reading)
        return best_access(reading)

    monkeypatch.setattr(scans, "best_access", count)
    return planned


@pytest.fixture
def sections(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The sections of one relation that were planned."""
    planned: list[object] = []
    plan_leg: Callable[..., object] = planner.plan_leg
    monkeypatch.setattr(planner, "plan_leg", lambda *arguments: (planned.append(arguments), plan_leg(*arguments))[1])
    return planned


def test_of_many_ors_of_the_same_columns_one_is_planned(reads: list[object]) -> None:
    bound = piql.compile(query(f"(a = {number} OR b = {number})" for number in range(300))).queries["q"].bound
    assert bound is not None
    assert bound.operations == 2
    assert len(reads) < 10


def test_of_many_different_ors_a_fixed_number_is_planned(reads: list[object]) -> None:
    tests = (f"(a = {number} OR b > {number} AND b < {number + 5})" for number in range(300))
    assert piql.compile(query(tests)).queries["q"].is_bounded
    assert len(reads) < 4 * MOST_ALTERNATIVES + 10  # two branches each, on trial and for good


def test_an_or_that_bounds_the_query_is_found_behind_many_that_do_not() -> None:
    unbounded = [f"(a = {number} OR c = {number})" for number in range(2 * MOST_ALTERNATIVES)]
    assert not piql.compile(query(unbounded)).queries["q"].is_bounded
    assert piql.compile(query([*unbounded, "(a = 1 OR b = 2)"])).queries["q"].is_bounded
    assert piql.compile(query([*unbounded, "(a = 1 OR b IN (2, 3))"])).queries["q"].is_bounded


def test_the_or_with_the_fewest_values_is_read() -> None:
    bound = piql.compile(query(["(a = 1 OR b IN (1, 2, 3))", "(a = 4 OR b IN (1, 2))"])).queries["q"].bound
    assert bound is not None
    assert bound.operations == 3


@pytest.mark.parametrize("subquery", [FOUND_BY_LEFT, FOUND_BY_NOTHING])
@pytest.mark.parametrize("first", ["t.a = 1", "t.c > 1"])
def test_subqueries_one_after_the_other_are_planned_once_each(
    sections: list[object], subquery: str, first: str
) -> None:
    def planned(subqueries: int) -> int:
        sections.clear()
        tests = (f"NOT EXISTS ({subquery.format(number)})" for number in range(subqueries))
        piql.compile(query([first, *tests]))
        return len(sections)

    few = planned(4)
    assert few > 0
    assert planned(12) < 4 * few
