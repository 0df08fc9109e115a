"""Workspaces on disk: one folder each, its `.piql` files the truth; a save replaces a file in one step."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from pathlib import Path

from piql_backend.errors import ApiError, NotFound
from piql_backend.files import write_atomically
from piql_backend.schema import is_file_path
from piql_backend.workspaces.schemas import FileRead, WorkspaceRead, WorkspaceSummaryRead

TITLES = {"scadr": "SCADr"}


def revision_of(text: str) -> str:
    """Give a short name for this very text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Workspaces:
    """The folders below one root."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._saving = threading.Lock()

    def ids(self) -> list[str]:
        if not self._root.is_dir():
            return []
        return sorted(each.name for each in self._root.iterdir() if each.is_dir() and not each.name.startswith("."))

    def list(self) -> list[WorkspaceSummaryRead]:
        return [WorkspaceSummaryRead(id=each, title=TITLES.get(each, each)) for each in self.ids()]

    def read(self, workspace_id: str) -> WorkspaceRead:
        texts = self.texts(workspace_id)
        files = [FileRead(path=path, text=text, revision=revision_of(text)) for path, text in texts.items()]
        return WorkspaceRead(id=workspace_id, title=TITLES.get(workspace_id, workspace_id), files=files)

    def texts(self, workspace_id: str) -> dict[str, str]:
        """Give the text of each file by its path; schema files, which stand at the top, come first.

        A link that leads out of the workspace is no file of it.
        """
        folder = self._folder(workspace_id)
        inside = (each for each in folder.rglob("*.piql") if each.is_file() and _lies_in(each, folder))
        paths = [each.relative_to(folder).as_posix() for each in inside]
        paths = sorted((each for each in paths if is_file_path(each)), key=lambda each: (each.count("/"), each))
        return {each: (folder / each).read_bytes().decode("utf-8", "replace") for each in paths}

    def create_file(self, workspace_id: str, path: str, text: str) -> FileRead:
        file = self._file(workspace_id, path)
        with self._saving:
            if file.exists():
                current = _read(file, path)
                raise ApiError(409, "file-exists", f"{path} exists already.", "Choose another name.", current=current)
            return _write(file, path, text)

    def save_file(self, workspace_id: str, path: str, text: str, base_revision: str) -> FileRead:
        file = self._file(workspace_id, path)
        with self._saving:
            if not file.is_file():
                raise NotFound("unknown-file", f"There is no file {path}.", "Create it first.")
            current = _read(file, path)
            if base_revision != current.revision and current.text != text:
                raise _changed(path, current)
            return _write(file, path, text)

    def delete_file(self, workspace_id: str, path: str, base_revision: str | None = None) -> None:
        file = self._file(workspace_id, path)
        with self._saving:
            if not file.is_file():
                raise NotFound("unknown-file", f"There is no file {path}.")
            current = _read(file, path)
            if base_revision not in (None, current.revision):
                raise _changed(path, current)
            file.unlink()

    def refuse_newer(self, workspace_id: str, base_revisions: Mapping[str, str]) -> None:
        """Refuse with 409 what is based on other files than those there are: one changed, added or removed since."""
        there = {file.path: file for file in self.read(workspace_id).files}
        for path, current in there.items():
            if base_revisions.get(path) != current.revision:
                raise _changed(path, current)
        for path in base_revisions:
            if path not in there:
                message = f"{path} has been removed since it was opened."
                raise ApiError(409, "file-changed", message, "Read the files again.")

    def _folder(self, workspace_id: str) -> Path:
        if workspace_id not in self.ids():
            raise NotFound("unknown-workspace", f"There is no workspace {workspace_id}.")
        return self._root / workspace_id

    def _file(self, workspace_id: str, path: str) -> Path:
        folder = self._folder(workspace_id)
        if not is_file_path(path):
            message = (
                "A file's path consists of letters, digits, '_', '-', '.' and '/', ends in .piql and stays inside."
            )
            raise ApiError(422, "invalid-path", message)
        file = folder / path
        if not _lies_in(file, folder):
            raise ApiError(422, "invalid-path", f"{path} leads out of the workspace.")
        if file.is_dir() or any(parent.is_file() for parent in file.parents if parent != folder):
            raise ApiError(422, "invalid-path", f"{path} is a folder, or lies below a file.")
        return file


def _lies_in(file: Path, folder: Path) -> bool:
    return file.resolve().is_relative_to(folder.resolve())


def _changed(path: str, current: FileRead) -> ApiError:
    message = f"{path} has been changed since it was opened."
    return ApiError(409, "file-changed", message, "Compare it with the current text.", current=current)


def _read(file: Path, path: str) -> FileRead:
    text = file.read_bytes().decode("utf-8", "replace")
    return FileRead(path=path, text=text, revision=revision_of(text))


def _write(file: Path, path: str, text: str) -> FileRead:
    write_atomically(file, text)
    return FileRead(path=path, text=text, revision=revision_of(text))
