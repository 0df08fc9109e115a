"""One transaction: it reads the state in which its turn began with its own changes, and writes them when it ends.

Kept until then: drafts of the pages that change. Written then, in this order:

    1. the new pages, of trees, catalog and settings     nobody reads them yet
    2. the root that names them                          from now on everybody does
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from piql.errors import StoreUnavailable
from piql.schema.catalog import Index, Table
from piql.store.embedded.layout import layout_of
from piql.store.rows import Row
from piql.store.s3.keys import Encode, encoders_of, has_bucket, key_of
from piql.store.s3.packing import NewPage, Packer
from piql.store.s3.pages import encoded_document
from piql.store.s3.ranges import S3Read
from piql.store.s3.reading import Reader, State
from piql.store.s3.root import Root, Tree
from piql.store.s3.tree import DraftTree
from piql.store.s3.turn import Turn

BUCKET = "#bucket"


@dataclass(frozen=True, slots=True)
class S3Entries:
    """The entries of an index: the tree they are in, the columns of one in their order, and the encoders of its key."""

    tree: str
    columns: tuple[str, ...]
    key: tuple[Encode, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """What a transaction changes: `root` without its new pages' names in `retired`, which `replaced` are."""

    root: Root
    pages: Sequence[NewPage]
    documents: Sequence[tuple[str, Any, bytes]]
    replaced: Sequence[str]


def entries_of(table: Table, index: Index) -> S3Entries:
    """Return the entries of an index, or of the table itself by its primary index."""
    names = [BUCKET] if has_bucket(index) else []
    columns = (*names, *(column.name for column in index.columns), *index.covering)
    return S3Entries(layout_of(table, index).name, columns, tuple(encoders_of(table, index)))


class S3Transaction:
    """A `Transaction` of `store.base`, during a writer's turn."""

    def __init__(self, turn: Turn, reader: Reader) -> None:
        self._turn = turn
        self._reader = reader
        self._root = self._begun = turn.root
        self._drafts: dict[str, DraftTree] = {}
        self._dropped: list[str] = []  # trees whose pages are no part of the store any more
        self._catalog: dict[str, tuple[str, ...]] | None = None
        self._settings: dict[str, str] | None = None

    def state(self) -> State:
        """Return what reads see now: the state of the store with the changes so far."""
        trees: dict[str, tuple[Any, int]] = {name: (tree.page, tree.height) for name, tree in self._root.trees.items()}
        trees.update({name: (tree.start, tree.height) for name, tree in self._drafts.items()})
        for name in self._dropped:
            trees.pop(name, None)
        return State(trees, self._catalog if self._catalog is not None else self._reader.catalog(self._root))

    def read(self, read: S3Read, arguments: Row) -> list[Row]:
        self._turn.renew()
        return self._reader.rows(self.state(), [(read, arguments)])[0]

    def get_many(self, read: S3Read, keys: Sequence[Row]) -> list[Row | None]:
        self._turn.renew()
        answers = self._reader.rows(self.state(), [(read, key) for key in keys])
        return [rows[0] if rows else None for rows in answers]

    def count(self, read: S3Read, arguments: Row) -> int:
        return len(self.read(read, arguments))

    def put(self, entries: S3Entries, rows: Sequence[Row]) -> None:
        self._turn.renew()
        columns = self._columns_of(entries.tree)
        tree = self._draft(entries.tree)
        if columns != entries.columns:
            position_of = {name: position for position, name in enumerate(entries.columns)}
            positions = [position_of.get(name) for name in columns]
            stored = [tuple([None if position is None else row[position] for position in positions]) for row in rows]
        else:
            stored = [tuple(row) for row in rows]
        keys = [key_of(entries.key, row) for row in rows]
        self._reader.read_ahead(tree, keys)
        for key, row in zip(keys, stored, strict=True):
            tree.put(key, row)

    def delete(self, entries: S3Entries, keys: Sequence[Row]) -> None:
        self._turn.renew()
        self._columns_of(entries.tree)
        tree = self._draft(entries.tree)
        encoded = [key_of(entries.key, key) for key in keys]
        self._reader.read_ahead(tree, encoded)
        for key in encoded:
            tree.delete(key)

    def version(self) -> int:
        return self._root.epoch

    def set_version(self, version: int) -> None:
        self._root = replace(self._root, epoch=version)

    def settings(self) -> dict[str, str]:
        """Return the settings with those set so far."""
        return dict(self._settings) if self._settings is not None else self._reader.settings(self._root)

    def set_setting(self, name: str, value: str) -> None:
        self._settings = {**self.settings(), name: value}

    def create_table(self, table: Table, is_in_order: bool = False, is_backwards: bool = False) -> None:
        self.create_index(table, table.primary_index())

    def keep_in_order(self, table: Table) -> None:
        """Do nothing: every table is kept in the order of its key."""

    def add_columns(self, table: Table, names: Iterable[str]) -> None:
        tree = entries_of(table, table.primary_index()).tree
        self._set_columns(tree, (*self._columns_of(tree), *names))

    def create_index(self, table: Table, index: Index, is_backwards: bool = False) -> None:
        entries = entries_of(table, index)
        if entries.tree in self._columns():
            raise StoreUnavailable(f"the store has {entries.tree!r} already")
        self._set_columns(entries.tree, entries.columns)
        self._drafts[entries.tree] = DraftTree(None, 0, 0, [], self._reader.fetch)

    def drop_index(self, name: str) -> None:
        catalog = dict(self._columns())
        if catalog.pop(name, None) is None:
            raise StoreUnavailable(f"the store has no {name!r}")
        self._catalog = catalog
        self._drafts.pop(name, None)
        self._dropped.append(name)

    def index_names(self) -> frozenset[str]:
        return frozenset(name for name in self._columns() if name.startswith("index "))

    def changes(self, page_bytes: int, name_of: NewNames) -> Changes | None:
        """Return what is to be written; None where nothing has changed."""
        packer = Packer(page_bytes, name_of.next, self._reader.fetch)
        trees = {name: tree for name, tree in self._root.trees.items() if name not in self._dropped}
        replaced: list[str] = []
        for name in self._dropped:
            replaced += self._reader.pages_of(self._root.trees.get(name, Tree()))
        for name, draft in self._drafts.items():
            trees[name] = packer.pack(draft)
            replaced += draft.replaced
        root = replace(self._root, trees=trees)
        documents: list[tuple[str, Any, bytes]] = []
        if self._catalog is not None:
            documents.append((name_of.next(), self._catalog, encoded_document(self._catalog)))
            replaced += [root.catalog] if root.catalog else []
            root = replace(root, catalog=documents[-1][0])
        if self._settings is not None:
            documents.append((name_of.next(), self._settings, encoded_document(self._settings)))
            replaced += [root.settings] if root.settings else []
            root = replace(root, settings=documents[-1][0])
        return None if root == self._begun else Changes(root, packer.pages, documents, replaced)

    def _columns(self) -> dict[str, tuple[str, ...]]:
        return self._catalog if self._catalog is not None else dict(self._reader.catalog(self._root))

    def _columns_of(self, tree: str) -> tuple[str, ...]:
        columns = self._columns().get(tree)
        if columns is None:
            raise StoreUnavailable(f"the store has no {tree!r}: deploy again")
        return columns

    def _set_columns(self, tree: str, columns: tuple[str, ...]) -> None:
        self._catalog = {**self._columns(), tree: columns}

    def _draft(self, name: str) -> DraftTree:
        if name not in self._drafts:
            page, height, rows = self._root.trees.get(name, Tree())
            self._drafts[name] = DraftTree(page, height, rows, [], self._reader.fetch)
        return self._drafts[name]


class NewNames:
    """The names of the pages that one commit writes: none was used before."""

    def __init__(self, commit: str) -> None:
        self._commit = commit
        self._count = 0

    def next(self) -> str:
        self._count += 1
        return f"pages/{self._commit}-{self._count}"
