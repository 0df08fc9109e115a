"""The simulated store: a call lasts as long as its slowest request, and a row at a time is a request for each row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import piql
import pytest
from piql_profiler.experiments.law import Law
from piql_profiler.experiments.simulated_store import Counted
from piql_profiler.experiments.stage import SamplesMissing, Simulated, Stage

SCHEMA = """
CREATE TABLE events (stream INT, number INT, PRIMARY KEY (stream, number));
CREATE QUERY first AS SELECT number FROM events WHERE stream = [1: stream] ORDER BY number LIMIT [2: count] MAX 10;
CREATE QUERY some AS SELECT number FROM events WHERE stream = 1 AND number IN [1: numbers] MAX 10;
"""
ALWAYS_5_MS = Law(median_ms=5, spread=0, row_us=100)


def stage() -> Stage:
    return Stage(Path("nowhere"), law=ALWAYS_5_MS)


def fill(simulated: Simulated) -> None:
    simulated.db.deploy(piql.compile({"events.piql": SCHEMA}))
    simulated.db.load("events", ({"stream": 1, "number": number} for number in range(6)))


def timed_ms(simulated: Simulated, call: Callable[[], object]) -> float:
    """How long a call takes on the simulated clock."""
    began = simulated.clock.now()
    call()
    return (simulated.clock.now() - began) * 1000


def test_requests_of_one_call_travel_together() -> None:
    with stage().simulated() as simulated:
        fill(simulated)
        numbers = {"numbers": list(range(6))}
        assert timed_ms(simulated, lambda: simulated.db.execute("some", numbers)) == pytest.approx(5.1)
        one_by_one = timed_ms(simulated, lambda: simulated.db.execute("some", numbers, strategy="simple"))
        assert one_by_one == pytest.approx(6 * 5.1)


@pytest.mark.parametrize(("count", "requests"), [(4, 4), (6, 6), (10, 7)])  # of six rows: the end is one more request
def test_a_row_at_a_time_asks_for_each_row(count: int, requests: int) -> None:
    with stage().simulated() as simulated:
        fill(simulated)
        simulated.store.row_at_a_time = True
        before = simulated.store.counted
        page = simulated.db.execute("first", {"stream": 1, "count": count}, strategy="lazy")
        assert [row["number"] for row in page.rows] == list(range(min(6, count)))
        assert simulated.store.counted == Counted(
            before.calls + 1, before.requests + requests, before.rows + min(6, count)
        )


def test_what_a_call_asks_for_can_be_watched() -> None:
    calls: list[tuple[int, int]] = []
    with stage().simulated() as simulated:
        fill(simulated)
        with simulated.store.watched(lambda requests, rows: calls.append((requests, rows))):
            simulated.db.execute("some", {"numbers": [1, 2, 77]})
        simulated.db.execute("some", {"numbers": [1]})
    assert calls == [(3, 2)]


def test_the_same_seed_takes_the_same_time() -> None:
    times = []
    for seed in (1, 1, 2):
        with Stage(Path("nowhere"), seed=seed).simulated() as simulated:
            fill(simulated)
            times.append(timed_ms(simulated, lambda: simulated.db.execute("first", {"stream": 1, "count": 3})))
    assert times[0] == times[1] != times[2]


def test_a_folder_without_samples_is_said() -> None:
    with pytest.raises(SamplesMissing, match="say with --samples where it is"):
        stage().folder("tpcw")
