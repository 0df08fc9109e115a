"""A checkpoint: the log records of a queue go into the pages in the bucket (sections 4.3 and 4.4 of the paper).

    token of the LOCK queue ──▶ log records ──▶ page, read again ──▶ applied ──▶ put ──▶ log records deleted

A client that does not get the token leaves the queue to who has it. A client that was slower than the token's timeout
puts nothing. A killed one leaves log records that are applied again, which changes nothing. A page is put as the log
records leave it: an own update whose log record is withheld would otherwise be applied twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from piql_profiler.experiments.s3_levels.client import Client, lock_of, meta_of, page_queue, tree_queue
from piql_profiler.experiments.s3_levels.pages import LogRecord, log_record
from piql_profiler.experiments.s3_levels.services import MOST_MESSAGES, Message

_PUT_SECONDS = 0.5  # of the server's clock that have to be left of a token


class _Received(NamedTuple):
    message: Message
    record: LogRecord


def checkpoint_page(client: Client, collection: str, name: str) -> None:
    """Apply the updates that wait for a data page."""
    _locked(client, page_queue(name), lambda is_in_time: _update_page(client, collection, name, is_in_time))


def checkpoint_index(client: Client, collection: str) -> None:
    """Apply the inserts that wait for an index."""
    _locked(client, tree_queue(collection), lambda is_in_time: _insert(client, collection, is_in_time))


def _locked(client: Client, queue: str, run: Callable[[Callable[[], bool]], None]) -> None:
    """Run a checkpoint with the token of a queue, if it is there."""
    tokens = client.services.receive(lock_of(queue), 1, client.lock_seconds)
    if not tokens:
        return
    until = time.monotonic() + client.lock_seconds - _PUT_SECONDS
    run(lambda: time.monotonic() < until)
    client.services.give_back(lock_of(queue), tokens[0])


def _update_page(client: Client, collection: str, name: str, is_in_time: Callable[[], bool]) -> None:
    page = client.leaf_in_bucket(name)
    received = _in_order(client, page_queue(name), page.counters)
    if not received:
        return
    moved = []
    for _, record in received:
        if record.client and record.counter <= page.counters.get(record.client, 0):
            continue  # it is there already, and only its message is left
        if page.has_room_for(record.key):
            page.records[record.key] = record.payload
        else:
            moved.append(record)
        _count(page.counters, record)
    page.checkpointed = client.services.now()
    if not is_in_time():
        return
    for record in moved:  # the page was split: these belong to a page on the right
        client.services.send(page_queue(client.leaf_of(collection, record.key)[0]), record.text())
    client.put_leaf(collection, name, page)
    for message, _ in received:
        client.services.delete(page_queue(name), message)
    client.forget_pending(page_queue(name), page.counters)


def _insert(client: Client, collection: str, is_in_time: Callable[[], bool]) -> None:
    queue = tree_queue(collection)
    meta = client.meta(collection, must_be_fresh=client.is_monotonic)
    received = _in_order(client, queue, meta.counters)
    left = sorted(received, key=lambda entry: entry.record.key)
    while left:
        name = client.leaf_of(collection, left[0].record.key)[0]
        leaf = client.leaf_in_bucket(name)
        here = [entry for entry in left if client.leaf_of(collection, entry.record.key)[0] == name]
        for _, record in here:
            leaf.records.setdefault(record.key, record.payload)
            _count(meta.counters, record)
        if not is_in_time():
            return
        client.put_leaf(collection, name, leaf)
        left = [entry for entry in left if entry not in here]
    meta.checkpointed = client.services.now()
    client.put(meta_of(collection), meta)
    for message, _ in received:  # not before they are counted: those after them would wait for them
        client.services.delete(queue, message)
    client.forget_pending(queue, meta.counters)


def _received(client: Client, queue: str) -> list[_Received]:
    """Return all log records that a queue gives now."""
    received: list[_Received] = []
    while True:
        messages = client.services.receive(queue, MOST_MESSAGES, client.lock_seconds)
        received += [_Received(message, log_record(message.body)) for message in messages]
        if len(messages) < MOST_MESSAGES:
            return received


def _in_order(client: Client, queue: str, counters: dict[str, int]) -> list[_Received]:
    """Return the log records to apply or only to delete: from monotonicity on by client, up to the first gap.

    Those behind a gap go back to the queue, until the one that is missing has come.
    """
    received = _received(client, queue)
    if not client.is_monotonic:
        return received
    following = dict(counters)
    taken = []
    for entry in sorted(received, key=lambda entry: (entry.record.client, entry.record.counter)):
        through = following.get(entry.record.client, 0)
        if entry.record.counter <= through + 1:
            following[entry.record.client] = max(through, entry.record.counter)
            taken.append(entry)
        else:
            client.services.give_back(queue, entry.message)
    return taken


def _count(counters: dict[str, int], record: LogRecord) -> None:
    if record.client:
        counters[record.client] = max(counters.get(record.client, 0), record.counter)
