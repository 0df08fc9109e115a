"""Views on a store in a bucket, whose transactions and order of keys are its own."""

from __future__ import annotations

from collections.abc import Callable

from object_store.fixture import bucket_url, object_store

from .test_random_worlds import LIFE
from .world import World

__all__ = ["bucket_url", "object_store"]


def test_views_on_a_bucket_are_what_duckdb_computes(bucket_url: Callable[..., str]) -> None:
    for seed in range(3):
        LIFE.live(World(seed), bucket_url())
