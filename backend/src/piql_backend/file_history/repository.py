"""What the files of an application were at each save: a bare git repository beside them.

    record(texts)  →  a commit on main, when a text differs from those of the commit before
    mark(texts)    →  a tag, such as development/3; texts that are no save hang beside main

The files are the truth: a save is recorded after it was written, and one that a crash left out comes with the next.
Nothing is ever removed from the repository, and `git clone` reads it as it does any other.
"""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

from dulwich.diff_tree import RenameDetector, TreeChange
from dulwich.index import commit_tree
from dulwich.object_store import iter_tree_contents
from dulwich.objects import Blob, Commit, ObjectID, TreeEntry
from dulwich.refs import Ref
from dulwich.repo import Repo

_MAIN = Ref(b"refs/heads/main")
_TAGS = b"refs/tags/"
_WORKBENCH = b"PIQL Workbench <workbench@localhost>"
_PLAIN_FILE = 0o100644
_LOOSE_OBJECTS = 2_000  # so many files before they are packed into one
_SAVES_BETWEEN_LOOKS = 100  # at how many files there are

ChangeKind: TypeAlias = Literal["added", "changed", "removed", "renamed"]
_KINDS: dict[str, ChangeKind] = {"add": "added", "modify": "changed", "delete": "removed", "rename": "renamed"}


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file that a save changed; `old_path` is what a renamed one was called before."""

    path: str
    kind: ChangeKind
    old_path: str | None = None


@dataclass(frozen=True, slots=True)
class Save:
    """One state of all files; saves are numbered from 1 as they were recorded.

    `marks` are the deployments that were made from it, such as `development/3`.
    """

    number: int
    at: datetime
    by: str
    message: str
    changes: tuple[FileChange, ...]
    marks: tuple[str, ...]


class FileHistory:
    """The saves of one application; the repository is made by the first. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._opened: Repo | None = None
        self._commits: list[ObjectID] = []  # of main, the oldest first
        self._recorded = 0

    def close(self) -> None:
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def record(self, texts: Mapping[str, str], message: str, by: str = "") -> Save | None:
        """Record the text of each file by its path; None where nothing differs from the save before.

        Raises OSError where the repository cannot be written.
        """
        with self._writing() as repository:
            tree = _tree_of(repository, texts)
            newest = self._commits[-1] if self._commits else None
            if newest is not None and _commit(repository, newest).tree == tree:
                return None
            commit = _new_commit(repository, tree, newest, message, by)
            if newest is None:
                repository.refs.add_if_new(_MAIN, commit)
            else:
                repository.refs.set_if_equals(_MAIN, newest, commit)
            self._commits.append(commit)
            self._pack_some_day(repository)
            return self._save(repository, len(self._commits), {})

    def mark(self, texts: Mapping[str, str], name: str, message: str, by: str = "") -> None:
        """Name the state of these texts, such as `development/3`; a name that is taken keeps its state."""
        with self._writing() as repository:
            tree = _tree_of(repository, texts)
            newest = self._commits[-1] if self._commits else None
            if newest is None or _commit(repository, newest).tree != tree:
                newest = _new_commit(repository, tree, newest, message, by)
            repository.refs.add_if_new(Ref(_TAGS + name.encode()), newest)

    @property
    def count(self) -> int:
        """How many saves there are; the newest has this number."""
        with self._lock:
            repository = self._repository()
            if repository is not None:
                self._follow(repository)
            return len(self._commits)

    def newest_first(self, before: int | None = None, path: str | None = None) -> Iterator[Save]:
        """Give the saves below a number, from the newest on; with `path` those that changed this file.

        A file that was renamed is followed to what it was called before.
        """
        with self._lock:
            repository = self._repository()
            if repository is None:
                return
            self._follow(repository)
            marks = _marks(repository)
            newest = len(self._commits) if before is None else min(before - 1, len(self._commits))
        for number in range(newest, 0, -1):
            with self._lock:
                save = self._save(repository, number, marks)
            change = next((change for change in save.changes if change.path == path), None)
            if path is None or change is not None:
                yield save
            if change is not None and change.old_path is not None:
                path = change.old_path

    def save(self, number: int) -> Save | None:
        """Return one save; None where there is none of that number."""
        with self._lock:
            repository = self._at(number)
            return None if repository is None else self._save(repository, number, _marks(repository))

    def texts(self, number: int) -> dict[str, str] | None:
        """Return the text of each file at a save by its path; None where there is none of that number."""
        with self._lock:
            repository = self._at(number)
            return None if repository is None else _texts(repository, self._commits[number - 1])

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Repo]:
        """Let one thread of one process write; what another has recorded is known inside."""
        with self._lock:
            self._folder.parent.mkdir(parents=True, exist_ok=True)
            with self._folder.with_suffix(".lock").open("w") as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # let go of by the system, whatever the end
                repository = self._repository() or self._made()
                for leftover in (self._folder / "refs").rglob("*.lock"):  # of a process that was killed
                    leftover.unlink(missing_ok=True)
                self._follow(repository)
                yield repository

    def _at(self, number: int) -> Repo | None:
        repository = self._repository()
        if repository is not None:
            self._follow(repository)
        return repository if 1 <= number <= len(self._commits) else None

    def _repository(self) -> Repo | None:
        if self._opened is None and (self._folder / "config").is_file():
            self._opened = Repo(str(self._folder), bare=True)
        return self._opened

    def _made(self) -> Repo:
        """Make the repository beside its place, and put it there whole."""
        new = self._folder.with_suffix(".new")
        shutil.rmtree(new, ignore_errors=True)  # of a process that was killed
        Repo.init_bare(new, mkdir=True, default_branch=b"main").close()
        new.rename(self._folder)
        self._opened = Repo(str(self._folder), bare=True)
        return self._opened

    def _follow(self, repository: Repo) -> None:
        """Read the commits of main that are not known: at the start, and what another process recorded."""
        commit = repository.refs.as_dict(Ref(b"refs/heads")).get(Ref(b"main"))
        known = self._commits[-1] if self._commits else None
        unknown: list[ObjectID] = []
        while commit is not None and commit != known:
            unknown.append(commit)
            parents = _commit(repository, commit).parents
            commit = parents[0] if parents else None
        if commit is None and unknown:
            self._commits = []  # main was moved to another line
        self._commits += reversed(unknown)

    def _save(self, repository: Repo, number: int, marks: Mapping[ObjectID, Sequence[str]]) -> Save:
        commit_id = self._commits[number - 1]
        commit = _commit(repository, commit_id)
        before = _commit(repository, self._commits[number - 2]).tree if number > 1 else None
        changes = RenameDetector(repository.object_store).changes_with_renames(before, commit.tree)
        return Save(
            number,
            datetime.fromtimestamp(commit.commit_time, UTC),
            commit.author.decode("utf-8", "replace").rpartition(" <")[0],
            commit.message.decode("utf-8", "replace").rstrip("\n"),
            tuple(sorted(map(_change_of, changes), key=lambda change: change.path)),
            tuple(marks.get(commit_id, ())),
        )

    def _pack_some_day(self, repository: Repo) -> None:
        """Pack what lies in files of its own once there is much of it: a folder of many files is slow to read."""
        self._recorded += 1
        if self._recorded % _SAVES_BETWEEN_LOOKS == 1:
            loose = sum(1 for _ in (self._folder / "objects").glob("??/*"))
            if loose > _LOOSE_OBJECTS:
                repository.object_store.pack_loose_objects()


def _tree_of(repository: Repo, texts: Mapping[str, str]) -> ObjectID:
    """Write the texts that are new, and return the tree of them all."""
    blobs = [(path, Blob.from_string(text.encode("utf-8", "replace"))) for path, text in texts.items()]
    store = repository.object_store
    store.add_objects([(blob, None) for _, blob in blobs if blob.id not in store])
    return commit_tree(store, [(path.encode(), blob.id, _PLAIN_FILE) for path, blob in blobs])


def _new_commit(repository: Repo, tree: ObjectID, parent: ObjectID | None, message: str, by: str) -> ObjectID:
    commit = Commit()
    commit.tree = tree
    commit.parents = [] if parent is None else [parent]
    author = " ".join(by.translate(_NO_BRACKETS).split())
    commit.author = f"{author} <workbench@localhost>".encode() if author else _WORKBENCH
    commit.committer = _WORKBENCH
    commit.commit_time = commit.author_time = int(time.time())
    commit.commit_timezone = commit.author_timezone = 0
    commit.encoding = b"UTF-8"
    commit.message = message.encode("utf-8", "replace") + b"\n"
    repository.object_store.add_object(commit)
    return commit.id


_NO_BRACKETS = str.maketrans("<>\0\n", "    ")


def _commit(repository: Repo, commit_id: ObjectID) -> Commit:
    commit = repository.object_store[commit_id]
    assert isinstance(commit, Commit)
    return commit


def _texts(repository: Repo, commit_id: ObjectID) -> dict[str, str]:
    store = repository.object_store
    entries = iter_tree_contents(store, _commit(repository, commit_id).tree)
    return {
        entry.path.decode(): store[entry.sha].as_raw_string().decode("utf-8", "replace")
        for entry in entries
        if entry.path is not None and entry.sha is not None
    }


def _marks(repository: Repo) -> dict[ObjectID, list[str]]:
    """Return the names that were given to each commit."""
    marks = defaultdict[ObjectID, list[str]](list)
    for name, commit_id in sorted(repository.refs.as_dict(Ref(_TAGS.rstrip(b"/"))).items()):
        marks[commit_id].append(name.decode("utf-8", "replace"))
    return marks


def _change_of(change: TreeChange) -> FileChange:
    old_path, path = _path_of(change.old), _path_of(change.new)
    kind = _KINDS[change.type]
    return FileChange(path or old_path or "", kind, old_path if kind == "renamed" else None)


def _path_of(entry: TreeEntry | None) -> str | None:
    return None if entry is None or entry.path is None else entry.path.decode("utf-8", "replace")
