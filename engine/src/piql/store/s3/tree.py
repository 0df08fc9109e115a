"""Reading and changing a tree of pages. Nothing here makes a request: what is missing is asked for, and given.

A read is a generator. It yields the names of the pages that it needs, is sent the pages, and returns rows. Many reads
go on together (`answer`): all that they need next is fetched at the same time, so a fan-out takes no more round trips
than one read.

A change copies the pages on the way to its leaf into drafts, which hold the names of pages that stay as they are:

    page 7 ─┬─ page 3            draft ─┬─ page 3
            ├─ page 4       →           ├─ draft          the row is put here
            └─ page 5                   └─ page 5
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from piql.store.rows import Row
from piql.store.s3.pages import Inner, Leaf, Page, position_of
from piql.store.s3.ranges import KeyRange

MOST_AHEAD = 32  # leaves that a range reads at the same time


@dataclass(slots=True)
class DraftLeaf:
    """A leaf that is being changed."""

    keys: list[bytes]
    rows: list[Row]


@dataclass(slots=True)
class DraftInner:
    """An inner node below which something is being changed."""

    keys: list[bytes]
    below: list[Node]


Draft: TypeAlias = DraftLeaf | DraftInner
Node: TypeAlias = str | Draft
Reading: TypeAlias = Generator[list[str], Mapping[str, Page], list[Row]]
Fetch: TypeAlias = Callable[[Iterable[str]], Mapping[str, Page]]


def rows_in(start: Node | None, height: int, span: KeyRange) -> Reading:
    """Read the rows of a range from the tree that begins at a node, `height` nodes deep."""
    rows: list[Row] = []
    if start is not None:
        node: Page | Draft = (yield [start])[start] if isinstance(start, str) else start
        yield from _collect(node, height, span, rows)
    return rows


def _collect(
    node: Page | Draft, height: int, span: KeyRange, rows: list[Row]
) -> Generator[list[str], Mapping[str, Page], None]:
    """Add the rows of a range below a node, until there are `limit`."""
    if isinstance(node, Leaf | DraftLeaf):
        end = len(node.keys) if span.high is None else bisect_left(node.keys, span.high)
        within = node.rows[bisect_left(node.keys, span.low) : end]
        rows += (within[::-1] if span.backwards else within)[: span.limit - len(rows)]
        return
    last = len(node.keys) - 1 if span.high is None else max(0, bisect_left(node.keys, span.high) - 1)
    positions = range(position_of(node.keys, span.low), last + 1)
    below = [node.below[position] for position in (reversed(positions) if span.backwards else positions)]
    at, before = 0, len(rows)
    while at < len(below) and len(rows) < span.limit:
        children = below[at : at + _ahead(height, at, len(rows) - before, span.limit - len(rows))]
        names = [child for child in children if isinstance(child, str)]
        pages = (yield names) if names else {}
        for child in children:
            yield from _collect(pages[child] if isinstance(child, str) else child, height - 1, span, rows)
        at += len(children)


def _ahead(height: int, leaves: int, rows: int, wanted: int) -> int:
    """Return how many of the next nodes to read at the same time.

    After a leaf or more, as many leaves as hold the rows wanted if they hold as many as those. Each holds at least one
    row, so no more leaves are read than rows are wanted, and one.
    """
    if height != 2 or leaves == 0 or rows == 0:
        return 1
    return min(MOST_AHEAD, -(-wanted * leaves // rows))


def answer(readings: Sequence[Reading], fetch: Fetch) -> list[list[Row]]:
    """Carry reads on together until each has its rows; return those of each."""
    answers: list[list[Row]] = [[] for _ in readings]
    needs: dict[int, list[str]] = {}
    for number, reading in enumerate(readings):
        _carry_on(number, reading, None, needs, answers)
    while needs:
        pages = fetch([name for names in needs.values() for name in names])
        going, needs = needs, {}
        for number, names in going.items():
            _carry_on(number, readings[number], {name: pages[name] for name in names}, needs, answers)
    return answers


def _carry_on(
    number: int,
    reading: Reading,
    pages: Mapping[str, Page] | None,
    needs: dict[int, list[str]],
    answers: list[list[Row]],
) -> None:
    """Give a read its pages; note what it needs next, or its rows."""
    try:
        needs[number] = next(reading) if pages is None else reading.send(pages)
    except StopIteration as end:
        answers[number] = end.value


@dataclass(slots=True)
class DraftTree:
    """A tree that is being changed; `replaced` are the pages that are no part of it any more."""

    start: Node | None
    height: int
    rows: int
    replaced: list[str]
    fetch: Fetch

    @property
    def is_changed(self) -> bool:
        return self.start is not None and not isinstance(self.start, str)

    def put(self, key: bytes, row: Row) -> None:
        """Put a row, in the place of the one with its key."""
        leaf = self._leaf(key)
        position = bisect_left(leaf.keys, key)
        if position < len(leaf.keys) and leaf.keys[position] == key:
            leaf.rows[position] = row
        else:
            leaf.keys.insert(position, key)
            leaf.rows.insert(position, row)
            self.rows += 1

    def delete(self, key: bytes) -> None:
        """Delete the row with a key, if there is one."""
        leaf = self._leaf(key)
        position = bisect_left(leaf.keys, key)
        if position < len(leaf.keys) and leaf.keys[position] == key:
            del leaf.keys[position], leaf.rows[position]
            self.rows -= 1

    def _leaf(self, key: bytes) -> DraftLeaf:
        """Return the leaf for a key; it and all nodes above it are drafts now."""
        if self.start is None:
            self.start, self.height = DraftLeaf([], []), 1
        node = self.start = self._draft(self.start)
        while isinstance(node, DraftInner):
            position = position_of(node.keys, key)
            child = node.below[position] = self._draft(node.below[position])
            node = child
        return node

    def _draft(self, node: Node) -> Draft:
        if not isinstance(node, str):
            return node
        self.replaced.append(node)
        return draft_of(self.fetch([node])[node])


def draft_of(page: Page) -> Draft:
    """Return a copy of a page that can be changed."""
    if isinstance(page, Inner):
        return DraftInner(list(page.keys), list(page.below))
    return DraftLeaf(list(page.keys), list(page.rows))
