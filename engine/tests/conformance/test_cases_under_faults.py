"""Every neutral case over a store that fails: it comes out as it says, or with a typed error."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import piql
import pytest
from faults.faulty import FaultyStore, faulty_connect

from .cases import all_cases, check

CASES = [(name, case) for name, case in all_cases() if case["expect"]["outcome"] in ("bounded", "either")]
PARTS = 8
QUICK = 2  # of four parts; the long tests run all of them, on each store
RATES = {"embedded": 0.05, "stepwise": 0.03}  # a write that is many single steps meets a fault more often


def parts_of(count: int) -> Iterator[Any]:
    """Yield the parts of the cases on each store; quick is every second pair of parts, each on one of the stores."""
    for part, (number, scheme) in product(range(count), enumerate(RATES)):
        is_quick = part % len(RATES) == number and part % 4 < QUICK
        yield pytest.param(part, scheme, marks=() if is_quick else pytest.mark.long)


@pytest.mark.parametrize(("part", "scheme"), [*parts_of(PARTS)])
def test_every_case_comes_out_as_it_says_for_a_client_that_tries_again(part: int, scheme: str) -> None:
    opened: list[FaultyStore] = []
    for number, (name, case) in enumerate(CASES[part::PARTS]):
        try:
            check(case, faulty_connect(RATES[scheme], number, opened, scheme=scheme))
        except AssertionError as failure:
            raise AssertionError(f"{name}: {failure}") from failure
    assert sum(sum(store.faults.values()) for store in opened) > 10


@pytest.mark.parametrize(("part", "scheme"), [*parts_of(PARTS // 2)])
def test_a_client_that_gives_up_sees_typed_errors_and_never_a_wrong_answer(part: int, scheme: str) -> None:
    ends = set()
    for number, (name, case) in enumerate(CASES[part :: PARTS // 2]):
        try:
            check(case, faulty_connect(0.02, number, [], piql.Database, scheme))
            ends.add("right")
        except piql.PiqlError as error:
            ends.add(type(error).__name__)
        except AssertionError as failure:
            raise AssertionError(f"{name}: {failure}") from failure
    assert ends == {"right", "StoreUnavailable"}
