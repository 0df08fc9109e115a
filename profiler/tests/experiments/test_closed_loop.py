"""The simulated cluster in a closed loop, against what is known of it by hand."""

from __future__ import annotations

import numpy as np
import pytest
from piql_profiler.experiments import closed_loop
from piql_profiler.experiments.closed_loop import CallStage, NodeLaw

QUIET = NodeLaw(request_us=400, row_us=4, network_us=300, network_spread=0)


def test_one_thread_waits_for_nobody() -> None:
    measured = closed_loop.run(QUIET, 4, 1, [[CallStage(1, 25)]], 20_000, seed=1)
    assert measured.latencies_ms.mean() == pytest.approx(0.4 + 25 * 0.004 + 0.3, rel=0.03)
    assert measured.per_second == pytest.approx(1000 / 0.8, rel=0.03)


def test_a_call_lasts_as_long_as_its_stages_together() -> None:
    of_one, of_two = (
        closed_loop.run(QUIET, 50, 1, [[CallStage(1, 0)] * stages], 10_000, seed=2).latencies_ms.mean()
        for stages in (1, 2)
    )
    assert of_two == pytest.approx(2 * of_one, rel=0.03)


def test_a_node_never_does_more_than_its_core_can() -> None:
    measured = closed_loop.run(QUIET, 1, 50, [[CallStage(1, 0)]], 20_000, seed=3)
    assert measured.per_second == pytest.approx(1e6 / 400, rel=0.03)


def test_kinds_of_calls_are_drawn_alike() -> None:
    kinds = [[CallStage(1, 0)], [CallStage(1, 1000)]]  # 0.7 and 4.7 ms
    measured = closed_loop.run(QUIET, 50, 1, kinds, 10_000, seed=4)
    assert measured.latencies_ms.mean() == pytest.approx(2.7, rel=0.05)


def test_replicas_of_a_key_are_on_different_nodes_and_nodes_have_about_as_many() -> None:
    placement = closed_loop.placed_keys(10, 2, np.random.default_rng(5))
    assert (placement[:, 0] != placement[:, 1]).all()
    shares = np.bincount(placement.ravel(), minlength=10) / placement.size
    assert shares.min() > 0.05
    assert shares.max() < 0.15
