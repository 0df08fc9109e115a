"""The pages that a client keeps: they never change, so what is kept is always right, and goes when room is needed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from piql.errors import StoreUnavailable
from piql.store.s3.objects import Objects

T = TypeVar("T")


class PageGone(StoreUnavailable):
    """A page was deleted since the root that names it was read: a newer root has others."""


class Cache(Generic[T]):
    """Objects by name, read with `decode`, as long as they take `most_bytes` together; for any number of threads."""

    def __init__(
        self, objects: Objects, threads: ThreadPoolExecutor, decode: Callable[[str, bytes], T], most_bytes: int
    ) -> None:
        self._objects = objects
        self._threads = threads
        self._decode = decode
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[str, tuple[T, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._counted = threading.local()

    def fetch(self, names: Iterable[str]) -> Mapping[str, T]:
        """Return objects by name; those that are not kept are read at the same time. PageGone where one is gone."""
        answers: dict[str, T] = {}
        missing: list[str] = []
        with self._lock:
            for name in dict.fromkeys(names):
                kept = self._kept.get(name)
                if kept is None:
                    missing.append(name)
                else:
                    self._kept.move_to_end(name)
                    answers[name] = kept[0]
        self._counted.requests = self.requests() + len(missing)
        if len(missing) == 1:
            answers[missing[0]] = self._read(missing[0])
        elif missing:
            answers.update(zip(missing, self._threads.map(self._read, missing), strict=True))
        return answers

    def add(self, name: str, content: T, size: int) -> None:
        """Keep what was just written."""
        with self._lock:
            before = self._kept.pop(name, None)
            self._kept[name] = content, size
            self._bytes += size - (before[1] if before else 0)
            while self._bytes > self._most_bytes and len(self._kept) > 1:
                _, (_, freed) = self._kept.popitem(last=False)
                self._bytes -= freed

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._kept.clear()
            self._bytes = 0

    def requests(self) -> int:
        """Return how many requests this thread has made here."""
        count: int = getattr(self._counted, "requests", 0)
        return count

    def _read(self, name: str) -> T:
        data = self._objects.get(name)
        if data is None:
            raise PageGone(f"the page {name} is gone: what was to be read is older than the store keeps it")
        content = self._decode(name, data)
        self.add(name, content, _SIZE_IN_MEMORY * len(data))
        return content


_SIZE_IN_MEMORY = 8  # about how many bytes one byte of an object takes when it is read: as Python values, uncompressed

Documents = Cache[Any]
