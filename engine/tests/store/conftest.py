"""The stores that must pass the suite, and a small table in them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from object_store.fixture import bucket_url, object_store
from piql.store.base import Store
from piql.store.cql.transaction import CqlTransaction
from piql.store.embedded.store import EmbeddedStore
from piql.store.open import open_store
from piql.store.stepwise.store import StepwiseStore
from piql.store.testing.latency import LatencyStore, constant
from piql.store.testing.recording import RecordingStore

WITH_TRANSACTIONS = ("embedded", "embedded file", "recording", "latency", "bucket", "bucket, small pages")
CLUSTER = pytest.param("cluster", marks=pytest.mark.cluster)
RUST = pytest.param("cluster, driver=rust", marks=[pytest.mark.cluster, pytest.mark.long])
BACKWARDS = pytest.param("cluster, backwards", marks=pytest.mark.cluster)
# What all stores do is held the other way round at length; `test_cql_reading_direction` and single steps tell at once.
LONG_BACKWARDS = pytest.param("cluster, backwards", marks=[pytest.mark.cluster, pytest.mark.long])
STEPWISE = ("stepwise", "stepwise recorded", CLUSTER)
WITH_STEPS = (*STEPWISE, BACKWARDS, RUST)
__all__ = ["bucket_url", "cluster", "cluster_keyspace", "cluster_url", "object_store"]


@pytest.fixture(params=(*WITH_TRANSACTIONS, *STEPWISE, LONG_BACKWARDS, RUST))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Yield each kind of store, whatever it promises."""
    yield from opened(request, tmp_path)


@pytest.fixture(params=WITH_TRANSACTIONS)
def transactional_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    yield from opened(request, tmp_path)


@pytest.fixture(params=WITH_STEPS)
def stepped_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    yield from opened(request, tmp_path)


@pytest.fixture(params=("embedded", "bucket", CLUSTER, RUST))
def keeping_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Yield each kind of store that has its own form of values."""
    yield from opened(request, tmp_path)


def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    match request.param:
        case "embedded":
            store: Store = EmbeddedStore(synchronous="NORMAL")
        case "embedded file":
            store = EmbeddedStore(tmp_path / "store.db")
        case "recording":
            store = RecordingStore(EmbeddedStore(synchronous="NORMAL"))
        case "stepwise":
            store = StepwiseStore(tmp_path / "steps.db")
        case "stepwise recorded":
            store = RecordingStore(StepwiseStore())
        case "bucket":
            store = open_store(request.getfixturevalue("bucket_url")())
        case "bucket, small pages":  # so that a few rows are trees of several levels
            store = open_store(request.getfixturevalue("bucket_url")("page_bytes=60"))
        case "cluster":
            store = open_store(request.getfixturevalue("cluster_url")())
        case "cluster, backwards":  # all of its tables are kept from the last to the first
            create = CqlTransaction._plan
            patch = request.getfixturevalue("monkeypatch")
            patch.setattr(CqlTransaction, "_plan", lambda self, layout, _: create(self, layout, True))
            store = open_store(request.getfixturevalue("cluster_url")())
        case "cluster, driver=rust":
            store = open_store(f"{request.getfixturevalue('cluster_url')()}&driver=rust")
        case _:
            store = LatencyStore(EmbeddedStore(synchronous="NORMAL"), constant(0.01))
    yield store
    store.close()
