"""What an application is called, and whether it is in the archive: its `application.json`, with a copy elsewhere.

    applications/shop/application.json     {"title": "My shop"}
    histories/shop.json                    the same, written when the first has changed

A file that cannot be understood, or that is gone, is set aside and made anew from the copy, and that is said.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from piql_backend.applications.templates import TEMPLATES
from piql_backend.data_folder.files import write_atomically
from piql_backend.web.errors import ApiError
from piql_backend.web.schemas import ProblemRead

log = logging.getLogger(__name__)

FILE = "application.json"
_RENAME = "Rename the application on the page of all applications."


class Details(BaseModel):
    """What the file says; without a title an application is called by its id."""

    model_config = ConfigDict(frozen=True, strict=True)

    title: str | None = None
    is_archived: bool = False


class DetailsFiles:
    """The files of all applications below `root`, with copies in another folder; safe to use from several threads."""

    def __init__(self, root: Path, copies: Path) -> None:
        self._root = root
        self._copies = copies
        self._mending = threading.Lock()
        self._copied: dict[str, bytes] = {}
        self._problems: dict[str, ProblemRead] = {}

    def read(self, application: str) -> Details:
        """The details of an application; where its file is damaged, those that are known, and the file is mended."""
        try:
            content = self._file(application).read_bytes()
            details = Details.model_validate_json(content)
        except (FileNotFoundError, NotADirectoryError, ValidationError):
            return self._mended(application)
        except OSError as error:
            message = f"{FILE} of {application} cannot be read: {error.strerror or error}."
            help_ = "Let the user of the workbench read the file."
            self._problems[application] = ProblemRead(what="application", message=message, help=help_)
            return self._copy_of(application) or Details()
        if (problem := self._problems.get(application)) is not None and not problem.is_over:
            del self._problems[application]
        self._copy(application, content)
        return details

    def write(self, application: str, details: Details) -> None:
        """Replace the file in one step; one that is damaged is set aside before. ApiError 503 where that fails."""
        self.read(application)
        if (problem := self._problems.get(application)) is not None and not problem.is_over:
            raise ApiError(503, "application-not-read", problem.message, problem.help)
        content = details.model_dump_json()
        write_atomically(self._file(application), content)
        self._copy(application, content.encode())

    def move_copy_away(self, application: str, target: Path) -> None:
        """Let the copy go with its application, which is deleted."""
        self._copied.pop(application, None)
        self._problems.pop(application, None)
        with contextlib.suppress(FileNotFoundError):
            self._copy_file(application).rename(target)

    def problems(self, applications: Iterable[str]) -> list[ProblemRead]:
        """What the health check says of the files of these applications."""
        for application in applications:
            self.read(application)
        return [self._problems[application] for application in applications if application in self._problems]

    def _mended(self, application: str) -> Details:
        """The details after the file was set aside and made anew, by this thread or by another one before it."""
        with self._mending:
            file = self._file(application)
            try:
                return Details.model_validate_json(file.read_bytes())
            except (FileNotFoundError, NotADirectoryError):
                is_gone = True
            except ValidationError:
                is_gone = False
            copy = self._copy_of(application)
            if is_gone and (copy is None or not file.parent.is_dir()):
                return Details()  # a folder that somebody made by hand, or an application that was deleted
            details, said = _known(application, copy)
            what = f"{FILE} of {application} was gone"
            try:
                if not is_gone:
                    aside = file.with_name(f"{FILE}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}")
                    file.rename(aside)
                    what = f"{FILE} of {application} was damaged and is now {aside.name}"
                write_atomically(file, details.model_dump_json())
            except OSError as error:
                message = f"{FILE} of {application} is damaged and cannot be replaced: {error.strerror or error}."
                self._problems[application] = ProblemRead(what="application", message=message, help="Correct the file.")
                return details
            log.error("%s: %s", what, said)
            help_ = _RENAME if copy is None else "Remove the file that was set aside when you no longer need it."
            self._problems[application] = ProblemRead(
                what="application", message=f"{what}: {said}.", help=help_, is_over=True
            )
            return details

    def _copy(self, application: str, content: bytes) -> None:
        """Write the copy where the file has changed; that this fails is no reason to refuse anything."""
        if self._copied.get(application) == content:
            return
        file = self._copy_file(application)
        try:
            if not file.is_file() or file.read_bytes() != content:
                write_atomically(file, content.decode())
            self._copied[application] = content
        except OSError as error:
            log.warning("%s of %s has no copy: %s", FILE, application, error)

    def _copy_of(self, application: str) -> Details | None:
        try:
            return Details.model_validate_json(self._copy_file(application).read_bytes())
        except (OSError, ValidationError):
            return None

    def _file(self, application: str) -> Path:
        return self._root / application / FILE

    def _copy_file(self, application: str) -> Path:
        return self._copies / f"{application}.json"


def _known(application: str, copy: Details | None) -> tuple[Details, str]:
    """What is known of an application without its file, and a clause that says where that is from."""
    if copy is not None:
        return copy, f"its title {copy.title or application} is from the copy of that file"
    if application in TEMPLATES:
        title = TEMPLATES[application].title
        return Details(title=title), f"there is no copy of it, so it is called {title}, as the sample is"
    return Details(), "there is no copy of it, so it is called by its id, and is not in the archive"
