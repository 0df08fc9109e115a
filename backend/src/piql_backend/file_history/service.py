"""The histories of all applications: what is saved is recorded, and a history that fails fails no save."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO

from dulwich.file import FileLocked

from piql_backend.file_history.repository import FileHistory, HistoryDamaged, Save
from piql_backend.file_history.schemas import FileChangeRead, SaveDetailRead, SavedFileRead, SaveRead
from piql_backend.web.errors import ApiError, NotFound
from piql_backend.web.pages import Listing, Page, PageWish

log = logging.getLogger(__name__)

_SAVES = Listing[Save, int]("saves", int, lambda save: save.number, is_descending=True)
_FAULTS = (HistoryDamaged, FileLocked, OSError)


class FileHistories:
    """One git repository an application, below one folder; safe to use from several threads."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._histories: dict[str, FileHistory] = {}
        self._lock = threading.Lock()
        self.problem: str | None = None

    def close(self) -> None:
        with self._lock:
            for history in self._histories.values():
                history.close()

    def record(self, application: str, texts: Mapping[str, str], message: str) -> None:
        """Record the files of an application after they were written; a fault is logged and kept as `problem`."""
        try:
            self._of(application).record(texts, message)
            self.problem = None
        except _FAULTS as fault:
            log.exception("a save of %s is not in its history", application)
            self.problem = f"Saves of {application} are not recorded: {fault}"

    def mark(self, application: str, texts: Mapping[str, str], name: str, message: str) -> None:
        """Name the files that were deployed, such as `development/3`; a fault is logged and kept as `problem`."""
        try:
            self._of(application).mark(texts, name, message)
        except _FAULTS as fault:
            log.exception("the deployment %s of %s is not in its history", name, application)
            self.problem = f"Deployments of {application} are not recorded: {fault}"

    def move_away(self, application: str, target: Path) -> None:
        """Let a history go with its application, which is deleted; a new one of that id begins anew."""
        with self._lock:
            if application in self._histories:
                self._histories.pop(application).close()
            if self._folder(application).is_dir():
                self._folder(application).rename(target)

    def has(self, application: str) -> bool:
        """Whether there is a history of that name."""
        return self._folder(application).is_dir()

    def adopt(self, application: str, repository: Path) -> None:
        """Take over a bare repository as the history of a new application."""
        with self._lock:
            self.root.mkdir(parents=True, exist_ok=True)
            repository.rename(self._folder(application))

    def write_bundle(self, application: str, file: IO[bytes]) -> None:
        """Write the history of an application as a git bundle. Raises ApiError 503 if it is damaged."""
        history = self._of(application)
        with self._readable(application):
            history.write_bundle(file)

    def page(self, application: str, wish: PageWish, path: str | None) -> Page[SaveRead]:
        """Saves, the newest first; with a path those that changed this file. Raises ApiError 503 if damaged."""
        history = self._of(application)

        def fetch(after: int | None, count: int) -> list[Save]:
            return list(islice(_followed(history, after, path), count))

        with self._readable(application):
            page = _SAVES.page(wish, fetch)
        return Page(items=[_read(save) for save in page.items], next=page.next)

    def save(self, application: str, number: int) -> SaveDetailRead:
        """One save with the text of every file. Raises ApiError: 404 for an unknown number, 503 if it is damaged."""
        history = self._of(application)
        with self._readable(application):
            save, texts = history.save(number), history.texts(number)
        if save is None or texts is None:
            raise NotFound("unknown-save", f"{application} has no save {number}.", "The list of saves says which.")
        files = [SavedFileRead(path=path, text=text) for path, text in texts.items()]
        return SaveDetailRead(**_read(save).model_dump(), files=files)

    @contextlib.contextmanager
    def _readable(self, application: str) -> Iterator[None]:
        """Answer 503 where a history cannot be read; its application and its files are not touched by that."""
        try:
            yield
        except (HistoryDamaged, OSError) as fault:
            log.exception("the history of %s cannot be read", application)
            message = f"The history of {application} is damaged: {fault}. Its files and what is deployed are not."
            raise ApiError(
                503,
                "history-damaged",
                message,
                f"Repair histories/{application}.git in the data folder with git, or move it away and start again.",
            ) from fault

    def _of(self, application: str) -> FileHistory:
        with self._lock:
            if application not in self._histories:
                self._histories[application] = FileHistory(self._folder(application))
            return self._histories[application]

    def _folder(self, application: str) -> Path:
        return self.root / f"{application}.git"


def _followed(history: FileHistory, after: int | None, path: str | None) -> Iterator[Save]:
    """Give the saves below a number; a file is followed from the newest, since it may have had other names."""
    saves = history.newest_first(after) if path is None else history.newest_first(path=path)
    return (save for save in saves if after is None or save.number < after)


def _read(save: Save) -> SaveRead:
    changes = [FileChangeRead(path=change.path, kind=change.kind, old_path=change.old_path) for change in save.changes]
    return SaveRead(
        number=save.number,
        at=save.at,
        message=save.message,
        changes=changes,
        deployments=list(save.marks),
    )
