"""Traced numbers: what was computed of them is computed again for others, as long as each test comes out as it did."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from math import prod

import pytest
from piql.trees import traced_numbers
from piql.trees.traced_numbers import TooLong, Trace, Traced, applied


def work(first: int, second: int, third: int) -> tuple[int, ...]:
    """Compute in many ways, which differ by the order and size of the numbers."""
    cheap, dear = sorted((first * 3 + 1, second * second))
    most = max(cheap, third, 12) - min(first, second)
    if (cheap, third) < (most, dear) and dear % 3:
        return cheap, dear // (third + 1), sum([first, second, third])
    return (prod([cheap, most]), 7 - third) if third else (applied(halved, dear), 5 % (first + 1))


def halved(number: int) -> int:
    return number // 2


@pytest.mark.parametrize("seed", range(20))
def test_a_replay_gives_what_the_work_gives_or_nothing(seed: int) -> None:
    rng = random.Random(seed)
    trace = Trace()
    made = work(*(trace.number(rng.randrange(9)) for _ in range(3)))
    replayed = 0
    for _ in range(200):
        numbers = [rng.randrange(9) for _ in range(3)]
        values = trace.replay(numbers)
        if values is not None:
            replayed += 1
            now = tuple(values[part.register] if isinstance(part, Traced) else part for part in made)
            assert now == work(*numbers)
    assert replayed


def test_equal_numbers_are_the_same_in_a_set_and_stay_as_different_from_others_as_they_were() -> None:
    trace = Trace()
    first, second = trace.number(5), trace.number(7)
    assert len({("a", first), ("a", second), ("a", first)}) == 2
    assert trace.replay([6, 8]) is not None
    assert trace.replay([7, 7]) is None


@pytest.mark.parametrize("keeps_hashes", [True, False])
def test_numbers_that_are_equal_by_chance_may_differ_where_no_hash_is_kept(keeps_hashes: bool) -> None:
    trace = Trace()
    trace.keeps_hashes = keeps_hashes
    number = trace.number(5)
    assert len({("a", number), ("a", number + 1)}) == 2
    assert number < 10 * 5
    assert number >= 5
    assert (trace.replay([6]) is None) == keeps_hashes


@pytest.mark.parametrize("ask", [float, str, repr, pickle.dumps, lambda number: number**2, abs])
def test_a_trace_holds_for_one_value_of_a_number_that_is_used_in_another_way(ask: Callable[[int], object]) -> None:
    trace = Trace()
    number = trace.number(5)
    ask(number)
    assert trace.replay([5]) is not None
    assert trace.replay([6]) is None


def test_a_long_trace_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traced_numbers, "MOST_STEPS", 10)
    number = Trace().number(5)
    with pytest.raises(TooLong):
        sum(number * times for times in range(2, 20))
