"""A damaged history: which of its saves are whole, and a new history made of them.

    every object that can be read  →  lines of commits, the one that ends in main last  →  those whose files are whole
                                   →  the same commits, and behind them one that says how many are lost

A line that a missing commit cuts in two is two lines here. Whatever the damage is, nothing is raised for it.
"""

from __future__ import annotations

import contextlib
import errno
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dulwich.object_store import DiskObjectStore
from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tree, hex_to_sha
from dulwich.pack import Pack
from dulwich.refs import Ref
from dulwich.repo import Repo

MAIN = Ref(b"refs/heads/main")
TAGS = b"refs/tags/"
DEPLOYED = b"Deployed as "  # how the message of a commit begins that was deployed without being saved
_ID = re.compile(rb"[0-9a-f]{40}")
_PACKED_REF = re.compile(rb"^([0-9a-f]{40}) (refs/[\x21-\x7e]+)$", re.MULTILINE)
DAMAGE = (errno.EIO, errno.ENOENT, errno.ENOTDIR, errno.EISDIR)  # other errors of the system say nothing of a file


@dataclass(frozen=True, slots=True)
class Salvage:
    """What can be read of a damaged history.

    saves         the commits of main whose files are whole, the oldest first
    lost          how many saves are known to be lost; there may have been more
    marks         the commit of each deployment, such as `development/3`, that is whole
    lost_marks    the deployments whose commit is lost
    objects       what the commits need
    is_whole      whether main ends in its first save, and nothing is lost
    """

    saves: tuple[Commit, ...]
    lost: int
    marks: Mapping[bytes, Commit]
    lost_marks: tuple[str, ...]
    objects: Mapping[ObjectID, ShaFile]
    is_whole: bool


def read_salvage(folder: Path) -> Salvage:
    """Read what is whole of a bare repository; OSError where the system lets nobody read it now."""
    with contextlib.closing(DiskObjectStore(str(folder / "objects"))) as store:
        packs: list[Pack] = []
        with _DamagePassedOver():
            packs = store.packs
        return _Reading(folder, packs).carry_out()


def write_salvage(salvage: Salvage, into: Repo, note: Commit | None) -> None:
    """Make a history of whole saves in an empty repository; `note` becomes its last save."""
    objects: dict[ObjectID, ShaFile] = dict(salvage.objects)
    renewed: dict[ObjectID, ObjectID] = {}

    def with_parent(commit: Commit, parent: ObjectID | None) -> ObjectID:
        renewed_commit = commit.copy()
        assert isinstance(renewed_commit, Commit)
        renewed_commit.parents = [] if parent is None else [parent]
        objects[renewed_commit.id] = renewed_commit
        return renewed_commit.id

    newest: ObjectID | None = None
    for commit in salvage.saves:
        newest = renewed[commit.id] = with_parent(commit, newest)
    if note is not None:
        if not salvage.saves:
            objects[Tree().id] = Tree()
        newest = with_parent(note, newest)
    marks = {}
    for name, commit in salvage.marks.items():
        parent = renewed.get(commit.parents[0]) if commit.parents else None
        marks[name] = renewed.get(commit.id) or with_parent(commit, parent)
    into.object_store.add_objects([(item, None) for item in objects.values()])
    if newest is not None:
        into.refs.set_if_equals(MAIN, None, newest)
    for name, commit_id in marks.items():
        into.refs.add_if_new(Ref(TAGS + name), commit_id)


class _Reading:
    def __init__(self, folder: Path, packs: Sequence[Pack]) -> None:
        self.folder = folder
        self.packs = packs
        self.objects: dict[ObjectID, ShaFile] = {}  # that whole commits need
        self.trees: dict[ObjectID, Mapping[ObjectID, ShaFile] | None] = {}

    def carry_out(self) -> Salvage:
        refs = _refs(self.folder)
        commits: dict[ObjectID, Commit] = {}
        for object_id in self._ids():
            item = self._object(object_id)
            if isinstance(item, Commit):
                commits[object_id] = item
        beside = {target for ref, target in refs.items() if _hangs_beside(ref, commits.get(target or ObjectID(b"")))}
        on_line = {commit_id: commit for commit_id, commit in commits.items() if commit_id not in beside}
        lines, missing = _lines(on_line, refs.get(MAIN))
        main = [commit for line in lines for commit in line]
        saves = [commit for commit in main if self._is_whole(commit)]
        marks, lost_marks = {}, []
        for ref, target in sorted(refs.items()):
            if ref.startswith(TAGS):
                name = ref.removeprefix(TAGS)
                commit = None if target is None else commits.get(target)
                if commit is not None and self._is_whole(commit):
                    marks[name] = commit
                elif target is None or commit is not None or self._object(target) is None:
                    lost_marks.append(name.decode("utf-8", "replace"))
        lost = missing + len(main) - len(saves)
        is_whole = not lost and not lost_marks and (refs.get(MAIN) in commits or not (commits or MAIN in refs))
        return Salvage(tuple(saves), lost, marks, tuple(lost_marks), self.objects, is_whole)

    def _ids(self) -> Iterator[ObjectID]:
        """Every object that there may be."""
        for file in (self.folder / "objects").glob("??/*"):
            name = (file.parent.name + file.name).encode()
            if _ID.fullmatch(name):
                yield ObjectID(name)
        for pack in self.packs:
            with _DamagePassedOver():
                yield from list(pack)

    def _object(self, object_id: ObjectID) -> ShaFile | None:
        """One object that has the content that its id says; None where there is none that can be read."""
        name = object_id.decode()
        with _DamagePassedOver():
            loose = ShaFile.from_path(str(self.folder / "objects" / name[:2] / name[2:]))
            return ShaFile.from_raw_string(loose.type_num, loose.as_raw_string(), verify_sha=object_id)
        for pack in self.packs:
            with _DamagePassedOver():
                number, content = pack.get_raw(hex_to_sha(object_id))
                return ShaFile.from_raw_string(number, content, verify_sha=object_id)
        return None

    def _is_whole(self, commit: Commit) -> bool:
        """Whether all files of a commit can be read; what it needs is kept then."""
        needed = self._needed(commit.tree)
        if needed is not None:
            self.objects |= needed
        return needed is not None

    def _needed(self, tree_id: ObjectID) -> Mapping[ObjectID, ShaFile] | None:
        """The objects of a folder, each looked at once; None where one is missing."""
        if tree_id not in self.trees:
            self.trees[tree_id] = None
            tree = self._object(tree_id)
            if isinstance(tree, Tree):
                self.trees[tree_id] = self._needed_below(tree)
        return self.trees[tree_id]

    def _needed_below(self, tree: Tree) -> Mapping[ObjectID, ShaFile] | None:
        needed: dict[ObjectID, ShaFile] = {tree.id: tree}
        with _DamagePassedOver():
            for _, mode, object_id in tree.items():
                if stat.S_ISDIR(mode):
                    below = self._needed(object_id)
                    if below is None:
                        return None
                    needed |= below
                else:
                    blob = self.objects.get(object_id) or self._object(object_id)
                    if not isinstance(blob, Blob):
                        return None
                    needed[object_id] = blob
            return needed
        return None


def _refs(folder: Path) -> dict[bytes, ObjectID | None]:
    """What each ref names; None for one that names nothing."""
    refs: dict[bytes, ObjectID | None] = {}
    with _DamagePassedOver():
        packed = (folder / "packed-refs").read_bytes()
        refs |= {match[2]: ObjectID(match[1]) for match in _PACKED_REF.finditer(packed)}
    for file in (folder / "refs").rglob("*"):
        if file.is_file() and file.suffix != ".lock":
            content = file.read_bytes().strip()
            is_id = _ID.fullmatch(content) is not None
            refs[file.relative_to(folder).as_posix().encode()] = ObjectID(content) if is_id else None
    return refs


def _hangs_beside(ref: bytes, commit: Commit | None) -> bool:
    """Whether a ref marks a commit that is no save: what was deployed without being saved."""
    message = b"" if commit is None else commit.message.rstrip(b"\n")
    return message.startswith(DEPLOYED) and ref.endswith(b"/" + message.removeprefix(DEPLOYED))


def _lines(commits: Mapping[ObjectID, Commit], tip: ObjectID | None) -> tuple[list[list[Commit]], int]:
    """The pieces of the line of saves, the oldest first, and how many commits between and behind them are missing.

    main → c5 → c4 → (missing) and c2 → c1, which no other commit names: [[c1, c2], [c4, c5]], 1
    """
    seen: set[ObjectID] = set()
    missing: set[ObjectID] = set()
    lines: list[list[Commit]] = []
    is_complete = False
    if tip is not None:
        line, end = _walk(commits, tip, seen)
        lines += [line] if line else []
        is_complete = end is None
        missing |= set() if end is None else {end}
    parents = {parent for commit in commits.values() for parent in commit.parents}
    heads = [] if is_complete else [commit_id for commit_id in commits if commit_id not in parents | seen]
    pieces = sorted(
        (_walk(commits, head, set(seen))[0] for head in heads),
        key=lambda piece: (len(piece), piece[-1].commit_time),
        reverse=True,
    )
    older = []
    for piece in pieces:
        line, end = _walk(commits, piece[-1].id, seen)
        if end in seen:  # it hangs beside a line, such as what a killed process wrote
            continue
        older.append(line)
        missing |= set() if end is None else {end}
    older.sort(key=lambda line: line[0].commit_time)
    return [*older, *lines], len(missing)


def _walk(
    commits: Mapping[ObjectID, Commit], tip: ObjectID, seen: set[ObjectID]
) -> tuple[list[Commit], ObjectID | None]:
    """The commits from a tip on that nobody has seen, the oldest first, and the parent that comes before them."""
    line: list[Commit] = []
    commit_id: ObjectID | None = tip
    while commit_id is not None and commit_id in commits and commit_id not in seen:
        seen.add(commit_id)
        line.append(commits[commit_id])
        commit_id = commits[commit_id].parents[0] if commits[commit_id].parents else None
    return line[::-1], commit_id


class _DamagePassedOver:
    """Goes on behind what cannot be read: what dulwich raises then is of a dozen classes."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, OSError):
            return error.errno in DAMAGE or error.errno is None  # dulwich raises some without a number
        return isinstance(error, Exception) and not isinstance(error, MemoryError)
