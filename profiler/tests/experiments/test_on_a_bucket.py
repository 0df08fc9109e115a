"""Each experiment that takes a store runs on one in a bucket, over the wire."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from object_store.fixture import bucket_url, object_store

from .stores import COUNTED, ON_STORES, PARAMETERS, run_on

__all__ = ["bucket_url", "object_store"]


def test_what_each_of_them_counts_is_known() -> None:
    assert set(COUNTED) == set(ON_STORES)


@pytest.mark.parametrize("name", PARAMETERS)
def test_an_experiment_runs_on_a_bucket(name: str, bucket_url: Callable[..., str]) -> None:
    run_on(name, bucket_url())
