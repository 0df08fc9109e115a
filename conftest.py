"""What all Python tests share: a garbage collection does not look at what reading the tests has made."""

from __future__ import annotations

import gc


def pytest_collection_finish() -> None:
    """Set aside thousands of tests and modules, which stay: each full collection would go through all of them."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    gc.unfreeze()
