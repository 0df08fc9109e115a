"""What the files of an application were at each save: a bare git repository beside them.

    record(texts)  →  a commit on main, when a text differs from those of the commit before
    mark(texts)    →  a tag, such as development/3, at the newest save with these texts; else they hang beside main

The files are the truth: a save is recorded after it was written, and one that a crash left out comes with the next.
Nothing is ever removed from the repository, and `git clone` reads it as it does any other. One that is damaged can be
mended: it is set aside, and its whole saves begin a new one (`salvaging.py`).

    shop.git.new       is written
    shop.git.mended    it is complete
    shop.git           becomes shop.git.damaged-…, and shop.git.mended becomes shop.git

A process may be killed between any two steps: the next one goes on with what is complete, or begins again.
"""

from __future__ import annotations

import contextlib
import fcntl
import re
import shutil
import threading
import time
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from typing import IO, Literal, TypeAlias

from dulwich.diff_tree import RenameDetector, TreeChange
from dulwich.errors import ChecksumMismatch, NotTreeError, ObjectFormatException
from dulwich.file import FileLocked
from dulwich.index import commit_tree
from dulwich.object_store import MemoryObjectStore, iter_tree_contents, tree_lookup_path
from dulwich.objects import Blob, Commit, ObjectID, RawObjectID, ShaFile, Tree, TreeEntry
from dulwich.refs import Ref
from dulwich.repo import Repo

from piql_backend.file_history.bundles import write_bundle
from piql_backend.file_history.salvaging import DAMAGE, DEPLOYED, MAIN, TAGS, Salvage, read_salvage, write_salvage

_WORKBENCH = b"PIQL Workbench <workbench@localhost>"
_PLAIN_FILE = 0o100644
_HEAD = re.compile(rb"(ref: refs/heads/\S+|[0-9a-f]{40})\s*")
_ID = re.compile(rb"[0-9a-f]{40}")
_LOOSE_OBJECTS = 2_000  # at more files than that, they are packed into one
_SAVES_BETWEEN_COUNTS = 100  # of these files

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
    message: str
    changes: tuple[FileChange, ...]
    marks: tuple[str, ...]


class HistoryDamaged(Exception):
    """The repository cannot be read as one: an object or a ref is missing or damaged."""


@dataclass(frozen=True, slots=True)
class Mended:
    """What became of a damaged history: its name now, and how many saves were kept and are known to be lost.

    `lost_marks` are deployments whose files are lost.
    """

    aside: str
    kept: int
    lost: int
    lost_marks: tuple[str, ...]


@contextlib.contextmanager
def _damage_told() -> Iterator[None]:
    """Raise HistoryDamaged where a damaged repository is read: what dulwich raises then is of a dozen classes."""
    try:
        yield
    except OSError as error:
        if error.errno not in DAMAGE:
            raise
        raise HistoryDamaged("a file of it is missing or cannot be read") from error
    except (FileLocked, HistoryDamaged, MemoryError):
        raise
    except KeyError as damage:
        raise HistoryDamaged("something that a save needs is missing") from damage
    except (ChecksumMismatch, ObjectFormatException, zlib.error) as damage:
        raise HistoryDamaged("something that a save needs cannot be read") from damage
    except Exception as damage:
        raise HistoryDamaged("it cannot be read as a git repository") from damage


class FileHistory:
    """The saves of one application; the repository is made by the first. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._opened: Repo | None = None
        self._commits: list[ObjectID] = []  # of main, the oldest first
        self._ids: tuple[ObjectID, Mapping[bytes, ObjectID]] | None = None  # see _ids_at
        self._recorded = 0

    def close(self) -> None:
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def record(self, texts: Mapping[str, str], message: str) -> int | None:
        """Record the text of each file by its path, and return the number of the save.

        None where nothing differs from the save before. Raises HistoryDamaged, or OSError where nothing can be written.
        """
        with self._writing("heads/main") as repository:
            newest = self._commits[-1] if self._commits else None
            commit = self._commit_after(repository, newest, texts, message)
            if commit == newest:
                return None
            if newest is None:
                repository.refs.add_if_new(MAIN, commit)
            else:
                repository.refs.set_if_equals(MAIN, newest, commit)
            self._commits.append(commit)
            self._pack_when_many(repository)
            return len(self._commits)

    def mark(self, texts: Mapping[str, str], name: str) -> None:
        """Name the state of these texts, such as `development/3`; a name that is taken keeps its state.

        Raises HistoryDamaged, or OSError where nothing can be written.
        """
        with self._writing(f"tags/{name}") as repository:
            newest = self._commits[-1] if self._commits else None
            commit = self._save_of(repository, texts)
            if commit is None:
                commit = self._commit_after(repository, newest, texts, DEPLOYED.decode() + name)
            repository.refs.add_if_new(Ref(TAGS + name.encode()), commit)

    def marks(self) -> frozenset[str]:
        """Return the names of all deployments. Raises HistoryDamaged."""
        with self._lock, _damage_told():
            repository = self._repository()
            return frozenset() if repository is None else frozenset(chain.from_iterable(_marks(repository).values()))

    def retire_marks(self, environment: str) -> None:
        """Call the deployments of an environment `earlier/staging/3`, or `earlier/staging-2/3` where that is taken.

        Raises HistoryDamaged, or OSError where nothing can be written.
        """
        with self._alone(), _damage_told():
            repository = self._repository()
            if repository is None:
                return
            names = repository.refs.as_dict(Ref(TAGS.rstrip(b"/")))
            there = {name.rpartition(b"/")[0] for name in names}
            old, new = environment.encode(), next(free for free in _earlier(environment) if free not in there)
            for name, commit in names.items():
                if name.rpartition(b"/")[0] == old:
                    for ref in (Ref(TAGS + new + name.removeprefix(old)), Ref(TAGS + name)):
                        self._unlock(ref)
                    repository.refs.add_if_new(Ref(TAGS + new + name.removeprefix(old)), commit)
                    repository.refs.remove_if_equals(Ref(TAGS + name), commit)

    def newest_first(self, before: int | None = None, path: str | None = None) -> Iterator[Save]:
        """Yield the saves below a number, from the newest on; with `path` those that changed this file.

        A file that was renamed is followed to what it was called before. Raises HistoryDamaged.
        """
        with self._lock, _damage_told():
            repository = self._repository()
            if repository is None:
                return
            self._follow(repository)
            marks = _marks(repository)
            newest = len(self._commits) if before is None else min(before - 1, len(self._commits))
        for number in range(newest, 0, -1):
            with self._lock, _damage_told():
                if path is not None and self._is_untouched(repository, number, path):
                    continue
                save = self._save(repository, number, marks)
            yield save
            path = next((change.old_path for change in save.changes if change.path == path and change.old_path), path)

    def save(self, number: int) -> Save | None:
        """Return one save; None where there is none of that number. Raises HistoryDamaged."""
        with self._lock, _damage_told():
            repository = self._at(number)
            return None if repository is None else self._save(repository, number, _marks(repository))

    def texts(self, number: int) -> dict[str, str] | None:
        """Return the text of each file by its path at a save; None if there is no such save. Raises HistoryDamaged."""
        with self._lock, _damage_told():
            repository = self._at(number)
            return None if repository is None else _texts(repository, self._commits[number - 1])

    def write_bundle(self, file: IO[bytes]) -> None:
        """Write all saves and deployments as a git bundle, while others go on saving. Raises HistoryDamaged."""
        with self._lock, _damage_told():
            repository = self._repository()
            if repository is None:
                raise HistoryDamaged("there is no history yet")
            tags = repository.refs.as_dict(Ref(TAGS.rstrip(b"/")))
            refs = {Ref(b"HEAD"): repository.refs[MAIN], MAIN: repository.refs[MAIN]}
            refs |= {Ref(TAGS + name): commit_id for name, commit_id in tags.items()}
        with _damage_told(), contextlib.closing(Repo(str(self._folder), bare=True)) as reader:
            write_bundle(reader, refs, file)

    def mend(self) -> Mended | None:
        """Set a damaged repository aside, and begin a new one with the saves that are whole.

        None where everything can be read by now: another process has mended it, or has only written it anew.
        """
        with self._alone():
            self.close()
            self._commits, self._ids = [], None
            salvage = read_salvage(self._folder)
            with contextlib.suppress(HistoryDamaged), _damage_told():
                repository = self._repository()
                if salvage.is_whole and repository is not None:
                    self._follow(repository)
                    return None
            self.close()
            self._commits = []
            aside = self._beside(f"git.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}")
            self._make_of(salvage, aside.name)
            self._folder.rename(aside)
            self._beside("git.mended").rename(self._folder)
            return Mended(aside.name, len(salvage.saves), salvage.lost, salvage.lost_marks)

    def _make_of(self, salvage: Salvage, aside: str) -> None:
        """Write the repository of a salvage, complete, beside its place."""
        note = None
        if salvage.lost:
            lost = f"At least {salvage.lost} save{'s are' if salvage.lost > 1 else ' is'} lost"
            tree = salvage.saves[-1].tree if salvage.saves else Tree().id
            note = _commit_of(tree, None, f"{lost}: the history was damaged, and is now {aside}")
        new, complete = self._beside("git.new"), self._beside("git.mended")
        for left in (new, complete):  # by a process that was killed
            shutil.rmtree(left, ignore_errors=True)
        with contextlib.closing(Repo.init_bare(new, mkdir=True, default_branch=b"main")) as repository:
            write_salvage(salvage, repository, note)
        new.rename(complete)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Let one thread of one process write."""
        with self._lock:
            self._folder.parent.mkdir(parents=True, exist_ok=True)
            with self._folder.with_suffix(".lock").open("w") as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # let go of by the system, whatever the end
                yield

    @contextlib.contextmanager
    def _writing(self, ref: str) -> Iterator[Repo]:
        """Let one thread of one process write and move a ref; what another has recorded is known inside."""
        with self._alone(), _damage_told():
            repository = self._repository() or self._create()
            self._unlock(Ref(f"refs/{ref}".encode()))
            self._follow(repository)
            yield repository

    def _unlock(self, ref: Ref) -> None:
        """Remove what a killed process left that moved a ref."""
        (self._folder / f"{ref.decode()}.lock").unlink(missing_ok=True)

    def _commit_after(
        self, repository: Repo, newest: ObjectID | None, texts: Mapping[str, str], message: str
    ) -> ObjectID:
        """Write a commit of these texts behind the newest one, or return the newest one where it has the same texts.

        Each object is a file of its own: dulwich writes several at once as a pack, and many packs are slow to search.
        """
        blobs = [Blob.from_string(text.encode("utf-8", "replace")) for text in texts.values()]
        ids = {path.encode(): blob.id for path, blob in zip(texts, blobs, strict=True)}
        ids_before = self._ids_at(repository, newest)
        if newest is not None and ids == ids_before:
            return newest
        there = set(ids_before.values())
        for blob in blobs:
            if blob.id not in there:
                repository.object_store.add_object(blob)
        tree = commit_tree(repository.object_store, [(path, blob_id, _PLAIN_FILE) for path, blob_id in ids.items()])
        commit = _new_commit(repository, tree, newest, message)
        self._ids = (commit, ids)
        return commit

    def _save_of(self, repository: Repo, texts: Mapping[str, str]) -> ObjectID | None:
        """Return the newest save that has these texts, None for none."""
        blobs = [(path.encode(), Blob.from_string(text.encode("utf-8", "replace")).id) for path, text in texts.items()]
        tree = commit_tree(MemoryObjectStore(), [(path, blob, _PLAIN_FILE) for path, blob in blobs])
        return next((save for save in reversed(self._commits) if _commit(repository, save).tree == tree), None)

    def _ids_at(self, repository: Repo, commit: ObjectID | None) -> Mapping[bytes, ObjectID]:
        """Return the object of each file at a commit by its path; those of the last commit are remembered."""
        if commit is None:
            return {}
        if self._ids is None or self._ids[0] != commit:
            self._ids = (commit, dict(_entries(repository, commit)))
        return self._ids[1]

    def _at(self, number: int) -> Repo | None:
        repository = self._repository()
        if repository is not None:
            self._follow(repository)
        return repository if 1 <= number <= len(self._commits) else None

    def _repository(self) -> Repo | None:
        if self._opened is None:
            complete = self._beside("git.mended")
            if not self._folder.exists() and complete.is_dir():  # a process was killed between two renames
                complete.rename(self._folder)
            if self._folder.exists():
                head = self._folder / "HEAD"
                named = head.read_bytes()[:300] if head.is_file() else b""
                if not (self._folder / "config").is_file() or not _HEAD.fullmatch(named):
                    raise ObjectFormatException("it has no config, or its HEAD names nothing")
                self._opened = Repo(str(self._folder), bare=True)
        return self._opened

    def _create(self) -> Repo:
        """Create the repository beside its place, and put it there whole."""
        new = self._beside("git.new")
        shutil.rmtree(new, ignore_errors=True)  # of a process that was killed
        Repo.init_bare(new, mkdir=True, default_branch=b"main").close()
        new.rename(self._folder)
        self._opened = Repo(str(self._folder), bare=True)
        return self._opened

    def _beside(self, end: str) -> Path:
        """What is written, or set aside, beside the repository."""
        return self._folder.with_suffix(f".{end}")

    def _follow(self, repository: Repo) -> None:
        """Read the commits of main that are not known: at the start, and what another process recorded."""
        commit: ObjectID | None = None
        if MAIN in repository.refs:
            commit = repository.refs[MAIN]
        elif next(iter(repository.object_store), None) is not None:
            raise ObjectFormatException("main names nothing, although there are saves")
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
            commit.message.decode("utf-8", "replace").rstrip("\n"),
            tuple(sorted(map(_change_of, changes), key=lambda change: change.path)),
            tuple(marks.get(commit_id, ())),
        )

    def _is_untouched(self, repository: Repo, number: int, path: str) -> bool:
        """Whether a file is the same at a save and at the one before it: this is quicker than comparing all files."""
        before = self._commits[number - 2] if number > 1 else None
        return _object_at(repository, self._commits[number - 1], path) == _object_at(repository, before, path)

    def _pack_when_many(self, repository: Repo) -> None:
        """Pack the objects that lie in files of their own when there are many: such a folder is slow to read."""
        self._recorded += 1
        if self._recorded % _SAVES_BETWEEN_COUNTS == 1:
            loose = sum(1 for _ in (self._folder / "objects").glob("??/*"))
            if loose > _LOOSE_OBJECTS:
                repository.object_store.pack_loose_objects()


def _new_commit(repository: Repo, tree: ObjectID, parent: ObjectID | None, message: str) -> ObjectID:
    commit = _commit_of(tree, parent, message)
    repository.object_store.add_object(commit)
    return commit.id


def _commit_of(tree: ObjectID, parent: ObjectID | None, message: str) -> Commit:
    commit = Commit()
    commit.tree = tree
    commit.parents = [] if parent is None else [parent]
    commit.author = commit.committer = _WORKBENCH
    commit.commit_time = commit.author_time = int(time.time())
    commit.commit_timezone = commit.author_timezone = 0
    commit.encoding = b"UTF-8"
    commit.message = message.encode("utf-8", "replace") + b"\n"
    return commit


def _commit(repository: Repo, commit_id: ObjectID) -> Commit:
    commit = repository.object_store[commit_id]
    if not isinstance(commit, Commit):
        raise ObjectFormatException(f"{commit_id!r} is no commit")
    return commit


def _entries(repository: Repo, commit: ObjectID) -> Iterator[tuple[bytes, ObjectID]]:
    """Yield the path and the object of each file at a commit."""
    for entry in iter_tree_contents(repository.object_store, _commit(repository, commit).tree):
        if entry.path is not None and entry.sha is not None:
            yield entry.path, entry.sha


def _object_at(repository: Repo, commit: ObjectID | None, path: str) -> ObjectID | None:
    """Return the object of one file at a commit; None where there is no such file."""
    if commit is None:
        return None

    def stored(object_id: ObjectID | RawObjectID) -> ShaFile:
        try:
            return repository.object_store[object_id]
        except KeyError as missing:  # not to be taken for a file that is not there
            raise ObjectFormatException(f"{object_id!r} is missing") from missing

    try:
        return tree_lookup_path(stored, _commit(repository, commit).tree, path.encode())[1]
    except (KeyError, NotTreeError):
        return None


def _texts(repository: Repo, commit: ObjectID) -> dict[str, str]:
    store = repository.object_store
    return {
        path.decode(): store[object_id].as_raw_string().decode("utf-8", "replace")
        for path, object_id in _entries(repository, commit)
    }


def _marks(repository: Repo) -> dict[ObjectID, list[str]]:
    """Return the names that were given to each commit."""
    marks = defaultdict[ObjectID, list[str]](list)
    named = repository.refs.as_dict(Ref(TAGS.rstrip(b"/")))
    names = {name for name in repository.refs.subkeys(Ref(TAGS.rstrip(b"/"))) if not name.endswith(b".lock")}
    if names - named.keys() or not all(_ID.fullmatch(commit_id) for commit_id in named.values()):
        raise ObjectFormatException("the mark of a deployment names nothing")
    for name, commit_id in sorted(named.items()):
        marks[commit_id].append(name.decode("utf-8", "replace"))
    return marks


def _earlier(environment: str) -> Iterator[bytes]:
    """Yield names for the deployments of an environment that is gone."""
    for number in count(1):
        yield f"earlier/{environment}{'' if number == 1 else f'-{number}'}".encode()


def _change_of(change: TreeChange) -> FileChange:
    old_path, path = _path_of(change.old), _path_of(change.new)
    kind = _KINDS[change.type]
    return FileChange(path or old_path or "", kind, old_path if kind == "renamed" else None)


def _path_of(entry: TreeEntry | None) -> str | None:
    return None if entry is None or entry.path is None else entry.path.decode("utf-8", "replace")
