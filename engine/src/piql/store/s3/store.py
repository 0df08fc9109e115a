"""The store in a bucket: every object that is read together is one state, and one writer at a time makes the next."""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, TypeVar

from piql.errors import SnapshotUnavailable, StoreForked, StoreUnavailable
from piql.schema.catalog import Index, SqlType, Table
from piql.store.base import SIGNING_KEY, Answers, Batch, Consistency, ReadShape
from piql.store.base import Reader as RequestReader
from piql.store.embedded.layout import layout_of
from piql.store.row_writes import SingleRowWrites
from piql.store.rows import Codec
from piql.store.s3.address import Address, parse_address
from piql.store.s3.cache import Cache, PageGone
from piql.store.s3.objects import MOST_DELETED, BucketObjects, Objects, Requests
from piql.store.s3.pages import decoded, decoded_document
from piql.store.s3.ranges import S3Read, prepared
from piql.store.s3.reading import Reader, State
from piql.store.s3.root import Retired, Root, Tree
from piql.store.s3.transaction import Changes, NewNames, S3Entries, S3Transaction, entries_of
from piql.store.s3.turn import NOTHING_WRITTEN, RootOfStore, Turn
from piql.store.single_reads import reader_of
from piql.store.values import codec_of

KEPT_SECONDS = 60
"""How long a page stays after a commit has replaced it, for readers that have read the root before."""

MOST_RETIRED = 1000  # of those that the root lists: the oldest go earlier where there are more
_READS_AGAIN = 3  # with a newer root, when a page of the one before is gone
_DOCUMENT_BYTES = 64_000_000
T = TypeVar("T")


def open_s3(url: str) -> S3Store:
    """Open the store at a URL; StoreUnavailable for a wrong one, CredentialsMissing where there are no keys."""
    address = parse_address(url)
    return S3Store(address, BucketObjects(address))


class _OfThread(threading.local):
    """What the reads of one thread see: its transaction, or the root of its snapshot."""

    transaction: S3Transaction | None = None
    snapshot: Root | None = None


class S3Store:
    """A `Store` in a bucket, at the level `strong`."""

    def __init__(
        self,
        address: Address,
        objects: Objects,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._address = address
        self._objects = objects
        self._clock = clock
        self._wall_clock = wall_clock
        self._process = os.getpid()
        self._root = RootOfStore(objects, address.shown())
        self._fetchers = ThreadPoolExecutor(address.in_flight, "piql-s3-page")
        self._starters = ThreadPoolExecutor(address.in_flight, "piql-s3-read")
        self._pages = Cache(objects, self._fetchers, decoded, address.cache_mb * 1_000_000)
        self._documents: Cache[Any] = Cache(objects, self._fetchers, decoded_document, _DOCUMENT_BYTES)
        self._reader = Reader(self._pages, self._documents)
        self._one_writer = threading.Lock()
        self._of_thread = _OfThread()

    @property
    def row_writes(self) -> SingleRowWrites | None:
        return None

    def codec(self, type: SqlType) -> Codec | None:
        return codec_of(type)

    def keeps_alike(self, before: SqlType, after: SqlType) -> bool:
        return True

    def prepare(self, shape: ReadShape) -> S3Read:
        return prepared(layout_of(shape.table, shape.index).name, shape)

    def prepare_entries(self, table: Table, index: Index) -> S3Entries:
        return entries_of(table, index)

    def stored_name(self, table: Table, index: Index) -> str:
        return layout_of(table, index).name

    def reader(self, read: S3Read, consistency: Consistency | None = None) -> RequestReader:
        return reader_of(self.read_many, self.statements_sent, read, consistency)

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        """Answer requests; every read sees all acknowledged writes, so the consistency does not matter."""
        requests = [(batch.read, arguments) for batch in batches for arguments in batch.arguments]
        rows = iter(self._in_state(lambda state: self._reader.rows(state, requests)))
        return [[next(rows) for _ in batch.arguments] for batch in batches]

    def start_many(
        self,
        batches: Sequence[Batch],
        done: Callable[[Answers | Exception], None],
        consistency: Consistency | None = None,
    ) -> None:
        """Read in another thread, or at once in a transaction or a snapshot, which only this thread sees."""

        def read() -> None:
            try:
                answers: Answers | Exception = self.read_many(batches)
            except Exception as failure:
                answers = failure
            done(answers)

        self._refuse_forked()
        if self._of_thread.transaction is not None or self._of_thread.snapshot is not None:
            read()
        else:
            self._starters.submit(read)

    def statements_sent(self) -> int:
        """Return how many objects this thread has asked for: the root, and pages that were not kept."""
        return self._root.requests() + self._pages.requests() + self._documents.requests()

    def requests(self) -> Requests:
        """Return how many requests were made so far, by all threads, for reads and writes."""
        return self._objects.requests()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads of this thread see the state that the root describes now: its pages stay for KEPT_SECONDS."""
        self._refuse_forked()
        before = self._of_thread.snapshot
        self._of_thread.snapshot = self._root.read()[1]
        try:
            yield
        finally:
            self._of_thread.snapshot = before

    @contextmanager
    def transaction(self) -> Iterator[S3Transaction]:
        """Take the turn to write; commit at the end, or give the turn back where an exception leaves the context."""
        self._refuse_forked()
        if not self._one_writer.acquire(timeout=self._address.wait):
            raise StoreUnavailable(
                f"another thread has written for {self._address.wait:g} seconds: try again, or allow more with wait="
            )
        try:
            turn = Turn(self._root, self._address.lease, self._address.wait, self._clock)
            with _before_commit():
                turn.begin()
            transaction = self._of_thread.transaction = S3Transaction(turn, self._reader)
            try:
                yield transaction
                changes = transaction.changes(self._address.page_bytes, NewNames(secrets.token_hex(8)))
            except BaseException:
                with suppress(StoreUnavailable):
                    turn.release()
                raise
            finally:
                self._of_thread.transaction = None
            if changes is None:
                with suppress(StoreUnavailable):
                    turn.release()
            else:
                self._write(turn, changes)
        finally:
            self._one_writer.release()

    def _refuse_forked(self) -> None:
        """Raise StoreForked in a child of the process that opened the store: the threads are its parent's."""
        if os.getpid() != self._process:
            why = "this process was forked after its parent had opened a store in a bucket"
            raise StoreForked(f"{why}: open it in the child alone, or spawn the child")

    def _write(self, turn: Turn, changes: Changes) -> None:
        """Write the new pages, then the root that names them."""
        objects = [(page.name, page.data) for page in changes.pages]
        objects += [(name, data) for name, _, data in changes.documents]
        try:
            with _before_commit():
                for first in range(0, len(objects), self._address.in_flight):
                    turn.renew()
                    some = objects[first : first + self._address.in_flight]
                    list(self._fetchers.map(lambda named: self._objects.put(*named), some))
                turn.renew()
            now = int(self._wall_clock())
            retired = [*turn.root.retired, *([Retired(now, tuple(changes.replaced))] if changes.replaced else [])]
            retired = self._without_old(retired, now)
        except BaseException:
            with suppress(StoreUnavailable):
                turn.release()
            raise
        turn.commit(replace(changes.root, retired=retired))
        for page in changes.pages:
            self._pages.add(page.name, page.page, 8 * len(page.data))
        for name, document, data in changes.documents:
            self._documents.add(name, document, len(data))

    def _without_old(self, retired: Sequence[Retired], now: int) -> list[Retired]:
        """Delete the pages that nobody can need any more, in one request at most; return the others."""
        count = sum(len(some.pages) for some in retired)
        due: list[str] = []
        kept: list[Retired] = []
        for some in retired[:-1]:  # never those of this commit, which is not there yet
            is_due = now - some.at > KEPT_SECONDS or count - len(due) > MOST_RETIRED
            if is_due and len(due) + len(some.pages) <= MOST_DELETED:
                due += some.pages
            else:
                kept.append(some)
        kept += retired[-1:]
        if due:
            try:
                self._objects.delete(due)
            except StoreUnavailable:
                return list(retired)
        return kept

    def settings(self) -> Mapping[str, str]:
        transaction = self._of_thread.transaction
        if transaction is not None:
            return transaction.settings()
        return self._at_root(self._reader.settings)

    def version(self) -> int:
        transaction = self._of_thread.transaction
        return transaction.version() if transaction is not None else self._at_root(lambda root: root.epoch)

    def is_empty(self) -> bool:
        """Return whether nobody has written a table, a version or a setting but the key of cursors."""
        root = self._root.read()[1]
        return root.epoch == 0 and not root.trees and not self.settings().keys() - {SIGNING_KEY}

    def estimate_rows(self, table: Table) -> int:
        """Return how many rows a table has; the root counts them."""
        name = layout_of(table, table.primary_index()).name
        return self._at_root(lambda root: root.trees.get(name, Tree()).rows)

    def levels(self) -> int:
        """Return how many pages deep the deepest tree is: a get reads one on each level, when none is kept."""
        return self._at_root(lambda root: max((tree.height for tree in root.trees.values()), default=0))

    def flush(self) -> None:
        """Forget the pages kept, so that the next reads ask the server for them."""
        self._pages.clear()
        self._documents.clear()

    def topology(self) -> None:
        return None

    def close(self) -> None:
        """End the threads; requests under way are finished."""
        self._starters.shutdown(wait=False)
        self._fetchers.shutdown(wait=False)

    def _at_root(self, question: Callable[[Root], T]) -> T:
        """Ask the root of this thread's snapshot, or the root as it is now."""
        self._refuse_forked()
        snapshot = self._of_thread.snapshot
        if snapshot is not None:
            return self._in_snapshot(question, snapshot)
        for _ in range(_READS_AGAIN):
            with suppress(PageGone):
                return question(self._root.read()[1])
        return question(self._root.read()[1])

    def _in_state(self, question: Callable[[State], T]) -> T:
        """Ask the state that this thread sees."""
        transaction = self._of_thread.transaction
        if transaction is not None:
            return question(transaction.state())
        return self._at_root(lambda root: question(self._reader.state_of(root)))

    def _in_snapshot(self, question: Callable[[Root], T], snapshot: Root) -> T:
        try:
            return question(snapshot)
        except PageGone:
            raise SnapshotUnavailable(
                f"the snapshot is older than {KEPT_SECONDS} seconds, and its pages are gone: begin again"
            ) from None


@contextmanager
def _before_commit() -> Iterator[None]:
    """Say of a failure inside the context that nothing was written: nobody reads what is put before the root."""
    try:
        yield
    except StoreUnavailable as failure:
        if not str(failure).startswith(NOTHING_WRITTEN):
            failure.args = (f"{NOTHING_WRITTEN}: {failure}",)
        raise
