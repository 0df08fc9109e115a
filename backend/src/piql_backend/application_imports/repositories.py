"""Reads a git repository into a staged application: over HTTP, or one that lies in a folder of the server.

Its files are those of the newest commit of a branch, below one folder. Its commits become saves where they changed such
files; with `is_shallow`, or where the files are SQL, the history begins with the import.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dulwich.client import HttpGitClient
from dulwich.object_store import iter_tree_contents, tree_lookup_path
from dulwich.objects import Blob, Commit, ObjectID, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo
from piql.text.web_addresses import web_address_of

from piql_backend.application_imports.archives import HISTORY_LIMITS
from piql_backend.application_imports.staged import HISTORY, ImportNote, Staged, StagingRefused, write_staged
from piql_backend.application_imports.texts import MOST_SQL_BYTES, PIQL_ENDING, SQL_ENDINGS, take_texts
from piql_backend.archives.layout import MOST_ARCHIVE_BYTES
from piql_backend.file_history.rebuilding import rebuild
from piql_backend.web.schemas import is_file_path

_SECONDS_WITHOUT_ANSWER = 20.0
_MOST_ENTRIES = 50_000
_HEAD = Ref(b"HEAD")
_BRANCHES = b"refs/heads/"


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of a repository: `branch` "" for its usual one, `folder` "" for all of it."""

    branch: str
    folder: str
    is_shallow: bool


def stage_repository(source: str, wish: Wish, into: Path) -> None:
    """Write a repository, by its address or the path of its folder, as a staged application. Raises StagingRefused."""
    fetched = into / "fetched.git"
    into.mkdir(parents=True, exist_ok=True)
    try:
        with _opened(source, wish, fetched) as (repository, head):
            _stage(repository, head, _name_of(source), wish, into)
    except (StagingRefused, MemoryError):
        raise
    except Exception as fault:  # what dulwich raises, of dozens of classes
        reason = f"the repository cannot be read: {str(fault)[:300] or type(fault).__name__}"
        raise StagingRefused(reason, "Check its address and branch.") from fault
    finally:
        shutil.rmtree(fetched, ignore_errors=True)


def _stage(repository: Repo, head: ObjectID, name: str, wish: Wish, into: Path) -> None:
    files = _texts(repository, head, wish.folder)
    texts, notes = take_texts(files)
    saves = 0
    if wish.is_shallow or not any(is_file_path(path) for path in files):
        notes = (*notes, ImportNote(what="history", why="it begins with this import"))
    else:
        target = into / HISTORY
        with contextlib.closing(Repo.init_bare(str(target), mkdir=True, default_branch=b"main")) as history:
            saves = rebuild(repository, head, {}, history, HISTORY_LIMITS, wish.folder)
    write_staged(into, Staged(title=name, saves=saves, notes=notes), texts)


@contextlib.contextmanager
def _opened(source: str, wish: Wish, fetched: Path) -> Iterator[tuple[Repo, ObjectID]]:
    if source.startswith("/"):
        with contextlib.closing(_local(Path(source))) as repository:
            refs = {bytes(ref): object_id for ref, object_id in repository.get_refs().items()}
            yield repository, _head(refs, wish.branch)
        return
    with contextlib.closing(Repo.init_bare(str(fetched), mkdir=True)) as repository:
        yield repository, _fetch(source, wish, repository)


def _local(folder: Path) -> Repo:
    """Open a repository that lies in one folder as a whole."""
    for control in (folder, folder / ".git"):
        if (control / "objects").is_dir() and (control / "HEAD").is_file():
            outside = [name for name in ("commondir", "objects/info/alternates") if (control / name).exists()]
            places = (control, control / "objects", control / "refs")
            if outside or any(not place.resolve().is_relative_to(folder.resolve()) for place in places):
                raise StagingRefused("the repository takes its objects from another folder", "Clone it whole.")
            return Repo(str(folder), bare=control == folder)
    raise StagingRefused(f"{folder} is no git repository", "Name the folder that holds .git, or a bare repository.")


def _fetch(url: str, wish: Wish, repository: Repo) -> ObjectID:
    """Fetch one branch, and return its newest commit."""
    parts = web_address_of(url)
    if parts is None:
        raise StagingRefused("this is not the address of a repository", "Write https://HOST/PATH.")
    client = HttpGitClient(f"{parts.scheme}://{parts.authority}", timeout=_SECONDS_WITHOUT_ANSWER, quiet=True)
    pool: Any = _AtOnePlace(client.pool_manager)
    client.pool_manager = pool
    wanted: list[ObjectID] = []

    def wants(refs: Mapping[Ref, ObjectID], depth: int | None = None) -> list[ObjectID]:
        wanted.append(_head({bytes(ref): object_id for ref, object_id in refs.items()}, wish.branch))
        return wanted

    client.fetch(parts.path, repository, wants, progress=_refuse_much(), depth=1 if wish.is_shallow else None)
    if not wanted:
        raise StagingRefused("the repository is empty")
    return wanted[0]


class _AtOnePlace:
    """Sends requests as the pool of a client does, but follows no redirection: the address was allowed, no other."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self.headers = pool.headers

    def request(self, method: str, url: str, **options: Any) -> Any:
        answer = self._pool.request(method, url, **(options | {"redirect": False}))
        if 300 <= answer.status < 400:
            target = str(answer.headers.get("Location", ""))[:200]
            raise StagingRefused(f"the server sends the request on to {target}", "Name that address.")
        return answer

    def clear(self) -> None:
        self._pool.clear()


def _refuse_much() -> Callable[[bytes], None]:
    """What the server tells while it sends is not kept."""
    received = 0

    def progress(text: bytes) -> None:
        nonlocal received
        received += len(text)
        if received > MOST_ARCHIVE_BYTES:
            raise StagingRefused("the server announces more data than it sends")

    return progress


def _head(refs: Mapping[bytes, ObjectID], branch: str) -> ObjectID:
    wished = (_BRANCHES + branch.encode(),) if branch else (bytes(_HEAD), _BRANCHES + b"main", _BRANCHES + b"master")
    for ref in wished:
        if refs.get(ref) is not None:
            return refs[ref]
    branches = [ref for ref in refs if ref.startswith(_BRANCHES)]
    if len(branches) == 1 and not branch:  # a server of plain files does not say which branch is the usual one
        return refs[branches[0]]
    names = sorted(ref.removeprefix(_BRANCHES).decode("utf-8", "replace") for ref in branches)
    if not names:
        raise StagingRefused("the repository is empty")
    raise StagingRefused(f"the repository has no branch {branch or 'main'}", f"It has {', '.join(names[:10])[:300]}.")


def _tree(repository: Repo, head: ObjectID, folder: str) -> ObjectID:
    commit = repository.object_store[head]
    if not isinstance(commit, Commit):
        raise StagingRefused("the branch has no commit")
    parts = "/".join(part for part in folder.split("/") if part)
    if not parts:
        tree: ObjectID = commit.tree
        return tree
    try:
        _, tree_id = tree_lookup_path(repository.object_store.__getitem__, commit.tree, parts.encode())
    except Exception:
        raise StagingRefused(f"the repository has no folder {folder}") from None
    if not isinstance(repository.object_store[tree_id], Tree):
        raise StagingRefused(f"{folder} of the repository is not a folder")
    return tree_id


def _entries(repository: Repo, head: ObjectID, folder: str) -> Iterator[tuple[str, ObjectID]]:
    """The plain files of a commit below a folder that may become files of an application."""
    entries = iter_tree_contents(repository.object_store, _tree(repository, head, folder))
    for number, entry in enumerate(entries):
        if number >= _MOST_ENTRIES:
            raise StagingRefused(f"the repository has more than {_MOST_ENTRIES:,} files", "Name a folder of it.")
        if entry.path is None or entry.sha is None or entry.mode is None or entry.mode & 0o170000 != 0o100000:
            continue
        path = entry.path.decode("utf-8", "replace")
        is_visible = not any(part.startswith(".") for part in path.split("/"))
        if is_visible and path.lower().endswith((PIQL_ENDING, *SQL_ENDINGS)):
            yield path, entry.sha


def _texts(repository: Repo, head: ObjectID, folder: str) -> dict[str, str]:
    texts = {}
    for path, object_id in _entries(repository, head, folder):
        blob = repository.object_store[object_id]
        if not isinstance(blob, Blob) or len(blob.data) > MOST_SQL_BYTES:
            raise StagingRefused(f"{path[:200]} is larger than {MOST_SQL_BYTES:,} bytes")
        try:
            texts[path] = blob.data.decode()
        except UnicodeDecodeError:
            raise StagingRefused(f"{path[:200]} is not a UTF-8 text") from None
    return texts


def _name_of(source: str) -> str:
    return (source.rstrip("/").rpartition("/")[2].removesuffix(".git") or "Application")[:100]
