"""The root: the one object of a store that is changed in place, always on the condition that it is the one last read.

It says which pages are the store. Whoever has read it has a snapshot, since pages never change. It also says whose turn
it is to write. What each field holds:

    write     the name of the put that left it so, never used twice
    number    how many transactions have been committed;  `commits` the names of the last ones, the newest at the end
    epoch     how often what writers must know of the schema has changed
    holder    the writer whose turn it is, with a number that grows while it is alive; or nobody
    catalog   the page with the columns of each tree;  `settings` the page with what the engine keeps beside the data
    trees     of each index its first page, its height in pages and its number of rows
    retired   pages that are no part of the store any more, and the second in which they ceased to be
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from piql.errors import NotAStore
from piql.store.s3.pages import decoded_document, encoded_document

ROOT = "root"
_FORMAT = 1


class Tree(NamedTuple):
    """An index: its first page (None: it is empty), how many pages deep it is, and its rows."""

    page: str | None = None
    height: int = 0
    rows: int = 0


class Holder(NamedTuple):
    """The writer whose turn it is; `beat` grows while it is alive."""

    name: str
    beat: int = 0


class Retired(NamedTuple):
    """Pages that a commit replaced, and the second since 1970 in which it did."""

    at: int
    pages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Root:
    """The state of a store; see the module's head."""

    write: str = ""
    number: int = 0
    commits: tuple[str, ...] = ()
    epoch: int = 0
    holder: Holder | None = None
    catalog: str | None = None
    settings: str | None = None
    trees: Mapping[str, Tree] = field(default_factory=dict)
    retired: Sequence[Retired] = ()


EMPTY = Root()
"""The root of a store that nobody has written to."""


def encoded_root(root: Root) -> bytes:
    """Return the object of a root."""
    return encoded_document(
        {
            "piql": _FORMAT,
            "write": root.write,
            "number": root.number,
            "commits": root.commits,
            "epoch": root.epoch,
            "holder": root.holder,
            "catalog": root.catalog,
            "settings": root.settings,
            "trees": root.trees,
            "retired": root.retired,
        }
    )


def decoded_root(data: bytes, shown: str) -> Root:
    """Return the root that an object holds; raise NotAStore for one of another program or another version."""
    document: Any = decoded_document(ROOT, data)
    if not isinstance(document, dict) or document.get("piql") != _FORMAT:
        raise NotAStore(f"{shown} is not a store of this version of PIQL: name another prefix")
    return Root(
        document["write"],
        document["number"],
        tuple(document["commits"]),
        document["epoch"],
        Holder(*document["holder"]) if document["holder"] else None,
        document["catalog"],
        document["settings"],
        {name: Tree(*tree) for name, tree in document["trees"].items()},
        tuple(Retired(at, tuple(pages)) for at, pages in document["retired"]),
    )
