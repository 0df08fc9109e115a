"""Which files belong together and what they say now: files on disk, under the documents that are open.

A project is a folder of `.piql` files. That of a document is the topmost folder around it that holds a `.piql` file
itself, at most the folder that the editor has opened. A client may name the folders of its projects instead.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from pygls.uris import from_fs_path, to_fs_path

from piql.compiler import compile  # noqa: A004
from piql.compiler.result import Compilation
from piql.editor.server.positions import Text, Units
from piql.trees.cached_property import cached_property

LEFT_OUT = frozenset(("node_modules", "__pycache__"))  # folders that hold no project, as those that begin with a point


@dataclass(slots=True)
class Document:
    """A text that is open in the editor, newer than any on disk."""

    uri: str
    version: int
    text: Text
    path: Path | None  # None where it is no file


class _FileText(NamedTuple):
    """The text of a file on disk, with the time and size by which a change of the file is noticed."""

    changed_ns: int
    size: int
    text: str


@dataclass(frozen=True)
class Project:
    """All files of a project at one moment; `root` is None for a document that is no file and stands alone."""

    root: Path | None
    texts: Mapping[str, str]  # by path within the project, in the order of a compilation
    uris: Mapping[str, str]
    versions: Mapping[str, int | None]  # None for a file that is not open
    units: Units
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    @cached_property
    def _compilation(self) -> Compilation:
        return compile(self.texts)

    @property
    def compilation(self) -> Compilation:
        """Compile once, whoever asks first."""
        with self._lock:
            return self._compilation

    def text(self, name: str) -> Text:
        """Return the text of a file of the project; empty for a name that it does not have."""
        return Text(self.texts.get(name, ""), self.units)


class Projects:
    """The open documents and the folders they belong to."""

    def __init__(self) -> None:
        self.units: Units = "utf-16"
        self.folders: list[Path] = []  # that the editor has opened
        self.named: list[Path] = []  # projects that the client names
        self.documents: dict[str, Document] = {}
        self._known: dict[Path | str, Project] = {}  # by root, or by the URI of a document that stands alone
        self._on_disk: dict[Path, _FileText] = {}

    def open(self, uri: str, version: int, text: str) -> None:
        """Note that a document was opened with a text."""
        path = to_fs_path(uri)
        where = Path(os.path.normpath(path)) if path is not None else None
        self.documents[uri] = Document(uri, version, Text(text, self.units), where)
        self.look_again()

    def close(self, uri: str) -> None:
        """Note that a document was closed: from now on its file on disk counts."""
        self.documents.pop(uri, None)
        self.look_again()

    def look_again(self) -> None:
        """Forget what was read: files may have changed on disk."""
        self._known.clear()

    def of(self, uri: str) -> tuple[Project, str] | None:
        """Return the project of an open document, and the document's name in it."""
        document = self.documents.get(uri)
        if document is None:
            return None
        path = document.path
        if path is None or path.suffix != ".piql":
            name = path.name if path is not None else "untitled.piql"
            project = self._known.get(uri)
            if project is None or project.versions[name] != document.version:
                project = self._known[uri] = Project(
                    None, {name: document.text.text}, {name: uri}, {name: document.version}, self.units
                )
            return project, name
        root = self._root_of(path)
        return self._project(root), path.relative_to(root).as_posix()

    def changed(self, uri: str) -> None:
        """Take note that an open document has another text."""
        document = self.documents[uri]
        for root in [*self._known]:
            if root == uri or (isinstance(root, Path) and document.path is not None and root in document.path.parents):
                del self._known[root]

    def all(self) -> list[Project]:
        """Return the projects of all open documents, each once."""
        files = [self.of(uri) for uri in self.documents]
        projects = [file[0] for file in files if file is not None]
        return list({id(project): project for project in projects}.values())

    def _project(self, root: Path) -> Project:
        """Return the project below a folder: its files on disk, and the open documents instead of them."""
        cached = self._known.get(root)
        if cached is not None:
            return cached
        open_here = {document.path: document for document in self.documents.values() if document.path is not None}
        texts: dict[str, str] = {}
        uris: dict[str, str] = {}
        versions: dict[str, int | None] = {}
        opened = (path for path in open_here if path.suffix == ".piql" and root in path.parents)
        for path in sorted({*files_below(root), *opened}):
            document = open_here.get(path)
            text = document.text.text if document is not None else self._read(path)
            if text is not None:
                name = path.relative_to(root).as_posix()
                texts[name] = text
                uris[name] = document.uri if document is not None else (from_fs_path(str(path)) or "")
                versions[name] = document.version if document is not None else None
        project = self._known[root] = Project(root, texts, uris, versions, self.units)
        return project

    def _read(self, path: Path) -> str | None:
        """Return the text of a file, read again only when it has changed; None where it cannot be read."""
        try:
            status = path.stat()
            cached = self._on_disk.get(path)
            if cached is None or (cached.changed_ns, cached.size) != (status.st_mtime_ns, status.st_size):
                text = path.read_bytes().decode("utf-8-sig", "replace")
                cached = self._on_disk[path] = _FileText(status.st_mtime_ns, status.st_size, text)
        except OSError:
            return None
        return cached.text

    def _root_of(self, path: Path) -> Path:
        """Return the root of the project that a file belongs to (see the head of this module)."""
        named = [folder for folder in self.named if folder in path.parents]
        if named:
            return max(named, key=lambda folder: len(folder.parts))
        opened = [folder for folder in self.folders if folder in path.parents]
        limit = max(opened, key=lambda folder: len(folder.parts)) if opened else path.parent.parent
        holding = {
            document.path.parent
            for document in self.documents.values()
            if document.path is not None and document.path.suffix == ".piql"
        }
        root = path.parent
        for folder in path.parents:
            if folder in holding or _holds_piql(folder):
                root = folder
            if folder == limit:
                break
        return root


def files_below(root: Path) -> Iterator[Path]:
    """Return the `.piql` files of a folder and those below it."""
    for folder, folders, files in os.walk(root):
        folders[:] = [folder for folder in folders if not folder.startswith(".") and folder not in LEFT_OUT]
        yield from (Path(folder, file) for file in files if file.endswith(".piql"))


def _holds_piql(folder: Path) -> bool:
    try:
        return any(entry.endswith(".piql") for entry in os.listdir(folder))
    except OSError:
        return False
