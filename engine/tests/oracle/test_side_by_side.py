"""Work shared among processes: the order is that of the seeds, and nothing waits without end for what has died."""

import os
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import count, islice
from typing import Any

import pytest

from .side_by_side import results


def twice(seed: int) -> int:
    if seed == 30:
        os._exit(1)
    return 2 * seed


def test_results_come_in_the_order_of_their_seeds_as_long_as_they_are_wanted() -> None:
    assert list(islice(results(twice, count(), processes=2), 5)) == [0, 2, 4, 6, 8]


def test_a_process_that_dies_is_an_error_that_names_a_seed() -> None:
    with pytest.raises(Exception, match="terminated") as died:
        list(results(twice, range(28, 40), processes=2))
    assert "seed" in died.value.__notes__[0]


def test_so_is_one_that_died_before_the_next_seed_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    submit = ProcessPoolExecutor.submit

    def submit_after_a_death(pool: ProcessPoolExecutor, *work: Any) -> Future[Any]:
        wait([submit(pool, os._exit, 1)])
        return submit(pool, *work)

    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit_after_a_death)
    with pytest.raises(BrokenProcessPool) as died:
        list(results(twice, range(3), processes=2))
    assert died.value.__notes__ == ["seed 0"]
