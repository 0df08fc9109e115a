"""How a client commits, by level (sections 4, 5.1 and 6.1 of the paper).

naive         puts each page that it has changed, over what others may have put since
basic         sends each log record to the queue of its page or index
monotonicity  the same, and each log record has a counter
atomicity     sends all log records to the client's ATOMIC queue first, packed, and a commit record last; from then on
              the transaction is done, and the queues of pages and indexes follow

After that a client checkpoints what was not for longer than its interval, aside of its transactions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from secrets import token_hex

from piql_profiler.experiments.s3_levels.checkpoints import checkpoint_index, checkpoint_page
from piql_profiler.experiments.s3_levels.client import Client, tree_queue
from piql_profiler.experiments.s3_levels.pages import LogRecord, log_record
from piql_profiler.experiments.s3_levels.services import MOST_MESSAGES, Message

MESSAGE_BYTES = 8_000  # of the HTTP interface, in the paper


def commit(client: Client) -> None:
    """Commit the transaction of a client; what it does after the commit is not part of the transaction."""
    if client.level == "naive":
        for name, leaf in client.changed():
            client.put_leaf(name.partition("-")[0], name, leaf)
        client.end_transaction()
        return
    log = client.log
    if client.level != "atomicity":
        for record in log:
            client.services.send(record.queue, record.text())
        client.end_transaction()
        with client.services.aside():
            checkpoint_due(client, log)
        return
    messages = packed(log)
    for message in messages:
        client.services.send(atomic_queue(client.name), message)
    client.services.send(atomic_queue(client.name), _commit_record(log))
    client.end_transaction()
    with client.services.aside():
        for record in log:
            client.services.send(record.queue, record.text())
        _forget_propagated(client)
        checkpoint_due(client, log)


def recover(client: Client) -> list[int]:
    """Finish what a client of this name has committed and not propagated; return the numbers of those commits.

    Log records without a commit record are deleted: that transaction never was. So the queue is asked until it gives
    nothing more: a commit record may come later than its log records. From then on the client is a writer of its own.
    """
    client.writer = f"{client.name}.{token_hex(4)}"
    return _propagate(client)


def checkpoint_due(client: Client, log: Sequence[LogRecord]) -> None:
    """Checkpoint each page and index of a transaction whose last checkpoint is longer ago than the interval."""
    for record in {record.queue: record for record in log}.values():
        if record.kind == "insert":
            since = client.meta(record.collection).checkpointed
        else:
            since = client.leaf(_page_of(record)).checkpointed
        if abs(client.services.now() - since) > client.interval:
            checkpoint(client, record)


def checkpoint(client: Client, record: LogRecord) -> None:
    """Checkpoint the page or index where a log record belongs."""
    if record.queue == tree_queue(record.collection):
        checkpoint_index(client, record.collection)
    else:
        checkpoint_page(client, record.collection, _page_of(record))


def packed(log: Sequence[LogRecord]) -> list[str]:
    """Return log records as few messages."""
    messages: list[list[str]] = [[]]
    size = 0
    for record in log:
        text = record.text()
        if messages[-1] and size + len(text) > MESSAGE_BYTES:
            messages.append([])
            size = 0
        messages[-1].append(text)
        size += len(text)
    return [json.dumps({"commit": log[0].commit, "records": texts}) for texts in messages if texts]


def atomic_queue(client: str) -> str:
    """Return the name of a client's ATOMIC queue."""
    return f"atomic-{client}"


def _commit_record(log: Sequence[LogRecord]) -> str:
    return json.dumps({"commit": log[0].commit, "of": len(log)})


def _forget_propagated(client: Client) -> None:
    """Delete what the ATOMIC queue gives of commits whose log records were sent on; what it withholds comes again."""
    queue = atomic_queue(client.name)
    messages = [(message, json.loads(message.body)) for message in _received(client, queue)]
    for message, content in sorted(messages, key=lambda entry: "records" not in entry[1]):  # commit records last
        if content["commit"] <= client.commits:
            client.services.delete(queue, message)


def _propagate(client: Client) -> list[int]:
    """Send on the log records of all commits in the ATOMIC queue; delete those of others, and commit records last."""
    queue = atomic_queue(client.name)
    packs: list[tuple[Message, int, list[str]]] = []
    commits: dict[int, Message] = {}
    for message in _received(client, queue, until_empty=True):
        content = json.loads(message.body)
        if "records" in content:
            packs.append((message, content["commit"], content["records"]))
        else:
            commits[content["commit"]] = message
    for message, number, texts in packs:
        for text in texts if number in commits else ():
            client.services.send(log_record(text).queue, text)
        client.services.delete(queue, message)
    for message in commits.values():
        client.services.delete(queue, message)
    return list(commits)


def _received(client: Client, queue: str, *, until_empty: bool = False) -> Iterator[Message]:
    """Receive all messages of a queue that only this client reads, where it withholds some: until it is empty."""
    while True:
        messages = client.services.receive(queue, MOST_MESSAGES, client.lock_seconds)
        yield from messages
        if not messages or (len(messages) < MOST_MESSAGES and not until_empty):
            return


def _page_of(record: LogRecord) -> str:
    return record.queue.removeprefix("page-")
