"""The stores that must pass the suite, and a small table in them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from piql.store.base import Store
from piql.store.embedded import EmbeddedStore
from piql.store.latency import LatencyStore, constant
from piql.store.recording import RecordingStore

ADAPTERS = ("embedded", "embedded file", "recording", "latency")


@pytest.fixture(params=ADAPTERS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    match request.param:
        case "embedded":
            made: Store = EmbeddedStore(synchronous="NORMAL")
        case "embedded file":
            made = EmbeddedStore(tmp_path / "store.db")
        case "recording":
            made = RecordingStore(EmbeddedStore(synchronous="NORMAL"))
        case _:
            made = LatencyStore(EmbeddedStore(synchronous="NORMAL"), constant(0.01))
    yield made
    made.close()
