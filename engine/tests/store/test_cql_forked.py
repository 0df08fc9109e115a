"""A session with a cluster in a forked process: every way of sending a request raises StoreForked and never waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import MagicMock

import pytest
from patience import PATIENCE
from piql.store.cql.address import parse_address
from piql.store.cql.reads.grouping import Sent
from piql.store.cql.rust.connection import RustConnection
from piql.store.cql.session import connection as driver
from piql.store.cql.session.connection import Connection
from piql.store.cql.session.direct import Direct
from processes.forked import said_by_child

ADDRESS = parse_address("cql://127.0.0.1/shop")
READ = Sent("SELECT", [b"1"], b"1", None, None, {b"": (0,)})


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> MagicMock:
    driver_cluster = MagicMock()
    monkeypatch.setattr(driver, "Cluster", driver_cluster)
    return driver_cluster


WAYS: dict[str, Callable[[Connection], Any]] = {
    "answer": lambda link: link.answer("SELECT", []),
    "answer many": lambda link: link.answer_many([("SELECT", [])]),
    "change": lambda link: link.change_if("UPDATE", []),
    "change many": lambda link: link.answer_serially([("UPDATE", [])], 1, is_change=True),
    "define": lambda link: link.change_schema(["CREATE TABLE"]),
    "ask for nodes": lambda link: link.nodes(),
    "start": lambda link: link.start([("SELECT", [])], lambda _: None),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_the_cluster_is_refused_in_the_child(cluster: MagicMock, way: str) -> None:
    link = Connection(ADDRESS)
    assert said_by_child(lambda: WAYS[way](link)).startswith(
        "StoreForked: this process was forked after its parent had"
    )


def test_reads_that_were_prepared_before_the_fork_are_refused_and_find_no_lock_held(cluster: MagicMock) -> None:
    reads = Direct(Connection(ADDRESS))
    answer = reads.answer  # as functions hold it that queries have prepared
    assert said_by_child(lambda: answer(READ, None)).startswith("StoreForked")
    assert said_by_child(lambda: reads.answer_many([READ, READ], None)).startswith("StoreForked")


def test_a_child_that_closes_leaves_the_session_to_its_parent(cluster: MagicMock) -> None:
    link = Connection(ADDRESS)

    def close() -> None:
        link.close()
        assert cluster.return_value.shutdown.call_count == 0

    assert said_by_child(close) == "done"
    link.close()
    assert cluster.return_value.shutdown.call_count == 1


def test_a_child_connects_anew(cluster: MagicMock) -> None:
    Connection(ADDRESS)
    assert said_by_child(lambda: Connection(ADDRESS).nodes()) == "done"


def test_the_other_driver_is_refused_though_all_its_slots_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scylla.session_builder.SessionBuilder", MagicMock())
    link = RustConnection(ADDRESS)
    while not link.slots.empty():
        link.slots.get()
    take = link.slots.get  # as generated readers do first

    def read() -> None:
        take(timeout=PATIENCE)
        link.answer("SELECT", [])

    assert said_by_child(read).startswith("StoreForked")
