"""Puts a database into the bucket: an index a collection, with the queues of each page; and reads all of it."""

from __future__ import annotations

from collections.abc import Mapping

from piql_profiler.experiments.s3_levels.client import (
    Client,
    make_queues,
    meta_of,
    page_queue,
    root_of,
    tree_queue,
)
from piql_profiler.experiments.s3_levels.commits import atomic_queue
from piql_profiler.experiments.s3_levels.pages import PAGE_BYTES, Leaf, Meta, Root, encoded
from piql_profiler.experiments.s3_levels.services import Services

_FILLED = 0.8  # of a page, when it is loaded
_RECORD_BYTES = 8  # quotes and commas around a key and a payload

Records = Mapping[str, Mapping[str, str]]
"""Payloads by key, by collection."""


def load(services: Services, records: Records) -> int:
    """Put all pages and make all queues, aside of transactions; return how many data pages there are."""
    with services.aside():
        return sum(_load_index(services, collection, of_one) for collection, of_one in records.items())


def _load_index(services: Services, collection: str, records: Mapping[str, str]) -> int:
    pages: list[dict[str, str]] = [{}]
    size = 0
    for key in sorted(records):
        more = len(key) + len(records[key]) + _RECORD_BYTES
        if pages[-1] and size + more > PAGE_BYTES * _FILLED:
            pages.append({})
            size = 0
        pages[-1][key] = records[key]
        size += more
    names = [f"{collection}-{at}" for at in range(len(pages))]
    firsts = [min(page, default="") for page in pages]
    for at, page in enumerate(pages):
        is_last = at == len(pages) - 1
        leaf = Leaf(page, None if is_last else firsts[at + 1], None if is_last else names[at + 1])
        services.put(names[at], encoded(leaf))
        make_queues(services, page_queue(names[at]))
    services.put(root_of(collection), encoded(Root(firsts, names)))
    services.put(meta_of(collection), encoded(Meta()))
    make_queues(services, tree_queue(collection))
    return len(pages)


def new_client(services: Services, name: str, **settings: object) -> Client:
    """Return a client with its ATOMIC queue."""
    services.make_queue(atomic_queue(name))
    return Client(services, name, **settings)  # type: ignore[arg-type]


def stored(services: Services, collection: str) -> dict[str, str]:
    """Return what lies in the bucket, by the chain of right neighbours, as a client sees it that has nothing yet."""
    reader = Client(services, "reader", "basic")
    name: str | None = reader.root(collection).leaves[0]
    records: dict[str, str] = {}
    while name is not None:
        leaf = reader.leaf(name)
        records |= leaf.records
        name = leaf.right
    return records
