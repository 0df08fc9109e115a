"""Goals of predictions: met, missed, or undecidable."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.precision import Precision
from piql_profiler.validation.goals import Goal, goals_of_map, goals_of_queries
from piql_profiler.validation.scores import Row


def row(actual: float, predicted: float, half_width: float = 0.0, operators: int = 2) -> Row:
    seen = Histogram.of(actual * np.random.default_rng(1).lognormal(-2.33 * 0.3, 0.3, 5_000))
    precision = Precision(actual, actual * (1 - half_width), actual * (1 + half_width))
    return Row("q", operators, precision, seen, {"surface": predicted, "paper": 2 * predicted}, None)


def by_name(rows: Sequence[Row]) -> dict[str, Goal]:
    return {goal.name: goal for goal in goals_of_queries(rows, "surface", "paper")}


def test_a_goal_is_decided_where_the_intervals_leave_no_other_answer() -> None:
    sure = by_name([row(1000, 1050), row(1000, 1010)])
    assert sure["mean absolute error of p99"].value == pytest.approx(0.03)
    assert {goal.verdict for goal in sure.values()} == {"met"}
    assert by_name([row(1000, 1300)])["worst over-prediction"].verdict == "missed"


def test_a_goal_is_undecidable_where_the_actual_is_not_known_well_enough() -> None:
    unsure = by_name([row(1000, 1050, half_width=0.2)])
    assert unsure["mean absolute error of p99"].verdict == "undecidable"
    assert unsure["worst over-prediction"].verdict == "undecidable"


def test_an_under_prediction_counts_only_where_the_whole_interval_lies_above() -> None:
    assert by_name([row(1000, 900)])["worst under-prediction"].verdict == "missed"
    assert by_name([row(1000, 900, half_width=0.15)])["worst under-prediction"].verdict == "undecidable"


def test_queries_of_one_operator_do_not_count_as_composed() -> None:
    goals = by_name([row(1000, 1500, operators=1), row(1000, 1010)])
    assert goals["of queries with two or more operators"].value == pytest.approx(0.01)


def test_a_map_in_the_right_order_on_the_right_side_meets_its_goals() -> None:
    cells = [row(100 * at, 103 * at, half_width=0.05) for at in range(1, 26)]
    assert {goal.verdict for goal in goals_of_map(cells, "surface", 5)} == {"met"}


def test_a_map_in_the_wrong_order_misses_its_goals() -> None:
    cells = [row(100 * at, 100 * (26 - at)) for at in range(1, 26)]
    assert {goal.verdict for goal in goals_of_map(cells, "surface", 5)} == {"missed"}


def test_a_map_that_falls_somewhere_says_how_often() -> None:
    cells = [row(100 * at, 100 * at) for at in (1, 2, 3, 2, 4, 3, 5, 6, 7)]
    (goal_found,) = (goal for goal in goals_of_map(cells, "surface", 3) if goal.name.startswith("neighbouring"))
    assert (goal_found.value, goal_found.verdict) == (1, "missed")


def test_a_cell_on_the_wrong_side_of_an_slo_counts_unless_it_lies_within_its_noise() -> None:
    wrong = [row(100, 100), row(200, 380), row(400, 400)]
    unsure = [row(100, 100), row(200, 380, half_width=0.95), row(400, 400)]
    side = [goals_of_map(rows, "surface", 1)[2] for rows in (wrong, unsure)]
    assert side[0].verdict == "missed"
    assert side[1].value > side[0].value


def test_a_cell_whose_p99_has_no_upper_end_leaves_the_order_of_a_map_uncertain_but_not_unknown() -> None:
    cells = [row(100 * 2**at, 100 * 2**at, half_width=0.05) for at in range(9)]
    cells[4] = replace(cells[4], actual=replace(cells[4].actual, high_us=math.inf))
    order, _, side = goals_of_map(cells, "surface", 3)
    assert (order.verdict, side.verdict) == ("met", "met")
