"""Every neutral case comes out as it says."""

import piql
import pytest

from .cases import Case, all_cases, check

CASES = all_cases()
RUN = [(name, case) for name, case in CASES if case["expect"]["outcome"] in ("bounded", "either")]


def test_there_are_cases_and_no_two_of_one_name() -> None:
    names = [name for name, _ in CASES]
    assert len(names) >= 150
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES])
def test_a_case_comes_out_as_it_says(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in RUN])
def test_a_case_comes_out_the_same_on_a_store_without_transactions(case: Case) -> None:
    """What is refused is refused before a store is opened."""
    check(case, lambda url: piql.connect("stepwise:?synchronous=NORMAL"))
