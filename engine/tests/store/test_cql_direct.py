"""Reads on the driver's own connections: the frames, and what happens to a request that gets no rows."""

import threading
from collections.abc import Callable
from datetime import date
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from cassandra.connection import ConnectionShutdown
from cassandra.cqltypes import DateType, Int32Type, SimpleDateType, TimeType, TimeUUIDType, UTF8Type, UUIDType
from cassandra.protocol import ExecuteMessage, ReadTimeoutErrorMessage, ResultMessage
from piql.errors import StoreUnavailable
from piql.schema.values import in_time_order
from piql.store.cql.address import parse_address
from piql.store.cql.reads.grouping import Sent
from piql.store.cql.session.direct import Direct
from piql.store.cql.session.frames import Execute, decode, encode
from piql.store.cql.session.gate import Gate
from piql.store.cql.session.protocol import StoredProtocol
from piql.store.cql.session.routing import Routing
from piql.store.cql.session.silent_nodes import SilentNodes

METADATA = [("k", "users", "name", UTF8Type), ("k", "users", "age", Int32Type), ("k", "users", "id", UUIDType)]
PREPARED = SimpleNamespace(query_id=b"0123456789abcdef", result_metadata=METADATA, result_metadata_id=None)
PLAIN = SimpleNamespace(use_metadata_id=False, tablets_routing_v2=False, tablets_routing_v1=False)
EVENT = UUID("123e4567-e89b-12d3-a456-426614174000")
TIMEOUT = ReadTimeoutErrorMessage(0x1200, "too late", {})


def answer_frame(*rows: tuple[bytes | None, ...], flags: int = 4) -> bytes:
    cells = b"".join(
        (-1).to_bytes(4, "big", signed=True) if cell is None else len(cell).to_bytes(4, "big") + cell
        for row in rows
        for cell in row
    )
    return b"".join(number.to_bytes(4, "big") for number in (2, flags, 3, len(rows))) + cells


def read(body: bytes, flags: int = 0) -> Any:
    return decode(4, PLAIN, {}, 1, flags, ResultMessage.opcode, body, None, Execute.of(PREPARED, 6))


def test_a_frame_is_that_of_the_driver_but_asks_for_no_description_of_the_columns() -> None:
    values = [b"ada", None, b""]
    frame = encode((Execute.of(PREPARED, 6), values), 77, 4, None, False, PLAIN)
    by_driver = StoredProtocol.encode_message(ExecuteMessage(PREPARED.query_id, values, 6), 77, 4, None, False, PLAIN)
    assert frame[29] == by_driver[29] | 0x02
    assert frame[:29] + by_driver[29:30] + frame[30:] == by_driver


def test_a_connection_with_extensions_gets_the_frames_of_the_driver() -> None:
    extended = SimpleNamespace(use_metadata_id=True, tablets_routing_v2=True)
    frame = encode((Execute.of(PREPARED, 6), [b"ada"]), 77, 4, None, False, extended)
    by_driver = StoredProtocol.encode_message(
        ExecuteMessage(PREPARED.query_id, [b"ada"], 6), 77, 4, None, False, extended
    )
    assert frame == by_driver


def test_rows_come_as_stored_values() -> None:
    assert read(answer_frame((b"ada", b"\x00\x00\x00\x07", b"i" * 16), (None, None, None))) == [
        ("ada", 7, b"i" * 16),
        (None, None, None),
    ]


@pytest.mark.parametrize(
    ("of", "sent", "stored"),
    [
        (DateType, b"\x00" * 7 + b"\x09", 9),
        (TimeType, b"\x00" * 7 + b"\x09", 9),
        (SimpleDateType, b"\x80\x00\x00\x00", date(1970, 1, 1).toordinal()),
        (UUIDType, b"i" * 16, b"i" * 16),
        (TimeUUIDType, EVENT.bytes, in_time_order(EVENT.bytes)),
    ],
)
def test_a_value_that_the_driver_would_give_in_another_form_comes_as_it_is_stored(
    of: Any, sent: bytes, stored: object
) -> None:
    metadata = [METADATA[0], METADATA[1], ("k", "users", "value", of)]
    prepared = SimpleNamespace(query_id=b"0123456789abcdef", result_metadata=metadata, result_metadata_id=None)
    frame = answer_frame((b"ada", b"\x00\x00\x00\x07", sent))
    result = decode(4, PLAIN, {}, 1, 0, ResultMessage.opcode, frame, None, Execute.of(prepared, 6))
    assert result == [("ada", 7, stored)]


def test_an_answer_that_has_more_pages_is_no_list_of_rows() -> None:
    numbers = (2, 6, 3, 1, ord("s") << 24)
    answer = read(b"".join(number.to_bytes(4, "big") for number in numbers) + bytes(1))
    assert isinstance(answer, ResultMessage)
    assert answer.paging_state == b"s"


class Host:
    is_up = True
    sharding_info = None


class Pool:
    """One host's connection, which answers as a test says: with what `replies` gives for a request, or not at all."""

    is_shutdown = False

    def __init__(self, host: Any, replies: Callable[[Any], Any]) -> None:
        self.host, self.replies = host, replies
        self.lock = threading.Lock()
        self.in_flight = 0
        self.orphaned_request_ids: set[int] = set()
        self.orphaned_threshold, self.orphaned_threshold_reached = 3, False
        self.request_ids: list[int] = []
        self._requests: dict[int, Any] = {}
        self.sent: list[Any] = []

    def borrow_connection(self, **_: Any) -> tuple["Pool", int]:
        self.in_flight += 1
        return self, len(self.sent)

    def return_connection(self, connection: "Pool", stream_was_orphaned: bool = False) -> None:
        self.in_flight -= not stream_was_orphaned

    def send_msg(self, message: Any, stream: int, done: Callable[[Any], None], *_: Any) -> None:
        self.sent.append(message[1])
        self._requests[stream] = done
        response = self.replies(message[1])
        if isinstance(response, OSError):
            raise response
        if response is not None:
            threading.Timer(0.01, lambda: self._requests.pop(stream)(response)).start()


class Ordinary:
    """A connection whose ordinary way answers each request with a row that says so, or fails."""

    def __init__(self, replies: dict[str, Callable[[Any], Any]], fails: bool = False) -> None:
        self.address = parse_address("cql://a,b/k?speculative=60")
        pools = [Pool(Host(), reply) for reply in replies.values()]
        self.pools = {pool.host: pool for pool in pools}
        token_map = SimpleNamespace(ring=[1], get_replicas=lambda *_: list(self.pools))
        metadata = SimpleNamespace(token_map=token_map, can_support_partitioner=lambda: True)
        self.session = SimpleNamespace(_pools=self.pools, cluster=SimpleNamespace(metadata=metadata))
        self.asked: list[Any] = []
        self.silent = SilentNodes(self.address.speculative / 1000)
        self.routing = Routing(None, self.address.in_flight, Gate(self.address.in_flight), self.silent)
        self.fails = fails

    def prepared(self, cql: str) -> Any:
        return PREPARED

    def level(self, consistency: object) -> int:
        return 6

    def answer(self, cql: str, values: Any, consistency: object) -> list[Any]:
        return self.answer_many([(cql, values)], consistency)[0]

    def answer_many(self, requests: Any, consistency: object) -> list[list[Any]]:
        self.asked += [values for _, values in requests]
        if self.fails:
            raise StoreUnavailable("the ordinary way failed")
        return [[("ordinary", *values)] for _, values in requests]


def sent(*names: bytes) -> list[Sent]:
    return [Sent("SELECT", [name], name, None, None, {b"": (at,)}) for at, name in enumerate(names)]


def direct(connection: Ordinary) -> Direct:
    return Direct(connection)  # type: ignore[arg-type]


def rows_of(values: list[bytes]) -> list[Any]:
    return [("direct", values[0])]


def never(values: Any) -> None:
    return None


def test_rows_are_taken_as_they_come() -> None:
    connection = Ordinary({"a": rows_of})
    assert direct(connection).answer_many(sent(b"x", b"y"), None) == [[("direct", b"x")], [("direct", b"y")]]
    assert connection.asked == []


@pytest.mark.parametrize("trouble", [TIMEOUT, ConnectionShutdown("cut"), OSError("gone")])
def test_a_request_in_trouble_goes_the_ordinary_way_and_the_others_keep_their_rows(trouble: Exception) -> None:
    connection = Ordinary({"a": lambda values: trouble if values == [b"y"] else rows_of(values)})
    answers = direct(connection).answer_many(sent(b"x", b"y", b"z"), None)
    assert answers == [[("direct", b"x")], [("ordinary", b"y")], [("direct", b"z")]]
    (pool,) = connection.pools.values()
    assert pool.in_flight == 0


def test_a_request_without_an_answer_goes_the_ordinary_way_and_its_stream_is_not_used_again() -> None:
    connection = Ordinary({"a": lambda values: None if values == [b"y"] else rows_of(values)})
    answers = direct(connection).answer_many(sent(b"x", b"y"), None)
    assert answers == [[("direct", b"x")], [("ordinary", b"y")]]
    (pool,) = connection.pools.values()
    assert pool.orphaned_request_ids == {1}
    assert not pool._requests
    assert pool.host in connection.silent  # and the ordinary way asks it last, too


def test_a_call_fails_when_one_of_its_requests_does() -> None:
    connection = Ordinary({"a": lambda values: TIMEOUT if values == [b"y"] else rows_of(values)}, fails=True)
    with pytest.raises(StoreUnavailable, match="the ordinary way failed"):
        direct(connection).answer_many(sent(b"x", b"y"), None)


def test_a_node_that_did_not_answer_is_left_alone_until_it_does() -> None:
    connection = Ordinary({"a": never, "b": rows_of})
    reads = direct(connection)
    while not connection.asked:  # each node in turn
        reads.answer(sent(b"x")[0], None)
    assert [reads.answer(sent(b"x")[0], None) for _ in range(4)] == [[("direct", b"x")]] * 4
    assert connection.asked == [[b"x"]]


def test_no_more_requests_are_under_way_on_a_node_than_the_address_says() -> None:
    connection = Ordinary({"a": rows_of})
    (pool,) = connection.pools.values()
    pool.in_flight = connection.address.in_flight
    assert direct(connection).answer(sent(b"x")[0], None) == [("ordinary", b"x")]
    assert pool.sent == []


def test_a_request_has_a_place_among_those_under_way_until_it_ends() -> None:
    connection = Ordinary({"a": lambda values: None if values == [b"late"] else rows_of(values)})
    gate = connection.routing.gate
    assert direct(connection).answer_many(sent(b"x", b"late", b"y"), None)[1] == [("ordinary", b"late")]
    assert gate.under_way == 0
    while gate.try_enter():
        continue
    assert direct(connection).answer(sent(b"x")[0], None) == [("ordinary", b"x")]
