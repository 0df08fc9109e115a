"""Units on a store in a bucket, whose transactions are its own."""

from __future__ import annotations

from collections.abc import Callable

from object_store.fixture import bucket_url, object_store

from .test_random_worlds import live
from .world import World

__all__ = ["bucket_url", "object_store"]


def test_units_on_a_bucket_come_to_what_duckdb_makes_of_them(bucket_url: Callable[..., str]) -> None:
    for seed in range(50, 52):
        live(World(seed), bucket_url(), executions=20)
