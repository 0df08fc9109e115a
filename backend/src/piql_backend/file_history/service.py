"""The histories of all applications: what is saved is recorded, and a history that fails fails no save."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, TypeVar

from dulwich.file import FileLocked

from piql_backend.file_history.repository import FileHistory, HistoryDamaged, Save
from piql_backend.file_history.schemas import FileChangeRead, SaveDetailRead, SavedFileRead, SaveRead
from piql_backend.web.errors import ApiError, NotFound
from piql_backend.web.pages import Listing, Page, PageWish
from piql_backend.web.schemas import ProblemRead

log = logging.getLogger(__name__)

_SAVES = Listing[Save, int]("saves", int, lambda save: save.number, is_descending=True)
_FAULTS = (HistoryDamaged, FileLocked, OSError)
_SAVED, _DEPLOYED = "Saves", "Deployments"
_REMOVE = "Remove the history that was set aside when you no longer need it."
_AS_THEY_WERE = "Its files and what is deployed are as they were. See the log."
_EXPORT = "Export the application again."
_LIST = "Read the list of saves again."
T = TypeVar("T")


class FileHistories:
    """One git repository an application, below one folder; safe to use from several threads."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._histories: dict[str, FileHistory] = {}
        self._lock = threading.Lock()
        self._failed: dict[tuple[str, str], str] = {}  # why saves, or deployments, of an application are not recorded
        self._mended: dict[str, str] = {}  # what became of one that was damaged

    def close(self) -> None:
        with self._lock:
            for history in self._histories.values():
                history.close()

    def record(self, application: str, texts: Mapping[str, str], message: str) -> None:
        """Record the files of an application after they were written; a fault is logged and kept as a problem."""
        self._write(application, _SAVED, lambda history: history.record(texts, message))

    def has_marks(self, application: str, names: Iterable[str]) -> bool:
        """Whether all of these deployments are named; False where the history cannot be read now."""
        try:
            return self._of(application).marks().issuperset(names)
        except _FAULTS:
            return False

    def mark(self, application: str, texts_of: Mapping[str, Callable[[], Mapping[str, str]]]) -> None:
        """Name the files of each deployment, such as `development/3`; a fault is logged and kept as a problem."""

        def write(history: FileHistory) -> None:
            for name in texts_of.keys() - history.marks():
                history.mark(texts_of[name](), name)

        self._write(application, _DEPLOYED, write)

    def retire_marks(self, application: str, environment: str) -> None:
        """Let the deployments of an environment that is gone be called `earlier/staging/3`: another may come.

        A fault is logged and kept as a problem.
        """
        if self.has(application):
            self._write(application, _DEPLOYED, lambda history: history.retire_marks(environment))

    def problems(self, sees: Callable[[str], bool]) -> list[ProblemRead]:
        """What the health check says about the applications that one sees.

        Saves that are not recorded now, and histories that were damaged.
        """
        failed = [said for (application, _), said in self._failed.copy().items() if sees(application)]
        mended = [said for application, said in self._mended.copy().items() if sees(application)]
        return [
            *(ProblemRead(what="saves", message=said, help="See the log.") for said in failed),
            *(ProblemRead(what="saves", message=said, help=_REMOVE, is_over=True) for said in mended),
        ]

    def move_away(self, application: str, target: Path) -> None:
        """Let a history go with its application, which is deleted; a new one of that id begins anew."""
        with self._lock:
            for kind in (_SAVED, _DEPLOYED):
                self._failed.pop((application, kind), None)
            self._mended.pop(application, None)
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
        """Write the history of an application as a git bundle. Raises ApiError 503 where it cannot be read."""
        self._read(application, lambda history: history.write_bundle(file), help=_EXPORT)

    def page(self, application: str, wish: PageWish, path: str | None) -> Page[SaveRead]:
        """Saves, the newest first; with a path those that changed this file. ApiError 503 where it cannot be read."""

        def read(history: FileHistory) -> Page[Save]:
            return _SAVES.page(wish, lambda after, count: list(islice(_followed(history, after, path), count)))

        page = self._read(application, read)
        return Page(items=[_read(save) for save in page.items], next=page.next)

    def save(self, application: str, number: int) -> SaveDetailRead:
        """One save with the text of every file. Raises ApiError: 404 for an unknown number, 503 if it is damaged."""
        save, texts = self._read(application, lambda history: (history.save(number), history.texts(number)), help=_LIST)
        if save is None or texts is None:
            raise NotFound("unknown-save", f"{application} has no save {number}.", "The list of saves says which.")
        files = [SavedFileRead(path=path, text=text) for path, text in texts.items()]
        return SaveDetailRead(**_read(save).model_dump(), files=files)

    def _write(self, application: str, what: str, write: Callable[[FileHistory], object]) -> None:
        history = self._of(application)
        try:
            try:
                write(history)
            except HistoryDamaged:
                self._mend(application, history)
                write(history)
            self._failed.pop((application, what), None)
        except _FAULTS as fault:
            log.exception("the history of %s is not written", application)
            self._failed[application, what] = f"{what} of {application} are not recorded: {_in_words(fault)}."

    def _read(self, application: str, read: Callable[[FileHistory], T], help: str | None = None) -> T:
        """Read a history; one that is damaged is mended and read again, with other numbers of saves.

        Raises ApiError 503 where it cannot be read, and with a `help` also where it was mended.
        """
        history = self._of(application)
        try:
            try:
                return read(history)
            except HistoryDamaged:
                said = self._mend(application, history)
                if said is not None and help is not None:
                    raise ApiError(503, "history-damaged", said, help) from None
                return read(history)
        except _FAULTS as fault:
            log.exception("the history of %s cannot be read", application)
            message = f"The history of {application} cannot be read: {_in_words(fault)}."
            raise ApiError(503, "history-damaged", message, _AS_THEY_WERE) from fault

    def _mend(self, application: str, history: FileHistory) -> str | None:
        """Begin a damaged history anew with the saves that are whole; a sentence about it, None if it was not."""
        mended = history.mend()
        if mended is None:
            return None
        kept = f"{mended.kept} save{'' if mended.kept == 1 else 's'} of it could be read and {_are(mended.kept)} kept"
        lost = f"at least {mended.lost} {_are(mended.lost)} lost" if mended.lost else "none is known to be lost"
        marks = f" What was deployed as {', '.join(mended.lost_marks)} is lost, too." if mended.lost_marks else ""
        said = f"The history of {application} was damaged and is now {mended.aside}: {kept}, {lost}.{marks}"
        log.error(said)
        self._mended[application] = said
        return said

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
    changes = [FileChangeRead.model_validate(change) for change in save.changes]
    return SaveRead(
        number=save.number,
        at=save.at,
        message=save.message,
        changes=changes,
        deployments=list(save.marks),
    )


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _in_words(fault: BaseException) -> str:
    """Why a history cannot be read or written, for its users."""
    match fault:
        case FileLocked():
            return "another program writes it"
        case OSError():
            return fault.strerror or str(fault)
        case _:
            return str(fault)
