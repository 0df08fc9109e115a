"""The requests to the two services, each counted when it is made, with a clock of the paper's seconds.

A server that keeps all messages in order is kinder than SQS may be. With `unkind` messages are sent twice now and then,
come in any order, and half of them later.

Requests made `aside` belong to checkpoints and queues that no transaction waits for: they are counted by themselves,
and no time passes. A request before which a client shall die is not made, and none after it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from piql_profiler.experiments.s3_levels.bill import (
    Tally,
    delete_tally,
    get_tally,
    put_tally,
    receive_tally,
    send_tally,
)

MOST_MESSAGES = 10  # that SQS gives at once; 256 in the paper
_BUCKET = "pages"
_PATIENCE_SECONDS, _MOST_AT_ONCE = 300, 20
_ACCOUNT = "000000000000"
_NOT_MODIFIED = "304"
_DOUBLED = 0.25  # how often an unkind server gets a message twice


class Killed(Exception):
    """The client ends here, before it makes a request."""


class Fetched(NamedTuple):
    """An object and the tag of its version."""

    data: bytes
    tag: str


class Message(NamedTuple):
    """What a queue gave: the text, and the handle that deletes it."""

    handle: str
    body: str


class Connection:
    """The clients of both protocols; several `Services` share one, since to make them takes long."""

    def __init__(self, endpoint: str) -> None:
        from botocore.config import Config  # only these experiments need it
        from botocore.session import get_session

        session = get_session()
        settings = {
            "endpoint_url": endpoint,
            "region_name": "us-east-1",
            "aws_access_key_id": "of-an-experiment",
            "aws_secret_access_key": "of-an-experiment",
            "config": Config(
                retries={"max_attempts": 0}, read_timeout=300, max_pool_connections=20, s3={"addressing_style": "path"}
            ),
        }
        self.endpoint = endpoint
        self.s3: Any = session.create_client("s3", **settings)
        self.sqs: Any = session.create_client("sqs", **settings)
        self.s3.create_bucket(Bucket=_BUCKET)


class Services:
    """A client's way to S3 and SQS, below a prefix; `dies_before` counts down to the request that is not made."""

    def __init__(self, connection: Connection, prefix: str) -> None:
        self.in_transactions = Tally()
        self.aside_of_them = Tally()
        self.dies_before: int | None = None
        self.unkind: random.Random | None = None
        self._connection = connection
        self._prefix = prefix
        self._tally = self.in_transactions

    def now(self) -> float:
        """Return the paper's seconds since the start: those of all requests that a transaction waited for."""
        return self.in_transactions.seconds

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Count the requests of the context as those that no transaction waits for."""
        before, self._tally = self._tally, self.aside_of_them
        try:
            yield
        finally:
            self._tally = before

    def get(self, name: str) -> Fetched:
        """Return an object that is there."""
        self._begin()
        answer = self._connection.s3.get_object(Bucket=_BUCKET, Key=self._key(name))
        fetched = Fetched(answer["Body"].read(), answer["ETag"])
        self._tally.add(get_tally(len(fetched.data)))
        return fetched

    def get_if_changed(self, name: str, tag: str) -> Fetched | None:
        """Return an object, or None where it still has this tag."""
        self._begin()
        try:
            answer = self._connection.s3.get_object(Bucket=_BUCKET, Key=self._key(name), IfNoneMatch=tag)
        except self._connection.s3.exceptions.ClientError as failure:
            if failure.response["Error"]["Code"] != _NOT_MODIFIED:
                raise
            self._tally.add(get_tally(0))
            return None
        fetched = Fetched(answer["Body"].read(), answer["ETag"])
        self._tally.add(get_tally(len(fetched.data)))
        return fetched

    def put(self, name: str, data: bytes) -> str:
        """Put an object, whatever is there; return its tag."""
        self._begin()
        self._tally.add(put_tally(len(data)))
        tag: str = self._connection.s3.put_object(Bucket=_BUCKET, Key=self._key(name), Body=data)["ETag"]
        return tag

    def make_queue(self, queue: str) -> None:
        """Make a queue; what comes with new pages is not in the paper's prices, and not counted."""
        self._connection.sqs.create_queue(QueueName=self._queue(queue))

    def send(self, queue: str, body: str) -> None:
        """Send a message."""
        self._begin()
        self._tally.add(send_tally(len(body)))
        is_doubled = self.unkind is not None and self.unkind.random() < _DOUBLED
        for _ in range(2 if is_doubled else 1):
            self._connection.sqs.send_message(QueueUrl=self._url(queue), MessageBody=body)

    def receive(self, queue: str, most: int, hidden_seconds: int) -> list[Message]:
        """Return messages, which nobody else gets for so many seconds of the server's clock."""
        self._begin()
        answer = self._connection.sqs.receive_message(
            QueueUrl=self._url(queue), MaxNumberOfMessages=most, VisibilityTimeout=hidden_seconds
        )
        messages = [Message(message["ReceiptHandle"], message["Body"]) for message in answer.get("Messages", ())]
        if self.unkind is not None:
            messages = self._some_of(queue, messages, self.unkind)
        self._tally.add(receive_tally(sum(len(message.body) for message in messages)))
        return messages

    def delete(self, queue: str, message: Message) -> None:
        """Delete a message."""
        self._begin()
        self._tally.add(delete_tally())
        self._connection.sqs.delete_message(QueueUrl=self._url(queue), ReceiptHandle=message.handle)

    def give_back(self, queue: str, message: Message) -> None:
        """Let others have a message at once."""
        self._begin()
        self._tally.add(Tally(given_back=1))
        self._make_visible(queue, message)

    def _some_of(self, queue: str, messages: list[Message], chance: random.Random) -> list[Message]:
        """Return some of the messages in another order; the rest comes later."""
        shuffled = chance.sample(messages, len(messages))
        for message in shuffled[: len(messages) // 2]:
            self._make_visible(queue, message)
        return shuffled[len(messages) // 2 :]

    def _make_visible(self, queue: str, message: Message) -> None:
        self._connection.sqs.change_message_visibility(
            QueueUrl=self._url(queue), ReceiptHandle=message.handle, VisibilityTimeout=0
        )

    def _begin(self) -> None:
        if self.dies_before is not None:
            if self.dies_before == 0:
                raise Killed
            self.dies_before -= 1

    def _key(self, name: str) -> str:
        return f"{self._prefix}/{name}"

    def _queue(self, queue: str) -> str:
        return f"{self._prefix}-{queue}"

    def _url(self, queue: str) -> str:
        return f"{self._connection.endpoint}/{_ACCOUNT}/{self._queue(queue)}"
