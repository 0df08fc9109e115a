"""Whose turn it is to write: one writer at a time, over all clients, by conditional puts of the root.

    begin      put the root with one's own name as its holder, if it is the root last read and nobody holds it
    renew      put it again with a larger number, before the others give one up
    commit     put the root of the new state with no holder, if it is still the one put last
    release    put the old state with no holder

A holder that gives no sign of life for `lease` seconds, by the clock of those who wait, loses its turn to one of them.
Its commit then finds another root and fails: a lease that ends too early costs a transaction, never the data.

Whether a put took effect cannot be told where its answer is lost. Then the root is read: a commit stands in its list of
the last ones. While one's own root is still there the put may yet arrive, so it is replaced first, and then cannot.
"""

from __future__ import annotations

import random
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from piql.errors import StoreUnavailable
from piql.store.s3.objects import Fetched, Objects
from piql.store.s3.root import EMPTY, ROOT, Holder, Root, decoded_root, encoded_root

NOTHING_WRITTEN = "nothing was written"
"""How the message of a failure begins after which it is known that the transaction has left no trace."""

_COMMITS_KEPT = 32  # in the root: commits by others after which a lost answer cannot be told any more
_SHORTEST, _LONGEST = 0.02, 0.2  # seconds between two looks at a root that is held
_TRIES = 5  # to find out what became of a commit


class RootOfStore:
    """The root as the server has it: read on the condition that it has changed, for any number of threads."""

    def __init__(self, objects: Objects, shown: str) -> None:
        self._objects = objects
        self._shown = shown
        self._last: tuple[str | None, Root] = (None, EMPTY)  # its tag and what it says
        self._counted = threading.local()

    def read(self) -> tuple[str | None, Root]:
        """Return the root as it is now, with its tag; that of an empty store has none."""
        self._counted.requests = self.requests() + 1
        last = self._last
        answer = self._objects.get_if_changed(ROOT, last[0])
        if isinstance(answer, str):
            return last
        last = None, EMPTY
        if isinstance(answer, Fetched):
            last = answer.tag, decoded_root(answer.data, self._shown)
        self._last = last
        return last

    def last_read(self) -> tuple[str | None, Root]:
        """Return the root as it was last seen, without a request; it may have changed since."""
        return self._last

    def put(self, root: Root, tag: str | None) -> str | None:
        """Put a root in the place of the one with a tag, and return its tag; None where that one is not there."""
        new_tag = self._objects.put_if(ROOT, encoded_root(root), tag)
        if new_tag is not None:
            self._last = new_tag, root
        return new_tag

    def requests(self) -> int:
        """Return how many times this thread has read the root."""
        count: int = getattr(self._counted, "requests", 0)
        return count


class Turn:
    """One writer's turn; `root` is the state in which it began."""

    def __init__(self, root_of_store: RootOfStore, lease: float, wait: float, clock: Callable[[], float]) -> None:
        self._store = root_of_store
        self._lease = lease
        self._wait = wait
        self._clock = clock
        self._name = secrets.token_hex(8)
        self._writes = 0
        self._tag: str | None = None
        self._sign_of_life = 0.0
        self.root = EMPTY

    def begin(self) -> None:
        """Wait until nobody writes, and take the turn; raise StoreUnavailable after `wait` seconds."""
        started = self._clock()
        pause = _SHORTEST
        seen: tuple[Holder | None, float] = (None, started)
        tag, root = self._store.last_read()
        if tag is None or root.holder is not None:
            tag, root = self._store.read()
        while True:
            now = self._clock()
            if root.holder != seen[0]:
                seen = root.holder, now
            if root.holder is None or now - seen[1] >= self._lease:
                if self._take(tag, root):
                    return
                tag, root = self._store.read()
                if root.write == self._write():  # it was sent twice, and only the second answer came back
                    self._tag, self.root = tag, root
                    return
                continue
            if now - started > self._wait:
                raise StoreUnavailable(
                    f"another writer has had its turn for {self._wait:g} seconds: try again, or allow more with wait="
                )
            time.sleep(random.uniform(pause / 2, pause))
            pause = min(2 * pause, _LONGEST)
            tag, root = self._store.read()

    def renew(self) -> None:
        """Give a sign of life, if the last one is some time ago; raise StoreUnavailable where the turn is lost."""
        if self._clock() - self._sign_of_life < self._lease / 3:
            return
        assert self.root.holder is not None
        beat = replace(self.root, holder=Holder(self._name, self.root.holder.beat + 1))
        if not self._take(self._tag, beat):
            tag, root = self._store.read()
            if root.write != self._write():
                raise self._lost()
            self._tag, self.root = tag, root

    def commit(self, root: Root) -> None:
        """Make a root the state of the store; raise StoreUnavailable where it is not, or where that is not known."""
        self._writes += 1
        name = self._write()
        commits = (*root.commits[1 - _COMMITS_KEPT :], name)
        committed = replace(root, write=name, number=root.number + 1, commits=commits, holder=None)
        failure: StoreUnavailable | None = None
        try:
            if self._store.put(committed, self._tag) is not None:
                return
        except StoreUnavailable as silence:
            failure = silence
        self._find_out(name, committed.number, failure)

    def release(self) -> None:
        """End the turn and leave the store as it was; where that fails, the lease ends it."""
        self._writes += 1
        self._store.put(replace(self.root, write=self._write(), holder=None), self._tag)

    def _take(self, tag: str | None, root: Root) -> bool:
        """Put a root with this writer as its holder in the place of the one with a tag; return whether it was."""
        self._writes += 1
        holder = root.holder if root.holder is not None and root.holder.name == self._name else Holder(self._name)
        mine = replace(root, write=self._write(), holder=holder)
        self._sign_of_life = self._clock()
        new_tag = self._store.put(mine, tag)
        if new_tag is None:
            return False
        self._tag, self.root = new_tag, mine
        return True

    def _find_out(self, name: str, number: int, failure: StoreUnavailable | None) -> None:
        """Return where a commit took effect after all, and raise StoreUnavailable where it did not."""
        for _ in range(_TRIES):
            try:
                tag, root = self._store.read()
                if name in root.commits:
                    return
                if tag != self._tag:
                    if root.number - number >= _COMMITS_KEPT:
                        break
                    raise self._lost()
                self._writes += 1
                if self._store.put(replace(self.root, write=self._write(), holder=None), tag) is not None:
                    raise StoreUnavailable(f"{NOTHING_WRITTEN}: {failure or 'the store refused it'}")
            except StoreUnavailable as silence:
                if str(silence).startswith(NOTHING_WRITTEN):
                    raise
                failure = silence
        raise StoreUnavailable(f"whether the write took effect is not known: {failure or 'too many others followed'}")

    def _lost(self) -> StoreUnavailable:
        return StoreUnavailable(
            f"{NOTHING_WRITTEN}: the turn to write was over after {self._lease:g} seconds without a sign of life"
        )

    def _write(self) -> str:
        return f"{self._name}.{self._writes}"
