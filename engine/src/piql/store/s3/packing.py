"""A changed tree → the new pages that it needs, from the leaves up.

A node larger than a page becomes several of the same size. A node smaller than a quarter of a page is joined with the
node beside it, and an empty one is left out. So no range is spread over many pages with few rows each, and the tree is
no deeper than its rows need.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from piql.store.rows import Row
from piql.store.s3.pages import Inner, Leaf, Page, below_text, encoded, row_text
from piql.store.s3.root import Tree
from piql.store.s3.tree import Draft, DraftLeaf, DraftTree, Fetch, draft_of

_SMALL = 4  # a node of less than this part of a page is joined with another
_FEWEST_BELOW = 2  # nodes below one, however long their keys are: so each level has at most half of those below it


class Entry(NamedTuple):
    """A row of a leaf or a page of an inner node, and its text."""

    key: bytes
    content: Row | str
    text: str


class NewPage(NamedTuple):
    """A page to store."""

    name: str
    page: Page
    data: bytes


Entries: TypeAlias = list[Entry]


@dataclass(slots=True)
class Packer:
    """Packs trees: `new_name` names pages, `pages` are the new ones, and pages that were joined go to `replaced`."""

    page_bytes: int
    new_name: Callable[[], str]
    fetch: Fetch
    pages: list[NewPage] = field(default_factory=list)

    def pack(self, tree: DraftTree) -> Tree:
        """Return a tree as it will be stored."""
        if isinstance(tree.start, str) or tree.start is None:
            return Tree(tree.start, tree.height, tree.rows)
        entries, height = self._entries(tree.start, tree.replaced), tree.height
        if not entries:
            return Tree()
        if height > 1 and len(entries) == 1:  # a node with one below it is not needed
            return Tree(_name(entries[0]), height - 1, tree.rows)
        stored = self._store(entries)
        while len(stored) > 1:
            stored, height = self._store(stored), height + 1
        return Tree(_name(stored[0]), height, tree.rows)

    def _entries(self, draft: Draft, replaced: list[str]) -> Entries:
        """Return what a node holds, when the nodes below it are stored."""
        if isinstance(draft, DraftLeaf):
            return [Entry(key, row, row_text(key, row)) for key, row in zip(draft.keys, draft.rows, strict=True)]
        nodes: list[Entry | Entries] = []
        for key, node in zip(draft.keys, draft.below, strict=True):
            below: Entry | Entries = _below(key, node) if isinstance(node, str) else self._entries(node, replaced)
            if below:
                nodes.append(below)
        self._join_small(nodes, replaced)
        entries: Entries = []
        for node_entries in nodes:
            entries += [node_entries] if isinstance(node_entries, Entry) else self._store(node_entries)
        return entries

    def _join_small(self, nodes: list[Entry | Entries], replaced: list[str]) -> None:
        """Join each changed node that is too small with the one before it, or else the one behind it."""
        position = 0
        while position < len(nodes) > 1:
            node = nodes[position]
            if isinstance(node, Entry) or _size(node) * _SMALL >= self.page_bytes:
                position += 1
                continue
            first = max(0, position - 1)
            joined = [self._opened(side, replaced) for side in nodes[first : first + 2]]
            nodes[first : first + 2] = [joined[0] + joined[1]]
            position = first

    def _opened(self, node: Entry | Entries, replaced: list[str]) -> Entries:
        """Return what a node holds. One that has not changed is read, and its page is replaced."""
        if not isinstance(node, Entry):
            return node
        name = _name(node)
        replaced.append(name)
        return self._entries(draft_of(self.fetch([name])[name]), replaced)

    def _store(self, entries: Entries) -> Entries:
        """Make pages of what a node holds, and return them as the node above holds them."""
        fewest = _FEWEST_BELOW if isinstance(entries[0].content, str) else 1
        return [self._page(entries[first:end]) for first, end in pairwise(_cuts(entries, self.page_bytes, fewest))]

    def _page(self, entries: Entries) -> Entry:
        name, keys, texts = self.new_name(), [entry.key for entry in entries], [entry.text for entry in entries]
        is_leaf = not isinstance(entries[0].content, str)
        contents: list = [entry.content for entry in entries]  # type: ignore[type-arg]
        page: Page = Leaf(keys, contents) if is_leaf else Inner(keys, contents)
        self.pages.append(NewPage(name, page, encoded("rows" if is_leaf else "below", texts)))
        return _below(keys[0], name)


def _below(key: bytes, name: str) -> Entry:
    return Entry(key, name, below_text(key, name))


def _name(entry: Entry) -> str:
    assert isinstance(entry.content, str)
    return entry.content


def _size(entries: Sequence[Entry]) -> int:
    return sum(len(entry.text) for entry in entries)


def _cuts(entries: Sequence[Entry], most: int, fewest: int) -> list[int]:
    """Return where each page begins, and the end of the last: pages of the same size, none larger than a page can be.

    A page of the `fewest` entries may be larger.
    """
    total = _size(entries)
    target = total / -(-total // most)
    cuts, size = [0], 0
    for position, entry in enumerate(entries):
        if position - cuts[-1] >= fewest and (size >= target or size + len(entry.text) > most):
            cuts.append(position)
            size = 0
        size += len(entry.text)
    return [*cuts, len(entries)]
