"""The protocols on S3 and SQS, over the wire: requests are counted exactly, and no level shows what it excludes."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import pytest
from piql_profiler.experiments.s3_levels.bill import IMPLIED, STATED, Tally, get_tally, put_tally
from piql_profiler.experiments.s3_levels.bookstore import order
from piql_profiler.experiments.s3_levels.client import LEVELS, Client, Level
from piql_profiler.experiments.s3_levels.commits import atomic_queue, checkpoint, commit, packed, recover
from piql_profiler.experiments.s3_levels.database import load, new_client, stored
from piql_profiler.experiments.s3_levels.kills import kill_before_each_request
from piql_profiler.experiments.s3_levels.pages import LogRecord
from piql_profiler.experiments.s3_levels.server import running
from piql_profiler.experiments.s3_levels.services import Connection, Killed, Services

ITEMS = [f"item{at}" for at in range(6)]
RECORDS = {"customer": {"ada": "{}"}, "item": dict.fromkeys(ITEMS, '{"i_stock": 9}'), "orders": {}, "order_line": {}}
NUMBERS = count()
NAMES = ("gets", "puts", "sends", "receives", "deletes", "given_back")


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    with running() as endpoint:
        yield Connection(endpoint)


@pytest.fixture
def prefix(connection: Connection) -> str:
    name = f"t{next(NUMBERS)}"
    load(Services(connection, name), RECORDS)
    return name


def shopper(connection: Connection, prefix: str, level: Level, interval: float = -1.0) -> Client:
    """Return a client in the middle of a transaction; with the usual interval a checkpoint is always due."""
    client = new_client(Services(connection, prefix), "one", level=level, interval=interval)
    order(client, ["ada"], ITEMS, random.Random(1))
    return client


def counted(tally: Tally) -> tuple[int, ...]:
    return tuple(getattr(tally, name) for name in NAMES)


# The transaction reads four inner nodes and their one page each; then the commit.
COMMITS = {
    "naive": ((8, 3, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0)),
    # A checkpoint of a data page: token, page, messages, page again, a deletion a message. Of an index also its meta.
    "basic": ((8, 0, 7, 0, 0, 0), (1 + 2 + 2, 1 + 2 + 2, 0, 2 + 2 + 2, 3 + 1 + 3, 3)),
    # From here on it reads the meta of an index again, with what others have counted.
    "monotonicity": ((8, 0, 7, 0, 0, 0), (5 + 2, 5, 0, 6, 7, 3)),
    # One message with all log records and the commit record; aside of it seven go on, and both are deleted.
    "atomicity": ((8, 0, 2, 0, 0, 0), (7, 5, 7, 1 + 6, 2 + 7, 3)),
}


@pytest.mark.parametrize("level", LEVELS)
def test_the_requests_of_a_transaction_and_of_its_checkpoints_are_these(
    connection: Connection, prefix: str, level: Level
) -> None:
    client = shopper(connection, prefix, level)
    log = list(client.log)
    commit(client)
    services = client.services
    assert (counted(services.in_transactions), counted(services.aside_of_them)) == COMMITS[level]
    bucket = {collection: stored(Services(connection, prefix), collection) for collection in RECORDS}
    assert len(log) == 7
    assert all(bucket[record.collection][record.key] == record.payload for record in log)


@pytest.mark.parametrize("level", ["basic", "atomicity"])
def test_without_a_checkpoint_an_update_waits_in_its_queue(connection: Connection, prefix: str, level: Level) -> None:
    client = shopper(connection, prefix, level, interval=float("inf"))
    commit(client)
    assert counted(client.services.aside_of_them)[:2] == (2, 0)  # it looked when the two indexes were checkpointed last
    assert stored(Services(connection, prefix), "orders") == {}


def test_one_client_overwrites_another_only_where_pages_are_put_as_they_are(connection: Connection) -> None:
    lost = {}
    for level in LEVELS:
        prefix = f"pair{next(NUMBERS)}"
        load(Services(connection, prefix), RECORDS)
        clients = [new_client(Services(connection, prefix), name, level=level, interval=-1.0) for name in "ab"]
        for client, item in zip(clients, ITEMS, strict=False):
            client.update("item", item, client.name)
        for client in clients:
            commit(client)
        items = stored(Services(connection, prefix), "item")
        lost[level] = [items[ITEMS[0]], items[ITEMS[1]]] != ["a", "b"]
    assert lost == {"naive": True, "basic": False, "monotonicity": False, "atomicity": False}


@pytest.mark.parametrize(
    ("sent", "is_committed"), [(1, False), (2, True)], ids=["without its commit record", "with it"]
)
def test_a_client_that_starts_again_finishes_what_it_committed_and_nothing_else(
    connection: Connection, prefix: str, sent: int, is_committed: bool
) -> None:
    client = shopper(connection, prefix, "atomicity")
    client.services.dies_before = sent
    with pytest.raises(Killed):
        commit(client)
    again = new_client(Services(connection, prefix), "one", level="atomicity")
    assert recover(again) == ([1] if is_committed else [])
    assert again.services.in_transactions.sends == (7 if is_committed else 0)
    assert again.services.receive(atomic_queue("one"), 10, 0) == []


def test_what_a_client_writes_after_it_started_again_is_no_repetition(connection: Connection, prefix: str) -> None:
    for payload in ("before", "after"):
        client = new_client(Services(connection, prefix), "one", level="atomicity", interval=-1.0)
        recover(client)
        client.update("item", ITEMS[0], payload)
        commit(client)
        assert client.read("item", ITEMS[0]) == payload
        assert stored(Services(connection, prefix), "item")[ITEMS[0]] == payload


@pytest.mark.parametrize("level", ["monotonicity", "atomicity"])
def test_the_last_update_stays_where_messages_come_twice_late_and_turned(
    connection: Connection, prefix: str, level: Level
) -> None:
    client = new_client(Services(connection, prefix), "one", level=level, interval=float("inf"))
    client.services.unkind = random.Random(1)
    for payload in ("first", "second", "third"):
        client.update("item", ITEMS[0], payload)
        log = list(client.log)
        commit(client)
    for _ in range(8):
        checkpoint(client, log[0])
    assert stored(Services(connection, prefix), "item")[ITEMS[0]] == "third"


def test_a_page_that_is_full_becomes_two_and_all_find_their_way(connection: Connection, prefix: str) -> None:
    client = new_client(Services(connection, prefix), "one", level="monotonicity", interval=-1.0)
    payload = "x" * 9_000
    late = new_client(Services(connection, prefix), "late", level="basic")
    assert late.read("orders", "key05") is None  # it keeps the root as it was
    for number in range(14):
        client.insert("orders", f"key{number:02}", payload)
        commit(client)
    assert len(client.root("orders").leaves) == 2
    assert set(stored(Services(connection, prefix), "orders")) == {f"key{number:02}" for number in range(14)}
    other = new_client(Services(connection, prefix), "two", level="basic")
    assert all(other.read("orders", f"key{number:02}") == payload for number in range(14))
    left = late.page("orders-0", must_be_fresh=True)
    assert late.root("orders").leaves == ["orders-0"]
    assert late.read("orders", "key13") == payload
    assert len(left.records) < 14  # type: ignore[union-attr]


def test_a_gap_in_a_clients_updates_waits_for_what_is_missing(connection: Connection, prefix: str) -> None:
    client = new_client(Services(connection, prefix), "one", level="monotonicity", interval=float("inf"))
    client.update("item", ITEMS[0], "first")
    first = client.log[0]
    client.log = []  # its message comes later
    client.update("item", ITEMS[0], "second")
    commit(client)
    other = new_client(Services(connection, prefix), "two", level="monotonicity", interval=-1.0)
    other.log = [first]
    commit(other)  # sends the first one, and checkpoints both
    assert stored(Services(connection, prefix), "item")[ITEMS[0]] == "second"


def test_a_checkpoint_puts_what_its_messages_say_and_not_what_its_client_keeps(
    connection: Connection, prefix: str
) -> None:
    client = new_client(Services(connection, prefix), "one", level="monotonicity", interval=-1.0)
    for item in ITEMS[:2]:
        client.update("item", item, "new")
    withheld = client.log.pop()
    commit(client)
    items = stored(Services(connection, prefix), "item")
    assert (items[ITEMS[0]], items[ITEMS[1]]) == ("new", RECORDS["item"][ITEMS[1]])
    assert client.read("item", ITEMS[1]) == "new"  # the client itself goes on seeing it
    client.log = [withheld]
    commit(client)
    assert stored(Services(connection, prefix), "item")[ITEMS[1]] == "new"


def test_a_client_killed_while_it_checkpoints_an_index_leaves_no_gap(connection: Connection) -> None:
    left: list[tuple[str, LogRecord]] = []
    for before in range(1, 12):
        prefix = f"gap{before}"
        load(Services(connection, prefix), RECORDS)
        client = new_client(Services(connection, prefix), "one", level="monotonicity", interval=-1.0, lock_seconds=1)
        client.insert("orders", "first", "")
        client.insert("orders", "second", "")
        withheld = client.log.pop()
        client.services.dies_before = before
        try:
            commit(client)
        except Killed:
            left.append((prefix, withheld))
    assert len(left) >= 6
    time.sleep(1.1)  # until what the killed clients had received is there again
    for prefix, withheld in left:
        Services(connection, prefix).send(withheld.queue, withheld.text())
        checkpoint(new_client(Services(connection, prefix), "two", level="monotonicity"), withheld)
        assert set(stored(Services(connection, prefix), "orders")) == {"first", "second"}, prefix


def test_what_one_client_has_counted_in_an_index_another_does_not_take_back(
    connection: Connection, prefix: str
) -> None:
    one, two = (new_client(Services(connection, prefix), name, level="monotonicity") for name in ("one", "two"))
    assert two.meta("orders").counters == {}  # it keeps what the index was like before
    for client, key in ((one, "a"), (two, "b"), (one, "c")):
        client.interval = float("inf") if key == "c" else -1.0
        client.insert("orders", key, "")
        log = list(client.log)
        commit(client)
    checkpoint(new_client(Services(connection, prefix), "three", level="monotonicity"), log[0])
    assert set(stored(Services(connection, prefix), "orders")) == {"a", "b", "c"}


def test_a_client_that_starts_again_waits_for_a_commit_record_that_comes_late(connection: Connection) -> None:
    for seed in range(6):
        prefix = f"late{seed}"
        load(Services(connection, prefix), RECORDS)
        client = shopper(connection, prefix, "atomicity")
        client.services.dies_before = 2  # both messages of the commit have left
        with pytest.raises(Killed):
            commit(client)
        again = new_client(Services(connection, prefix), "one", level="atomicity")
        again.services.unkind = random.Random(seed)
        assert recover(again) == [1]
        assert again.services.in_transactions.sends == 7


def test_no_kill_loses_tears_or_repeats_an_update_where_messages_come_twice_late_and_turned(
    connection: Connection,
) -> None:
    records = {**RECORDS, "item": dict.fromkeys((*ITEMS, "item6"), '{"i_stock": 9}')}
    kills = kill_before_each_request(connection, "atomicity", records, every=9, faulty=1)
    assert kills.kills >= 4
    assert kills.acknowledged > 0
    assert (kills.lost, kills.torn, kills.twice) == (0, 0, 0)


def test_a_client_sees_its_own_updates_before_they_are_in_a_page(connection: Connection, prefix: str) -> None:
    seen = {}
    for level in ("basic", "monotonicity"):
        client = new_client(Services(connection, prefix), level, level=level, interval=float("inf"))
        client.update("item", ITEMS[0], level)
        client.insert("orders", level, "own")
        commit(client)
        other = new_client(Services(connection, prefix), f"other-{level}", level="naive")
        other.update("item", ITEMS[1], level)
        other.insert("orders", f"other-{level}", "")
        commit(other)  # both pages are other ones now
        client.services.in_transactions.seconds += 101.0  # and what the client keeps is old
        seen[level] = (client.read("item", ITEMS[0]) == level, client.read("orders", level) == "own")
    assert seen == {"basic": (False, False), "monotonicity": (True, True)}


def test_the_bill_is_the_papers() -> None:
    assert get_tally(100_000).seconds == 0.45
    assert put_tally(100_000).seconds == pytest.approx(1.35)
    assert get_tally(5_000).seconds == 0.14
    tally = Tally(gets=10_000, puts=1_000, sends=1_000, receives=500, deletes=500, bytes=10**9)
    assert STATED.dollars(tally) == pytest.approx(0.01 + 0.01 + 0.01 + 0.18)
    assert IMPLIED.dollars(tally) == pytest.approx(0.01 + 0.01 + 0.10 + 0.10 + 0.18)
    assert replace(tally).since(tally).requests == 0


def test_log_records_are_packed_up_to_the_size_of_a_message(connection: Connection, prefix: str) -> None:
    client = new_client(Services(connection, prefix), "one", level="atomicity")
    for number in range(9):
        client.insert("orders", f"key{number}", "x" * 1_500)
    assert [len(message) <= 9_000 for message in packed(client.log)] == [True, True, True]
