"""Applications on disk: a folder each with its `.piql` files. A save replaces a file in one step.

    applications/shop/application.json      what it is called (`details.py`); a folder without it was made by hand,
                                            and is called by its name
    applications/shop/parameter-sets.json   saved values of parameters (`parameter_sets/`)
    applications/shop/comments.db           what people say about it (`threads/`)
    applications/shop/schema.piql           its files, which other programs may change, too
    applications/shop/queries/cart.piql

Every change is recorded in the history of the application (`file_history/`). A text has a revision, a digest of it: a
change names the revision that it is based on, and is refused when the file has another one by now.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import secrets
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from piql_backend.applications.details import FILE, Details, DetailsFiles
from piql_backend.applications.documents_beside import NEXT, document_of, forget_document, has_document
from piql_backend.applications.file_names import first_clash
from piql_backend.applications.schemas import ApplicationRead, ApplicationSummaryRead
from piql_backend.data_folder.files import write_atomically
from piql_backend.database.told_versions import ToldVersions
from piql_backend.file_history.schemas import SaveDetailRead, SaveRead
from piql_backend.file_history.service import FileHistories
from piql_backend.parameter_sets.sets_file import NO_SETS, KeptSets, write_sets
from piql_backend.web.errors import ApiError, NotFound, unknown_application
from piql_backend.web.pages import Listing, Page, PageWish
from piql_backend.web.schemas import MOST_FILES, FileRead, ProblemRead, is_file_path

SECONDS_BETWEEN_RECORDS = 5.0  # of what several people type: a commit takes as long as ten saves
_TURNS = 64
_VERSION_BYTES = 8
_APPLICATIONS = Listing[str, str]("applications", str, lambda application_id: application_id)
_FILES = Listing[str, str]("files", str, lambda path: f"{path.count('/'):03} {path}")  # a path has < 200 characters


def revision_of(text: str) -> str:
    """The revision of a text: the first 16 digits of its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Applications:
    """The applications below one root; all methods raise ApiError 404 for an unknown application."""

    def __init__(self, root: Path, histories: FileHistories) -> None:
        self._root = root
        self._details = DetailsFiles(root, histories.root)
        self._told = ToldVersions()
        self._histories = histories
        self._turns = [threading.Lock() for _ in range(_TURNS)]
        self._unrecorded: dict[str, dict[str, None]] = {}  # the files of an application that were saved and wait
        self._recorded_at: dict[str, float] = {}

    def ids(self) -> list[str]:
        if not self._root.is_dir():
            return []
        with os.scandir(self._root) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir() and not entry.name.startswith("."))

    def folder(self, application_id: str) -> Path:
        """Where the files of an application lie."""
        may_be_one = application_id[:1] not in ("", ".") and "/" not in application_id
        if not may_be_one or not os.path.isdir(self._root / application_id):
            raise unknown_application(application_id)
        return self._root / application_id

    def title(self, application_id: str) -> str:
        """The name that is shown."""
        return self._details.read(application_id).title or application_id

    def is_archived(self, application_id: str) -> bool:
        return self._details.read(application_id).is_archived

    def problems(self, application_ids: Iterable[str] | None = None) -> list[ProblemRead]:
        """What is the matter with what is said of applications, or was until it was mended; None asks for all."""
        ids = self.ids()
        return self._details.problems(ids if application_ids is None else [*application_ids])

    def update(self, application_id: str, title: str | None, is_archived: bool | None) -> None:
        """Change the title, and whether the application is archived; None leaves a value as it is."""
        with self._turn_of(application_id):
            self.refuse_unknown(application_id)
            changes = {"title": title, "is_archived": is_archived}
            fields = {name: value for name, value in changes.items() if value is not None}
            self._details.write(application_id, self._details.read(application_id).model_copy(update=fields))

    def write_history(self, application_id: str, file: IO[bytes]) -> None:
        """Write all saves as a git bundle, with what other programs have changed; ApiError 503 if it is damaged."""
        self.refuse_unknown(application_id)
        with self._turn_of(application_id):
            self._record_waiting(application_id)
            self._record(application_id, "Changed outside of the workbench")
        self._histories.write_bundle(application_id, file)

    def move_history_away(self, application_id: str, target: Path) -> None:
        """Move away a history without an application, which a killed process has left behind."""
        self._histories.move_away(application_id, target)
        self._details.move_copy_away(application_id, target.with_name(FILE))

    def has_history(self, application_id: str) -> bool:
        """Whether there is a history of that id, with or without an application."""
        return self._histories.has(application_id)

    def move_away(self, application_id: str, target: Path) -> None:
        """Move the folder of an application, and its history beside it, to another place on the same disk."""
        with self._turn_of(application_id):
            self._record_waiting(application_id)
            self._recorded_at.pop(application_id, None)
            self.folder(application_id).rename(target)
            self._histories.move_away(application_id, target.with_name("history.git"))
            self._details.move_copy_away(application_id, target.with_name(FILE))

    def refuse_unknown(self, application_id: str) -> None:
        """Raise ApiError 404 where there is no application of that id."""
        self.folder(application_id)

    def create(
        self,
        application_id: str,
        title: str,
        texts: Mapping[str, str],
        history: Path | None = None,
        parameter_sets: KeptSets = NO_SETS,
    ) -> None:
        """Make an application with its files, all of it in one step; ApiError 409 where there is one of that id.

        So are two files of one name.

        `history` is a bare repository that becomes its history.
        """
        with self._turn_of(application_id):
            if application_id in self.ids():
                raise ApiError(409, "application-exists", f"There is already an application {application_id}.")
            _refuse_clash(texts)
            new = self._root / f".new-{secrets.token_hex(4)}"
            for path, text in texts.items():
                write_atomically(new / path, text)
            write_atomically(new / FILE, Details(title=title).model_dump_json())
            if parameter_sets.sets:
                write_sets(new, parameter_sets)
            if history is not None:
                self._histories.adopt(application_id, history)
            new.rename(self._root / application_id)
            self._record(application_id, "Create the application" if history is None else "Import the application")

    def page(
        self, wish: PageWish, environments: Callable[[str], Sequence[str]], is_shown: Callable[[str], bool]
    ) -> Page[ApplicationSummaryRead]:
        """A page of the applications that are shown, by id, with the names of their environments."""
        page = _APPLICATIONS.page_of(wish, filter(is_shown, self.ids()))
        summaries = []
        for name in page.items:
            with contextlib.suppress(NotFound):  # deleted meanwhile
                summaries.append(self.summary(name, environments(name)))
        return Page(items=summaries, next=page.next)

    def summary(self, application_id: str, environments: Sequence[str]) -> ApplicationSummaryRead:
        """What a list shows of an application, beside the names of its environments."""
        return ApplicationSummaryRead(
            id=application_id,
            title=self.title(application_id),
            is_archived=self.is_archived(application_id),
            environments=list(environments),
            changed_at=_changed_at(self._root / application_id),
        )

    def read(self, application_id: str, wish: PageWish) -> ApplicationRead:
        """An application with a page of its files, in the order of `texts`."""
        folder = self.folder(application_id)
        version = self.told_version(application_id)  # what is written after it gets another one
        page = _FILES.page_of(wish, _paths(folder))
        files = [_file_of(path, text) for path, text in _texts(folder, page.items).items()]
        title = self.title(application_id)
        return ApplicationRead(id=application_id, title=title, version=version, files=files, next=page.next)

    def told_version(self, application_id: str, seconds: float | None = None) -> str:
        """The version that pages are told, which may be the last one for some seconds (`ToldVersions`)."""
        return self._told.told(application_id, self.version(application_id), seconds)

    def version(self, application_id: str) -> str:
        """Another text once a file of an application, or its title, was written by anybody; no file is read for it."""
        folder = self.folder(application_id)
        digest = hashlib.blake2b(digest_size=_VERSION_BYTES)
        for path in (FILE, *sorted(_paths(folder))):
            with contextlib.suppress(OSError):  # removed meanwhile, or never there
                state = (folder / path).stat()
                digest.update(f"{path} {state.st_ino} {state.st_size} {state.st_mtime_ns}\n".encode())
        return digest.hexdigest()

    def texts(self, application_id: str) -> dict[str, str]:
        """The text of each file by its path; schema files, which stand at the top, come first.

        A link that leads out of the application is no file of it.
        """
        folder = self.folder(application_id)
        return _texts(folder, sorted(_paths(folder), key=_FILES.key))

    def read_file(self, application_id: str, path: str) -> FileRead:
        """One file as it is now; ApiError 404 where there is none of that path, 422 for a path that is not allowed."""
        file = self._file(application_id, path)
        try:
            return _read(file, path)
        except FileNotFoundError:
            raise NotFound("unknown-file", f"There is no file {path}.") from None

    def write_document(self, application_id: str, path: str, content: str, is_first: bool) -> None:
        """Write the document of a live session; ApiError 404 unless it is the first, or that of before it is there.

        It is gone where the file was removed or renamed, even if there is another file of that path by now.
        """
        with self._turn_of(application_id):
            folder = self.folder(application_id)
            if not is_first and not has_document(folder, path):
                raise NotFound("unknown-file", f"{path} was removed or renamed. A file of that name is another one.")
            write_atomically(document_of(folder, path, NEXT), content)

    def create_file(self, application_id: str, path: str, text: str) -> FileRead:
        """Make a file; ApiError 409 where there is one of that path or no room, 422 for a path that is not allowed."""
        with self._turn_of(application_id):
            self._record_waiting(application_id)
            file = self._file(application_id, path)
            if file.exists():
                current = _read(file, path)
                raise ApiError(409, "file-exists", f"{path} exists already.", "Choose another name.", current=current)
            paths = _paths(self.folder(application_id))
            _refuse_clash([*paths, path])
            if len(paths) >= MOST_FILES:
                message = f"{path} was not made: an application has at most {MOST_FILES:,} files."
                raise ApiError(409, "too-many-files", message, "Put several queries into one file.")
            forget_document(self.folder(application_id), path)  # of a file that another program has removed
            created = _write(file, path, text)
            self._record(application_id, f"Create {path}")
            return created

    def save_file(
        self, application_id: str, path: str, text: str, base_revision: str, may_wait: bool = False
    ) -> FileRead:
        """Save a file; ApiError 404 where there is none of that path, 409 where it has another revision and text.

        Where it `may_wait`, it is recorded with the next saves, by `record_waiting` or by whatever changes a file.
        """
        with self._turn_of(application_id):
            if not may_wait:
                self._record_waiting(application_id)
            file = self._file(application_id, path)
            if not file.is_file():
                raise NotFound("unknown-file", f"There is no file {path}.", "Create it first.")
            current = _read(file, path)
            if base_revision != current.revision and current.text != text:
                raise _changed(path, current)
            saved = _write(file, path, text)
            if may_wait:
                self._unrecorded.setdefault(application_id, {})[path] = None
            else:
                self._record(application_id, f"Save {path}")
            return saved

    def rename_file(self, application_id: str, path: str, new_path: str, base_revision: str) -> FileRead:
        """Give a file another path; 409 where one has it, or the file is not the revision that was read."""
        with self._turn_of(application_id):
            self._record_waiting(application_id)
            file, target = self._file(application_id, path), self._file(application_id, new_path)
            if not file.is_file():
                raise NotFound("unknown-file", f"There is no file {path}.")
            current = _read(file, path)
            if base_revision != current.revision:
                raise _changed(path, current)
            if target.exists():
                there = _read(target, new_path)
                raise ApiError(409, "file-exists", f"{new_path} exists already.", "Choose another name.", current=there)
            _refuse_clash([*(name for name in _paths(self.folder(application_id)) if name != path), new_path])
            target.parent.mkdir(parents=True, exist_ok=True)
            for name in (path, new_path):
                forget_document(self.folder(application_id), name)
            file.rename(target)
            self._record(application_id, f"Rename {path} to {new_path}")
            return _read(target, new_path)

    def delete_file(self, application_id: str, path: str, base_revision: str | None = None) -> None:
        """Remove a file; ApiError 404 where there is none of that path, 409 where it has another revision."""
        with self._turn_of(application_id):
            self._record_waiting(application_id)
            file = self._file(application_id, path)
            if not file.is_file():
                raise NotFound("unknown-file", f"There is no file {path}.")
            current = _read(file, path)
            if base_revision not in (None, current.revision):
                raise _changed(path, current)
            forget_document(self.folder(application_id), path)
            file.unlink()
            self._record(application_id, f"Delete {path}")

    def saves(self, application_id: str, wish: PageWish, path: str | None) -> Page[SaveRead]:
        """A page of the saves, the newest first; with a path, of those that changed this file.

        Changes that other programs have made are recorded first, as a save of their own.
        """
        self.refuse_unknown(application_id)
        with self._turn_of(application_id):
            self._record_waiting(application_id)
            self._record(application_id, "Changed outside of the workbench")
        return self._histories.page(application_id, wish, path)

    def save(self, application_id: str, number: int) -> SaveDetailRead:
        """One save with its texts; ApiError 404 where there is none."""
        self.refuse_unknown(application_id)
        return self._histories.save(application_id, number)

    def refuse_newer(self, application_id: str, base_revisions: Mapping[str, str]) -> None:
        """Raise ApiError 409 unless the application has exactly these files, in these revisions."""
        texts = self.texts(application_id)
        there = {path: _file_of(path, text) for path, text in texts.items()}
        for path, current in there.items():
            if base_revisions.get(path) != current.revision:
                raise _changed(path, current)
        for path in base_revisions:
            if path not in there:
                message = f"{path} has been removed since it was opened."
                raise ApiError(409, "file-changed", message, "Reload the files.")

    def name_deployed(self, application_id: str, texts_of: Mapping[str, Callable[[], Mapping[str, str]]]) -> None:
        """Name the states that were deployed in the history, such as `development/3`, unless they are named there.

        The texts of a state are asked for only where it has no name. A fault of the history is one of its problems.
        """
        self.refuse_unknown(application_id)
        with self._turn_of(application_id):
            if self._histories.has_marks(application_id, texts_of):
                return
            self._record_waiting(application_id)
            self._record(application_id, "Changed outside of the workbench")
            self._histories.mark(application_id, texts_of)

    def retire_names(self, application_id: str, environment: str) -> None:
        """Let what was deployed in an environment that is gone be called `earlier/staging/3`: a new one is to come."""
        with self._turn_of(application_id):
            self._histories.retire_marks(application_id, environment)

    def record_waiting(self, application_id: str, at_once: bool = False) -> None:
        """Record what waits to be, together: not before 5 seconds after the last time, unless it is to be done now."""
        is_due = time.monotonic() - self._recorded_at.get(application_id, -math.inf) >= SECONDS_BETWEEN_RECORDS
        if application_id in self._unrecorded and (is_due or at_once):
            with self._turn_of(application_id):
                self._record_waiting(application_id)

    def _record_waiting(self, application_id: str) -> None:
        if paths := [*self._unrecorded.pop(application_id, ())]:
            more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
            self._record(application_id, f"Save {paths[0]}{more}")
            self._recorded_at[application_id] = time.monotonic()

    def _turn_of(self, application_id: str) -> threading.Lock:
        """Who changes an application takes turns with others; two applications seldom share a lock."""
        return self._turns[zlib.crc32(application_id.encode()) % _TURNS]

    def _record(self, application_id: str, message: str) -> None:
        with contextlib.suppress(NotFound):  # deleted meanwhile, or not there yet
            self._histories.record(application_id, self.texts(application_id), message)

    def _file(self, application_id: str, path: str) -> Path:
        folder = self.folder(application_id)
        if not is_file_path(path):
            message = (
                "A file's path consists of letters, digits, '_', '-', '.' and '/', ends in .piql and stays inside."
            )
            raise ApiError(422, "invalid-path", message)
        file = folder / path
        if not _lies_in(file, folder):
            raise ApiError(422, "invalid-path", f"{path} leads out of the application.")
        if file.is_dir() or any(parent.is_file() for parent in file.parents if parent != folder):
            raise ApiError(422, "invalid-path", f"{path} is a folder, or lies below a file.")
        return file


def _paths(folder: Path) -> Sequence[str]:
    """The paths of the files of an application, in no order; ApiError 404 where its folder goes meanwhile."""
    inside: list[str] | None = None
    while inside is None:
        with contextlib.suppress(FileNotFoundError):  # a folder below it was moved while it was read
            inside = [*_files_below(folder, "")]
        if not folder.is_dir():
            raise unknown_application(folder.name)
    return [path for path in inside if is_file_path(path)]


def _files_below(folder: Path, below: str) -> Iterator[str]:
    """The path of each file below a folder of an application. Pages ask every few seconds: only links are resolved."""
    try:
        entries = [*os.scandir(folder / below)]
    except PermissionError:
        return
    for entry in entries:
        path = f"{below}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from _files_below(folder, f"{path}/")
        elif entry.is_file() and (not entry.is_symlink() or _lies_in(folder / path, folder)):
            yield path


def _changed_at(folder: Path) -> datetime:
    """When a file of an application, or what is said of it, was written last."""
    seconds = 0.0
    for file in (folder / FILE, *(folder / path for path in _paths(folder))):
        with contextlib.suppress(OSError):
            seconds = max(seconds, file.stat().st_mtime)
    return datetime.fromtimestamp(seconds, UTC)


def _refuse_clash(paths: Iterable[str]) -> None:
    """Raise ApiError 409 where two files would be one on another disk, and so in no archive."""
    if (clash := first_clash(paths)) is not None:
        message = f"{clash[0]} and {clash[1]} cannot both be files: they differ in capital letters, or one is a folder."
        raise ApiError(409, "file-exists", message, "Choose another name.")


def _lies_in(file: Path, folder: Path) -> bool:
    return file.resolve().is_relative_to(folder.resolve())


def _changed(path: str, current: FileRead) -> ApiError:
    message = f"{path} has been changed since it was opened."
    return ApiError(409, "file-changed", message, "Compare your text with the current one.", current=current)


def _texts(folder: Path, paths: Iterable[str]) -> dict[str, str]:
    """The text of each file that is still there: somebody may remove one after it was listed."""
    texts = {}
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            texts[path] = _text(folder / path)
    return texts


def _text(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "replace")


def _read(file: Path, path: str) -> FileRead:
    return _file_of(path, _text(file))


def _write(file: Path, path: str, text: str) -> FileRead:
    write_atomically(file, text)
    return _file_of(path, text)


def _file_of(path: str, text: str) -> FileRead:
    return FileRead(path=path, text=text, revision=revision_of(text))
