"""A history that comes from elsewhere, written anew: only files of an application are taken, by plain commits.

    the first parents of a commit  →  a line of saves on main, each with the files below one folder that may be files of
                                      an application; a commit that changes none of them is left out

Nothing else of a foreign repository is kept: no link, no mode, no ref that is no deployment's, no other file. A history
that an application had elsewhere comes out with the same ids.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo

from piql_backend.web.schemas import is_file_path

_MAIN = Ref(b"refs/heads/main")
_TAGS = b"refs/tags/"
_EARLIER = b"earlier/"  # deployments of an imported history; those to come begin at version 1 again
_TAG = re.compile(rb"(earlier/)?[a-z0-9][a-z0-9_-]{0,59}/[0-9]{1,9}")
_IDENTITY = re.compile(rb"[^<>\n\x00]{0,200} <[^<>\n\x00]{0,200}>")
_STRANGER = b"unknown <unknown@localhost>"
_PLAIN_FILE = 0o100644
_MOST_TREES = 300_000  # that are looked at
_MOST_MESSAGE = 2_000
_OBJECTS_AT_ONCE = 10_000
_BYTES_AT_ONCE = 50_000_000
_LATEST = 253_402_300_799  # the end of the year 9999
_PLAIN_ENCODING = b"UTF-8"


class HistoryRefused(Exception):
    """A history that is too large, or is no chain of commits."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How many saves, files at one save, and bytes of one file a history may have."""

    saves: int
    files: int
    file_bytes: int


def rebuild(
    source: Repo,
    head: ObjectID,
    tags: Mapping[bytes, ObjectID],
    into: Repo,
    limits: Limits,
    folder: str = "",
) -> int:
    """Write the line that ends in a commit as main of an empty repository, and return how many saves it has.

    `tags` are refs of the source; those of deployments come along. `folder` has the application's files. Where the line
    is longer than the limit it begins later. Raises HistoryRefused; damage raises what dulwich raises.
    """
    return _Rebuilding(source, into, limits, tuple(part.encode() for part in folder.split("/") if part)).carry_out(
        head, tags
    )


@dataclass
class _Rebuilding:
    source: Repo
    into: Repo
    limits: Limits
    folder: tuple[bytes, ...]
    trees: dict[tuple[ObjectID, bytes], tuple[ObjectID | None, int]] = field(default_factory=dict)
    blobs: dict[ObjectID, bool] = field(default_factory=dict)
    written: set[ObjectID] = field(default_factory=set)
    waiting: list[ShaFile] = field(default_factory=list)
    waiting_bytes: int = 0

    def carry_out(self, head: ObjectID, tags: Mapping[bytes, ObjectID]) -> int:
        line = list(self._first_parents(head))[: self.limits.saves]
        rebuilt: dict[ObjectID, ObjectID | None] = {}
        newest: ObjectID | None = None
        newest_tree: ObjectID | None = None
        count = 0
        for commit in reversed(line):
            tree = self._tree_of(commit)
            if tree != newest_tree and (tree is not None or newest is not None):
                newest = self._commit(commit, tree or self._empty(), newest)
                newest_tree = tree
                count += 1
            rebuilt[commit.id] = newest
        if newest is not None:
            self.into.refs.set_if_equals(_MAIN, None, newest)
            self._take_tags(tags, rebuilt)
        self._flush()
        return count

    def _write(self, item: ShaFile) -> None:
        """Let an object be written with others: one file each would take a minute for some thousand commits."""
        if item.id not in self.written:
            self.written.add(item.id)
            self.waiting.append(item)
            self.waiting_bytes += item.raw_length()
            if len(self.waiting) >= _OBJECTS_AT_ONCE or self.waiting_bytes >= _BYTES_AT_ONCE:
                self._flush()

    def _flush(self) -> None:
        if self.waiting:
            self.into.object_store.add_objects([(item, None) for item in self.waiting])
        self.waiting, self.waiting_bytes = [], 0

    def _first_parents(self, head: ObjectID) -> Iterator[Commit]:
        commit_id: ObjectID | None = head
        shallow = self.source.get_shallow()
        seen = 0
        while commit_id is not None and seen < self.limits.saves:
            commit = self.source.object_store[commit_id]
            if not isinstance(commit, Commit):
                raise HistoryRefused("what should be a commit is none")
            yield commit
            seen += 1
            commit_id = None if commit_id in shallow or not commit.parents else commit.parents[0]

    def _take_tags(self, tags: Mapping[bytes, ObjectID], rebuilt: Mapping[ObjectID, ObjectID | None]) -> None:
        """Name deployments again, also those that hang beside main."""
        for ref, object_id in sorted(tags.items())[: self.limits.saves]:
            name = ref.removeprefix(_TAGS)
            if ref == name or _TAG.fullmatch(name) is None:
                continue
            target = rebuilt.get(object_id)
            if target is None:
                commit = self.source.object_store[object_id]
                if not isinstance(commit, Commit):
                    continue
                parent = rebuilt.get(commit.parents[0]) if commit.parents else None
                target = self._commit(commit, self._tree_of(commit) or self._empty(), parent)
            earlier = name if name.startswith(_EARLIER) else _EARLIER + name
            self.into.refs.add_if_new(Ref(_TAGS + earlier), target)

    def _tree_of(self, commit: Commit) -> ObjectID | None:
        """The tree of the application's files at a commit, written; None where it has none."""
        tree_id = commit.tree
        for part in self.folder:
            tree = self.source.object_store[tree_id]
            if not isinstance(tree, Tree) or part not in tree or not stat.S_ISDIR(tree[part][0]):
                return None
            tree_id = tree[part][1]
        tree_id, files = self._taken(tree_id, b"")
        if files > self.limits.files:
            raise HistoryRefused(f"a commit of it has more than {self.limits.files} files of PIQL")
        return tree_id

    def _taken(self, tree_id: ObjectID, prefix: bytes) -> tuple[ObjectID | None, int]:
        """What is taken of a folder: its tree, and how many files; a folder is looked at once in each place."""
        key = (tree_id, prefix)
        if key in self.trees:
            return self.trees[key]
        if len(self.trees) >= _MOST_TREES:
            raise HistoryRefused("it has too many folders")
        self.trees[key] = (None, 0)
        tree = self.source.object_store[tree_id]
        if not isinstance(tree, Tree):
            raise HistoryRefused("what should be a folder is none")
        taken, count = Tree(), 0
        for name, mode, object_id in tree.items():
            path = prefix + name
            if stat.S_ISDIR(mode):
                below, files = self._taken_below(object_id, path)
                if below is not None:
                    taken.add(name, stat.S_IFDIR, below)
                    count += files
            elif stat.S_ISREG(mode) and self._is_file(path, object_id):
                taken.add(name, _PLAIN_FILE, object_id)
                count += 1
        result: tuple[ObjectID | None, int] = (None, 0)
        if count:
            self._write(taken)
            result = (taken.id, count)
        self.trees[key] = result
        return result

    def _taken_below(self, tree_id: ObjectID, path: bytes) -> tuple[ObjectID | None, int]:
        try:
            may_hold_files = is_file_path(f"{path.decode()}/a.piql")
        except UnicodeDecodeError:
            return None, 0
        return self._taken(tree_id, path + b"/") if may_hold_files else (None, 0)

    def _is_file(self, path: bytes, object_id: ObjectID) -> bool:
        """Whether an entry is a file of an application; its text is written then."""
        try:
            if not is_file_path(path.decode()):
                return False
        except UnicodeDecodeError:
            return False
        if object_id not in self.blobs:
            blob = self.source.object_store[object_id]
            fits = isinstance(blob, Blob) and len(blob.data) <= self.limits.file_bytes
            if fits:
                self._write(blob)
            self.blobs[object_id] = fits
        return self.blobs[object_id]

    def _empty(self) -> ObjectID:
        tree = Tree()
        self._write(tree)
        return tree.id

    def _commit(self, source: Commit, tree: ObjectID, parent: ObjectID | None) -> ObjectID:
        commit = Commit()
        commit.tree = tree
        commit.parents = [] if parent is None else [parent]
        commit.author = _identity(source.author)
        commit.committer = _identity(source.committer)
        commit.author_time = _time(source.author_time)
        commit.commit_time = _time(source.commit_time)
        commit.author_timezone = commit.commit_timezone = 0
        commit.encoding = _PLAIN_ENCODING
        commit.message = source.message[:_MOST_MESSAGE].decode("utf-8", "replace").replace("\x00", "").encode()
        self._write(commit)
        return commit.id


def _identity(text: bytes) -> bytes:
    return text if _IDENTITY.fullmatch(text) else _STRANGER


def _time(seconds: int) -> int:
    return seconds if 0 <= seconds <= _LATEST else 0
