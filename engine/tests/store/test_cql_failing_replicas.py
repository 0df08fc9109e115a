"""Replicas that fail a request, as they do for a moment after a column was added: it is repeated, or its row is read.

The driver here is a session with answers made by the test; real nodes are tried in `versions`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import piql
import pytest
from cassandra import ConsistencyLevel, OperationTimedOut, ReadFailure, WriteFailure, WriteType
from cassandra.cluster import NoHostAvailable
from cassandra.query import PreparedStatement
from piql.errors import StoreSilent
from piql.store.cql.address import parse_address
from piql.store.cql.layout import layout_of
from piql.store.cql.session import connection as connections
from piql.store.cql.session.connection import Connection
from piql.store.cql.undecided import Undecided
from piql.store.cql.writes.entries import entries_of
from piql.store.cql.writes.row_writes import CqlRowWrites
from piql.store.rows import State

READ = ReadFailure("Unknown column colour", consistency=ConsistencyLevel.QUORUM, failures=1)
WRITE = WriteFailure("Unknown column colour", write_type=WriteType.SIMPLE, failures=1)
PAXOS = WriteFailure("Unknown column colour", write_type=WriteType.CAS, failures=1)
AWAY = NoHostAvailable("nobody is there", {})


class Future:
    attempted_hosts = ("a",)
    coordinator_host = "a"

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def result(self) -> Any:
        if isinstance(self._answer, Exception):
            raise self._answer
        return SimpleNamespace(current_rows=self._answer)

    def add_callbacks(self, done: Any, failed: Any, callback_args: Any, errback_args: Any) -> None:
        if isinstance(self._answer, Exception):
            failed(self._answer, *errback_args)
        else:
            done(self._answer, *callback_args)


class Nodes:
    """The driver: each request is answered by the next of `answers`, then by the row that is there."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.sent: list[str] = []
        self.row: list[tuple[Any, ...]] = [(True,)]
        self.pauses: list[float] = []
        self.connection_class = SimpleNamespace(create_timer=self._later)

    def __call__(self, *_: Any, **__: Any) -> Nodes:
        return self

    def connect(self) -> Nodes:
        return self

    def prepare(self, cql: str) -> PreparedStatement:
        return PreparedStatement([], b"0", None, cql, "k", 4, [], None)

    def execute_async(self, statement: Any, **_: Any) -> Future:
        self.sent.append(statement.prepared_statement.query_string)
        return Future(self.answers.pop(0) if self.answers else self.row)

    def _later(self, seconds: float, call: Callable[[], None]) -> None:
        self.pauses.append(seconds)
        threading.Thread(target=call).start()


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Nodes:
    three_nodes = Nodes()
    monkeypatch.setattr(connections, "Cluster", three_nodes)
    monkeypatch.setattr("time.sleep", three_nodes.pauses.append)
    return three_nodes


@pytest.fixture
def connection(nodes: Nodes) -> Connection:
    return Connection(parse_address("cql://a/k?timeout=60"))


@pytest.mark.parametrize("failure", [READ, WRITE])
def test_what_may_be_repeated_is_sent_again_until_the_replicas_agree(
    connection: Connection, nodes: Nodes, failure: Exception
) -> None:
    nodes.answers = [failure] * 5
    assert connection.answer("SELECT", []) == [(True,)]
    assert len(nodes.sent) == 6
    nodes.answers = [failure] * 4
    assert connection.answer_many([("SELECT", [])]) == [[(True,)]]


@pytest.mark.parametrize("failure", [READ, WRITE])
def test_replicas_that_go_on_failing_are_a_typed_error_after_so_many_tries(
    connection: Connection, nodes: Nodes, failure: Exception
) -> None:
    nodes.answers = [failure] * 100
    with pytest.raises(piql.StoreUnavailable, match="failed in 1 of its nodes"):
        connection.answer("SELECT", [])
    assert len(nodes.sent) == 1 + connection.address.retries + 3
    with pytest.raises(piql.StoreUnavailable, match="failed in 1 of its nodes"):
        connection.answer_many([("SELECT", [])])
    assert len(nodes.sent) == 2 * (1 + connection.address.retries + 3)


def test_a_cluster_that_is_away_is_asked_no_more_often_than_before(connection: Connection, nodes: Nodes) -> None:
    nodes.answers = [AWAY] * 100
    with pytest.raises(piql.StoreUnavailable, match="cannot be reached"):
        connection.answer("SELECT", [])
    assert len(nodes.sent) == 1 + connection.address.retries


def test_without_retries_nothing_is_sent_again(nodes: Nodes) -> None:
    connection = Connection(parse_address("cql://a/k?retries=0"))
    nodes.answers = [READ]
    with pytest.raises(piql.StoreUnavailable):
        connection.answer("SELECT", [])
    nodes.answers = [READ]
    with pytest.raises(piql.StoreUnavailable):
        connection.answer_many([("SELECT", [])])
    assert len(nodes.sent) == 2


@pytest.mark.parametrize("failure", [READ, WRITE, PAXOS])
def test_a_conditional_change_is_not_sent_again_before_it_was_looked_for(
    connection: Connection, nodes: Nodes, failure: Exception
) -> None:
    nodes.answers = [failure]
    with pytest.raises(Undecided):
        connection.change_if("UPDATE", [])
    assert nodes.sent == ["UPDATE"]
    nodes.answers = [failure]
    with pytest.raises(Undecided):
        connection.answer("SELECT", [], is_serial=True)
    nodes.answers = [failure]
    assert connection.answer_serially([("BATCH", [])], 1, is_change=True) == [None]


def test_without_an_answer_one_conditional_change_is_undecided_and_many_are_not(
    connection: Connection, nodes: Nodes
) -> None:
    nodes.answers = [OperationTimedOut()]
    with pytest.raises(Undecided, match="did not answer within 30 s") as raised:
        connection.change_if("UPDATE", [])
    assert raised.value.is_silent
    nodes.answers = [OperationTimedOut()]
    with pytest.raises(StoreSilent, match="did not answer within 60 s"):
        connection.answer_serially([("BATCH", [])], 1, is_change=True)


@pytest.mark.parametrize("was_made", [True, False])
def test_a_change_whose_replicas_failed_is_made_once_whether_it_had_been_made_or_not(
    connection: Connection, nodes: Nodes, was_made: bool
) -> None:
    table = piql.compile("CREATE TABLE items (id INT PRIMARY KEY, price INT);").tables["items"]
    records = entries_of(layout_of(table, table.primary_index()))
    there: list[tuple[Any, ...]] = [("w2 w1" if was_made else "w1", 0, 5)]
    nodes.answers = [PAXOS, READ, there]  # the look fails once, too
    is_made, _ = CqlRowWrites(connection).change(records, (1, 5), State.VISIBLE, "w2", "w1")
    assert is_made
    assert [request.split()[0] for request in nodes.sent] == ["UPDATE", "SELECT", "SELECT"] + ["UPDATE"] * (
        not was_made
    )
