"""How requests wait at the gate, and which node is asked last."""

from __future__ import annotations

import random
from types import SimpleNamespace
from uuid import uuid4

import pytest
from cassandra.connection import DefaultEndPoint
from cassandra.metadata import Murmur3Token
from cassandra.policies import SimpleConvictionPolicy
from cassandra.pool import Host
from cassandra.query import BoundStatement, PreparedStatement
from piql.store.cql.session.gate import Gate
from piql.store.cql.session.routing import Routing
from piql.store.cql.session.silent_nodes import SilentNodes


def test_no_more_requests_are_under_way_than_the_gate_is_wide() -> None:
    gate, sent = Gate(2), list[int]()
    for number in range(5):
        gate.enter(lambda number=number: sent.append(number))  # type: ignore[misc]
    assert (sent, gate.under_way) == ([0, 1], 2)
    gate.leave()
    assert sent == [0, 1, 2]
    gate.widen(4)
    gate.leave()
    assert (sent, gate.under_way) == ([0, 1, 2, 3, 4], 3)


def test_thousands_that_wait_and_leave_at_once_do_not_pile_up() -> None:
    gate, sent = Gate(1), list[int]()
    gate.enter(lambda: None)

    def send(number: int) -> None:
        sent.append(number)
        gate.leave()  # as a request does whose call is over

    for number in range(20_000):
        gate.enter(lambda number=number: send(number))  # type: ignore[misc]
    gate.leave()
    assert (len(sent), gate.under_way) == (20_000, 0)


class Future:
    def __init__(self, asked: list[str], by: str) -> None:
        self.attempted_hosts, self.coordinator_host = asked, by


@pytest.fixture
def routing() -> Routing:
    return Routing(None, 10, Gate(30), SilentNodes(0.1))


def test_the_nodes_that_were_asked_before_the_one_that_answered_are_silent(routing: Routing) -> None:
    routing.answered(Future(["a"], "a"))
    routing.answered(Future(["b", "a", "c"], "b"))
    assert not routing.silent
    routing.answered(Future(["a", "b", "c"], "c"))
    assert [node in routing.silent for node in "abc"] == [True, True, False]


def up() -> list[Host]:
    """Return three nodes of one datacenter, "here", that are up."""
    hosts = [Host(DefaultEndPoint(f"127.0.0.{at}"), SimpleConvictionPolicy, host_id=uuid4()) for at in (1, 2, 3)]
    for host in hosts:
        host.set_location_info("here", "rack")
        host.set_up()
    return hosts


def routed(hosts: list[Host], gate: Gate) -> tuple[Routing, BoundStatement]:
    """Return the routing among nodes that all have the key of a statement, and the statement."""
    metadata = SimpleNamespace(
        token_map=SimpleNamespace(token_class=Murmur3Token),
        _tablets=SimpleNamespace(get_tablet_for_key=lambda *_: None),
        keyspaces={},
        get_replicas=lambda *_: hosts,  # the driver gives the list that it keeps
    )
    routing = Routing("here", 10, gate, SilentNodes(0.1))
    routing.populate(SimpleNamespace(metadata=metadata, endpoints_resolved=[]), hosts)
    prepared = PreparedStatement(None, b"", [0], "", "k", 4, [], None)
    prepared.is_idempotent = True
    query = BoundStatement(prepared)
    query._routing_key = b"key"
    return routing, query


def test_of_full_nodes_the_one_with_the_fewest_requests_comes_first_and_a_silent_one_last() -> None:
    hosts, gate = up(), Gate(30)
    for _ in range(25):
        gate.try_enter()
    routing, query = routed(hosts, gate)
    in_flights = dict(zip(hosts, ([9, 4], [10, 1], [0]), strict=True))
    state = {host: {"in_flights": requests} for host, requests in in_flights.items()}
    routing.session = SimpleNamespace(get_pool_state=lambda: state)  # type: ignore[assignment]
    routing.silent.note(hosts[2])
    plans = {tuple(hosts.index(host) for host in routing.make_query_plan("k", query)) for _ in range(40)}
    assert plans == {(1, 0, 2)}


def test_a_request_is_sent_to_every_node_once_though_others_are_planned_meanwhile() -> None:
    """The copies of a request follow hundreds of milliseconds after it; a plan is read on only then."""
    hosts = up()
    routing, query = routed(hosts, Gate(30))
    chance = random.Random(1)
    plans = [iter(routing.make_query_plan("k", query)) for _ in range(40)]
    asked: list[list[Host]] = [[] for _ in plans]
    for at in chance.sample([at for at in range(len(plans)) for _ in hosts], len(plans) * len(hosts)):
        asked[at].append(next(plans[at]))
    assert {len(set(attempt)) for attempt in asked} == {len(hosts)}
    assert len({tuple(attempt) for attempt in asked}) > 1
