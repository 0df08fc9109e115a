"""The dial of stripes: what it takes for needed, which way both p99s go, and its waits beside simulated ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import piql
import pytest
from numpy.typing import NDArray
from piql.compiler.result import Compilation
from piql_profiler.capacity.stripes import MOST_BUSY, NoSuchView, StripeDial, stripe_dial
from piql_profiler.measure.grid import GRIDS, Operator
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement, Measurements
from piql_profiler.predictor.model import Model, NotMeasured
from piql_profiler.predictor.models import build_model

SCHEMA = """
CREATE TABLE likes (post INT, fan VARCHAR(8), PRIMARY KEY (post, fan));
CREATE VIEW likesOf AS SELECT post, COUNT(*) AS n FROM likes GROUP BY post;
CREATE VIEW unseen AS SELECT fan, COUNT(*) AS n FROM likes GROUP BY fan;
CREATE QUERY addLike AS INSERT INTO likes (post, fan) VALUES ([post], [fan]);
"""
WRITE_US, READ_US = 2_000.0, 100.0


def service_us(chance: np.random.Generator, count: int) -> NDArray[np.float64]:
    return WRITE_US / 2 + chance.exponential(WRITE_US / 2, count)


def model_of(*, has_transactions: bool = False, points: Any = GRIDS["default"].points) -> Model:
    """A store whose writes take 2 ms in the mean, whatever they write, and whose reads 0.1 ms a request."""
    chance = np.random.default_rng(7)
    cells = [
        Measurement(
            point,
            0,
            Histogram.of(
                service_us(chance, 4_000) if point.operator.is_of_writes else [READ_US * point.child_rows] * 400
            ),
            0.0,
            1.0,
        )
        for point in points
    ]
    return build_model(
        Measurements.of(cells, 1.0, is_answered_in_turn=has_transactions, has_transactions=has_transactions)
    )


@pytest.fixture(scope="module")
def likes() -> Compilation:
    return piql.compile({"likes.piql": SCHEMA})


@pytest.fixture(scope="module")
def stepped() -> Model:
    return model_of()


@pytest.fixture(scope="module")
def dial(likes: Compilation, stepped: Model) -> StripeDial:
    return stripe_dial(likes, "likesOf", 900.0, stepped)


def test_the_stripes_that_are_needed_are_the_rate_by_what_one_partition_bears(dial: StripeDial) -> None:
    assert dial.change_ms == pytest.approx(WRITE_US / 1000, rel=0.05)
    assert dial.partition_bears == pytest.approx(1000 / dial.change_ms)
    assert (dial.view, dial.stripes, dial.write, dial.is_in_turn, dial.needed) == ("likesOf", 1, "addLike", False, 4)
    by_number = {step.stripes: step for step in dial.steps}
    assert by_number[4].busy <= MOST_BUSY < by_number[4].busy * 4 / 3
    assert by_number[1].busy == pytest.approx(900 / dial.partition_bears)


def test_more_stripes_cost_reads_and_help_writes(dial: StripeDial) -> None:
    assert [step.read_requests for step in dial.steps] == [1, 2, 4, 8, 16, 32, 64]
    reads = [step.read_ms for step in dial.steps]
    assert None not in reads
    assert reads == sorted(reads, key=lambda read_ms: read_ms or 0)
    assert reads[-1] == pytest.approx(64 * READ_US / 1000, rel=0.1)
    assert dial.steps[0].write_ms is None  # 900 a second, and one partition bears 500
    writes = [step.write_ms for step in dial.steps[1:] if step.write_ms is not None]
    assert len(writes) == 6
    assert writes == sorted(writes, reverse=True)


@pytest.mark.parametrize(("per_second", "stripes"), [(300.0, 1), (900.0, 4)])
def test_the_wait_is_that_of_a_simulated_queue(
    likes: Compilation, stepped: Model, per_second: float, stripes: int
) -> None:
    chance = np.random.default_rng(11)
    gaps, times = chance.exponential(1e6 * stripes / per_second, 200_000), service_us(chance, 200_000)
    steps = np.cumsum(times[:-1] - gaps[1:])
    waits = np.concatenate(([0.0], steps - np.minimum.accumulate(np.minimum(steps, 0.0))))
    (step,) = (step for step in stripe_dial(likes, "likesOf", per_second, stepped).steps if step.stripes == stripes)
    record, unseen = service_us(chance, 200_000), service_us(chance, 200_000)  # the write itself, and the other view
    simulated_ms = np.quantile(record + waits + times + unseen, 0.99) / 1000
    assert step.write_ms == pytest.approx(simulated_ms, rel=0.05)


def test_stripes_do_not_help_a_store_that_makes_one_write_after_the_other(likes: Compilation) -> None:
    dial = stripe_dial(likes, "likesOf", 300.0, model_of(has_transactions=True))
    assert (dial.is_in_turn, dial.needed) == (True, None)
    assert len({(step.busy, step.write_ms) for step in dial.steps}) == 1
    assert dial.steps[0].write_ms is not None


def test_the_number_of_the_text_and_those_asked_for_are_told(stepped: Model) -> None:
    text = SCHEMA.replace("GROUP BY post;", "GROUP BY post STRIPES 5;")
    dial = stripe_dial(piql.compile({"": text}), "likesOf", 5_000.0, stepped, also=(12,))
    assert (dial.stripes, dial.needed) == (5, 20)
    assert [step.stripes for step in dial.steps] == [1, 2, 4, 5, 8, 12, 16, 20, 32, 64]


def test_a_rate_beyond_all_stripes_has_no_number(likes: Compilation, stepped: Model) -> None:
    assert stripe_dial(likes, "likesOf", 1e6, stepped).needed is None


def test_reads_beyond_what_was_measured_have_no_p99(likes: Compilation) -> None:
    points = [point for point in GRIDS["default"].points if point.operator is Operator.WRITE or point.child_rows <= 10]
    steps = stripe_dial(likes, "likesOf", 100.0, model_of(points=points)).steps
    assert [step.stripes for step in steps if step.read_ms is None] == [64]


def test_what_there_is_no_dial_of(likes: Compilation, stepped: Model) -> None:
    for view in ("likes", "missing"):
        with pytest.raises(NoSuchView, match=f"no view {view}"):
            stripe_dial(likes, view, 10.0, stepped)
    without_writes = replace(likes, queries={})
    with pytest.raises(NoSuchView, match="no write of the set keeps likesOf"):
        stripe_dial(without_writes, "likesOf", 10.0, stepped)
    reads = [point for point in GRIDS["default"].points if not point.operator.is_of_writes]
    with pytest.raises(NotMeasured):
        stripe_dial(likes, "likesOf", 10.0, model_of(points=reads))
