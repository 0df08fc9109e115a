"""What all Python tests share: their names, how long one may take, and what garbage collections leave alone.

A test that hangs fails by its name with the stacks of its threads, instead of holding up its suite.
"""

from __future__ import annotations

import gc

import pytest

SECONDS_OF_A_LONG_TEST = 3600  # others have `timeout` of pyproject.toml: many times what any takes
SECONDS_ON_A_CLUSTER = 4 * 3600  # of a long test


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their parameter: packed ones hold the second they were made in, and two processes would differ."""
    return argname if isinstance(val, bytes) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("long") and not item.get_closest_marker("timeout"):
            on_cluster = item.get_closest_marker("cluster")
            item.add_marker(pytest.mark.timeout(SECONDS_ON_A_CLUSTER if on_cluster else SECONDS_OF_A_LONG_TEST))


def pytest_collection_finish() -> None:
    """Set aside thousands of tests and modules, which stay: each full collection would go through all of them.

    Then collect seldom: what tests leave in cycles is small, and looking for it takes 6 % of their time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)


def pytest_sessionfinish() -> None:
    gc.unfreeze()
