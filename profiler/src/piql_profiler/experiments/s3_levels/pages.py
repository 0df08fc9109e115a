"""What lies in the bucket and in the queues, as JSON: a page has a fixed size, and is filled up with blanks.

root of an index    the first key and the name of each leaf
meta of an index    when its queue was emptied last, and the counters of clients
leaf, a data page   records by key, its right neighbour, when it was checkpointed, and the counters of clients
log record          one insert or update, as a message
"""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import asdict, dataclass, field
from typing import Literal, TypeAlias

PAGE_BYTES, NODE_BYTES = 100_000, 57_000  # section 6.1


@dataclass(slots=True)
class Root:
    """The inner node of an index: `firsts[i]` is the least key of the leaf `leaves[i]`."""

    firsts: list[str]
    leaves: list[str]

    def leaf_of(self, key: str) -> str:
        """Return the name of the leaf where a key belongs."""
        return self.leaves[max(0, bisect_right(self.firsts, key) - 1)]

    def put_in(self, first: str, leaf: str) -> None:
        """Add a leaf."""
        at = bisect_right(self.firsts, first)
        self.firsts.insert(at, first)
        self.leaves.insert(at, leaf)


@dataclass(slots=True)
class Meta:
    """When the queue of an index was emptied last, and up to which of its records, by client."""

    checkpointed: float = 0.0
    counters: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Leaf:
    """A data page; keys from `high` on are in the page `right`."""

    records: dict[str, str]
    high: str | None = None
    right: str | None = None
    checkpointed: float = 0.0
    counters: dict[str, int] = field(default_factory=dict)

    def has_room_for(self, key: str) -> bool:
        """Return whether a key belongs here, and not to a page on the right."""
        return self.high is None or key < self.high


Page: TypeAlias = Root | Meta | Leaf


@dataclass(frozen=True, slots=True)
class LogRecord:
    """A change that can be applied again: `counter` counts the changes of a client in a queue, from 1."""

    kind: Literal["insert", "update"]
    collection: str
    key: str
    payload: str
    queue: str
    client: str = ""
    counter: int = 0
    commit: int = 0

    def text(self) -> str:
        """Return the message."""
        return json.dumps(asdict(self))


def log_record(text: str) -> LogRecord:
    """Return the log record of a message."""
    return LogRecord(**json.loads(text))


def encoded(page: Page) -> bytes:
    """Return a page as it lies in the bucket."""
    data = json.dumps(asdict(page)).encode()
    return data.ljust({Root: NODE_BYTES, Leaf: PAGE_BYTES}.get(type(page), 0))


def decoded(data: bytes) -> Page:
    """Return the page of an object."""
    content = json.loads(data)
    if "leaves" in content:
        return Root(**content)
    return Leaf(**content) if "records" in content else Meta(**content)


def is_too_large(leaf: Leaf) -> bool:
    """Return whether a leaf has to be split."""
    return len(json.dumps(asdict(leaf))) > PAGE_BYTES


def split(leaf: Leaf, right_name: str) -> tuple[str, Leaf]:
    """Move the upper half of a leaf to a new one on its right; return that one with its least key."""
    keys = sorted(leaf.records)
    middle = keys[len(keys) // 2]
    right = Leaf(
        {key: leaf.records.pop(key) for key in keys if key >= middle},
        leaf.high,
        leaf.right,
        leaf.checkpointed,
        dict(leaf.counters),
    )
    leaf.high, leaf.right = middle, right_name
    return middle, right
