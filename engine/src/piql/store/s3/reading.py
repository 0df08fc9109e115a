"""Answers reads against one state of the store. Pages come from the cache, or else from the bucket."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from piql.errors import StoreUnavailable
from piql.store.rows import Row
from piql.store.s3.cache import Cache, Documents
from piql.store.s3.keys import end_of
from piql.store.s3.pages import Inner, Page
from piql.store.s3.ranges import KeyRange, S3Read
from piql.store.s3.root import Root, Tree
from piql.store.s3.tree import DraftTree, Node, Reading, answer, rows_in


@dataclass(frozen=True, slots=True)
class State:
    """What reads see: of each tree its first node and height, and its columns in the order of its stored rows."""

    trees: Mapping[str, tuple[Node | None, int]]
    columns: Mapping[str, tuple[str, ...]]


class Reader:
    """Reads pages and documents; `fetch` returns pages by name."""

    def __init__(self, pages: Cache[Page], documents: Documents) -> None:
        self.fetch = pages.fetch
        self._documents = documents

    def state_of(self, root: Root) -> State:
        """Return the state that a root describes."""
        return State({name: (tree.page, tree.height) for name, tree in root.trees.items()}, self.catalog(root))

    def catalog(self, root: Root) -> Mapping[str, tuple[str, ...]]:
        """Return the columns of each tree."""
        if root.catalog is None:
            return {}
        document = self._documents.fetch([root.catalog])[root.catalog]
        return {name: tuple(columns) for name, columns in document.items()}

    def settings(self, root: Root) -> dict[str, str]:
        """Return what the engine keeps beside the data."""
        return dict(self._documents.fetch([root.settings])[root.settings]) if root.settings is not None else {}

    def rows(self, state: State, requests: Sequence[tuple[S3Read, Row]]) -> list[list[Row]]:
        """Answer requests, all of them together."""
        rows = answer([_reading(state, read, arguments) for read, arguments in requests], self.fetch)
        return [
            _selected(answered, _positions(read.columns, state.columns[read.tree])) if answered else answered
            for answered, (read, _) in zip(rows, requests, strict=True)
        ]

    def read_ahead(self, tree: DraftTree, keys: Iterable[bytes]) -> None:
        """Read together all pages that changes of these keys need and that the cache does not have."""
        spans = [KeyRange(key, end_of(key), 1, False) for key in dict.fromkeys(keys)]
        if len(spans) > 1:
            answer([rows_in(tree.start, tree.height, span) for span in spans], self.fetch)

    def pages_of(self, tree: Tree) -> list[str]:
        """Return the names of all pages of a tree; its leaves are not read."""
        level = [tree.page] if tree.page else []
        names = list(level)
        for _ in range(tree.height - 1):
            pages = self.fetch(level)
            level = [name for page in pages.values() if isinstance(page, Inner) for name in page.below]
            names += level
        return names


def _reading(state: State, read: S3Read, arguments: Row) -> Reading:
    if read.tree not in state.columns:
        raise StoreUnavailable(f"the store has no {read.tree!r}: deploy again")
    span = read.range_of(arguments)
    start, height = state.trees.get(read.tree, (None, 0))
    return rows_in(None if span is None else start, height, span or KeyRange(b"", b"", 0, False))


@lru_cache(maxsize=1000)
def _positions(wanted: tuple[str, ...], stored: tuple[str, ...]) -> list[int | None]:
    """Return the position of each wanted column in a stored row; None for a column that no row has."""
    position_of = {name: position for position, name in enumerate(stored)}
    return [position_of.get(name) for name in wanted]


def _selected(rows: Sequence[Row], positions: Sequence[int | None]) -> list[Row]:
    """Return the columns at these positions. A column that was added after a row was written is NULL in it."""
    return [
        tuple([row[position] if position is not None and position < len(row) else None for position in positions])
        for row in rows
    ]
