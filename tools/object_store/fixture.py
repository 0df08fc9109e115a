"""`object_store`: one server for the tests of one session, started at the first test that asks for it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest

from object_store.running import KEYS, ObjectStore, running_object_store

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def object_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    """Run a server, with keys for it in the environment."""
    with pytest.MonkeyPatch.context() as patch, running_object_store(tmp_path_factory.mktemp("objects")) as running:
        for name, value in KEYS.items():
            patch.setenv(name, value)
        yield running


@pytest.fixture
def bucket_url(object_store: ObjectStore) -> Callable[..., str]:
    """Return what makes the URL of a store that no other test has: a prefix of its own."""
    return lambda options="": object_store.url(f"t{next(_NUMBERS)}", options)
