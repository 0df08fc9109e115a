"""The neutral cases come out the same on a store in a bucket, whose pages are so small that few rows are several."""

from __future__ import annotations

from collections.abc import Callable

import piql
import pytest
from object_store.fixture import bucket_url, object_store

from .cases import Case, all_cases, check

__all__ = ["bucket_url", "object_store"]
ALWAYS = (
    "bounds:thoughtstream",
    "constraints:one-row-too-many",
    "constraints:deleting-what-is-referenced",
    "nulls-and-order:null-last-descending",
    "pages:pages-of-mixed-directions",
    "applications:auction-max-bid",
)
RUN = [(name, case) for name, case in all_cases() if case["expect"]["outcome"] in ("bounded", "either")]


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=name, marks=() if name in ALWAYS else pytest.mark.long) for name, case in RUN],
)
def test_a_case_comes_out_the_same_in_a_bucket(case: Case, bucket_url: Callable[..., str]) -> None:
    check(case, lambda url: piql.connect(bucket_url("page_bytes=200")))


def test_the_cases_that_are_always_run_are_there() -> None:
    assert set(ALWAYS) <= {name for name, _ in RUN}
