"""A client: the pages in its cache, and the transaction that it is in.

Pages stay in the cache for `TTL_SECONDS`; after that the client asks whether they have changed. From the level
monotonicity on it applies its own updates again to a page that does not have them yet (read your writes), and reads a
page again that is older than one it has seen (monotonic reads).
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from piql_profiler.experiments.s3_levels.pages import (
    Leaf,
    LogRecord,
    Meta,
    Page,
    Root,
    decoded,
    encoded,
    is_too_large,
    split,
)
from piql_profiler.experiments.s3_levels.services import Services

Level: TypeAlias = Literal["naive", "basic", "monotonicity", "atomicity"]
LEVELS: tuple[Level, ...] = ("naive", "basic", "monotonicity", "atomicity")

TTL_SECONDS, CACHE_BYTES = 100.0, 5_000_000  # section 6.1
_READ_AGAIN = 3


@dataclass(slots=True)
class _Kept:
    """A page in the cache as this client sees it, its bytes in the bucket, and when it came, in the paper's seconds."""

    page: Page
    tag: str
    data: bytes
    fetched_at: float
    is_changed: bool = False

    @property
    def size(self) -> int:
        """Return the bytes that the page has in the bucket."""
        return len(self.data)


@dataclass(slots=True)
class Client:
    """`interval` is the checkpoint interval in the paper's seconds, `lock_seconds` the server's seconds of a token.

    As `writer` it counts its updates and calls its pages. One that starts again is another writer (`commits.recover`):
    its counters begin at 1, and a page has had these numbers from the one before.
    """

    services: Services
    name: str
    level: Level
    interval: float = 15.0
    lock_seconds: int = 600
    log: list[LogRecord] = field(default_factory=list)
    commits: int = 0
    writer: str = ""
    _kept: OrderedDict[str, _Kept] = field(default_factory=OrderedDict)
    _counters: dict[str, int] = field(default_factory=dict)
    _seen: dict[str, dict[str, int]] = field(default_factory=dict)
    _pending: list[LogRecord] = field(default_factory=list)
    _pages_made: int = 0

    def __post_init__(self) -> None:
        """Be the first writer of this name, where no other is said."""
        self.writer = self.writer or self.name

    @property
    def is_monotonic(self) -> bool:
        """Return whether this client keeps the order of writes, and never reads what is older."""
        return self.level in ("monotonicity", "atomicity")

    def read(self, collection: str, key: str) -> str | None:
        """Return the payload of a record, as far as this client sees it."""
        return self.leaf_of(collection, key)[1].records.get(key)

    def insert(self, collection: str, key: str, payload: str) -> None:
        """Insert a record in this transaction; a client's own pages show it at once."""
        self._change("insert", collection, key, payload, tree_queue(collection))

    def update(self, collection: str, key: str, payload: str) -> None:
        """Update a record in this transaction."""
        self._change("update", collection, key, payload, page_queue(self.leaf_of(collection, key)[0]))

    def _change(self, kind: Literal["insert", "update"], collection: str, key: str, payload: str, queue: str) -> None:
        name, leaf = self.leaf_of(collection, key)
        leaf.records[key] = payload
        self._kept[name].is_changed = True
        client, counter = "", 0
        if self.is_monotonic:
            client, counter = self.writer, self._counters.get(queue, 0) + 1
            self._counters[queue] = counter
        record = LogRecord(kind, collection, key, payload, queue, client, counter, self.commits + 1)
        self.log.append(record)
        if self.is_monotonic:
            self._pending.append(record)

    def changed(self) -> list[tuple[str, Leaf]]:
        """Return the pages that this transaction has changed."""
        return [
            (name, kept.page) for name, kept in self._kept.items() if kept.is_changed and isinstance(kept.page, Leaf)
        ]

    def end_transaction(self) -> None:
        """Forget the transaction; its pages are as others."""
        self.log = []
        self.commits += 1
        for kept in self._kept.values():
            kept.is_changed = False

    def leaf_of(self, collection: str, key: str) -> tuple[str, Leaf]:
        """Return the name and the page where a key belongs, by way of right neighbours where it was split."""
        name = self.root(collection).leaf_of(key)
        leaf = self.leaf(name)
        while not leaf.has_room_for(key) and leaf.right is not None:
            name, leaf = leaf.right, self.leaf(leaf.right)
        return name, leaf

    def root(self, collection: str) -> Root:
        """Return the inner node of an index."""
        page = self.page(root_of(collection))
        assert isinstance(page, Root)
        return page

    def meta(self, collection: str, must_be_fresh: bool = False) -> Meta:
        """Return what is known of the queue of an index; who checkpoints it needs what others have counted."""
        page = self.page(meta_of(collection), must_be_fresh)
        assert isinstance(page, Meta)
        return page

    def leaf(self, name: str) -> Leaf:
        """Return a data page."""
        page = self.page(name)
        assert isinstance(page, Leaf)
        return page

    def page(self, name: str, must_be_fresh: bool = False) -> Page:
        """Return a page from the cache or the bucket; a fresh one is asked for whatever its age."""
        kept = self._kept.get(name)
        is_old = kept is not None and self.services.now() - kept.fetched_at > TTL_SECONDS
        if kept is None:
            kept = self._fetched(name)
        elif must_be_fresh or (is_old and not kept.is_changed):
            changed = self.services.get_if_changed(name, kept.tag)
            if changed is None:  # the copy here has what this client has committed since, too
                kept.fetched_at = self.services.now()
            else:
                kept = self._keep(name, changed.data, changed.tag)
        self._kept.move_to_end(name)
        self._make_room(name)
        return kept.page

    def leaf_in_bucket(self, name: str) -> Leaf:
        """Return a data page as it is in the bucket now, without what only this client has of its own updates."""
        self.page(name, must_be_fresh=True)
        page = decoded(self._kept[name].data)
        assert isinstance(page, Leaf)
        return page

    def put(self, name: str, page: Page) -> None:
        """Put a page that this client has changed, and keep it."""
        data = encoded(page)
        self._keep(name, data, self.services.put(name, data))

    def put_leaf(self, collection: str, name: str, leaf: Leaf) -> None:
        """Put a data page; one that is too large becomes two, first the right one, so that readers find their way."""
        if is_too_large(leaf):
            self._pages_made += 1
            right_name = f"{collection}-{self.writer}-{self._pages_made}"
            make_queues(self.services, page_queue(right_name))
            first, right = split(leaf, right_name)
            self.put(right_name, right)
            self.put(name, leaf)
            root = self.root(collection)
            root.put_in(first, right_name)
            self.put(root_of(collection), root)
        else:
            self.put(name, leaf)

    def forget_pending(self, queue: str, counters: dict[str, int]) -> None:
        """Forget own updates that the pages in the bucket have now."""
        through = counters.get(self.writer, 0)
        self._pending = [record for record in self._pending if record.queue != queue or record.counter > through]

    def _fetched(self, name: str) -> _Kept:
        for _ in range(_READ_AGAIN):
            data, tag = self.services.get(name)
            kept = self._keep(name, data, tag)
            if not self.is_monotonic or not self._is_older(name, kept.page):
                break
        return kept

    def _keep(self, name: str, data: bytes, tag: str) -> _Kept:
        """Keep a page of the bucket, with what this client has written and the page does not have."""
        page = decoded(data)
        if self.is_monotonic and isinstance(page, Leaf):
            self._apply_pending(name, page)
        kept = _Kept(page, tag, data, self.services.now())
        self._kept[name] = kept
        self._see(name, page)
        return kept

    def _apply_pending(self, name: str, leaf: Leaf) -> None:
        """Show this client what it has written and the page does not have."""
        for record in self._pending:
            if record.kind == "update":
                if record.queue == page_queue(name) and record.counter > leaf.counters.get(self.writer, 0):
                    leaf.records[record.key] = record.payload
            elif name.startswith(f"{record.collection}-") and leaf.has_room_for(record.key):
                root = self._kept.get(root_of(record.collection))
                if root is not None and isinstance(root.page, Root) and root.page.leaf_of(record.key) == name:
                    leaf.records.setdefault(record.key, record.payload)

    def _is_older(self, name: str, page: Page) -> bool:
        if isinstance(page, Root):
            return False
        return any(page.counters.get(client, 0) < counter for client, counter in self._seen.get(name, {}).items())

    def _see(self, name: str, page: Page) -> None:
        if not isinstance(page, Root):
            seen = self._seen.setdefault(name, {})
            for client, counter in page.counters.items():
                seen[client] = max(seen.get(client, 0), counter)

    def _make_room(self, name: str) -> None:
        """Drop the pages that were not read for the longest time, but none of this transaction."""
        size = sum(kept.size for kept in self._kept.values())
        for old in list(self._kept):
            if size <= CACHE_BYTES:
                return
            if old != name and not self._kept[old].is_changed:
                size -= self._kept.pop(old).size


def make_queues(services: Services, queue: str) -> None:
    """Make the queue of pending updates of a page or an index, and its LOCK queue with its one token."""
    services.make_queue(queue)
    services.make_queue(lock_of(queue))
    services.send(lock_of(queue), "token")


def root_of(collection: str) -> str:
    """Return the name of the inner node of an index."""
    return f"{collection}.root"


def meta_of(collection: str) -> str:
    """Return the name of the object with an index's timestamp."""
    return f"{collection}.meta"


def tree_queue(collection: str) -> str:
    """Return the queue for inserts into an index."""
    return f"tree-{collection}"


def page_queue(page: str) -> str:
    """Return the queue for updates of a data page."""
    return f"page-{page}"


def lock_of(queue: str) -> str:
    """Return the LOCK queue of a queue."""
    return f"{queue}-lock"
