"""Documents on disk, beside the files of their application.

    applications/shop/queries/cart.piql              the text, which is the truth
    applications/shop/.live/queries/cart.piql.json   the document whose text that is
    applications/shop/.live/queries/cart.piql.next   a document whose text is being saved

A save writes `.next`, then the text, then moves `.next` over `.json`. A process that is killed in between leaves a
`.next` that tells the text that it was to replace: the next one saves it. What was edited otherwise meanwhile differs
from both: it is compared with the text of `.json`, from which both began, and the difference is merged into `.next`.
"""

from __future__ import annotations

import base64
import contextlib
import logging
import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from piql_backend.applications.documents_beside import KEPT, NEXT, document_of, forget_document
from piql_backend.applications.repository import Applications

log = logging.getLogger(__name__)


class KeptState(BaseModel):
    """A document: its name, the revision of its text, that of the text which it replaces, and its state in base 64.

    Another document of the same file has another name: their states have nothing in common and cannot be merged.
    """

    model_config = ConfigDict(frozen=True, strict=True)

    document: str
    revision: str
    replaces: str
    encoded: str

    @classmethod
    def of(cls, document: str, revision: str, replaces: str, state: bytes) -> KeptState:
        return cls(document=document, revision=revision, replaces=replaces, encoded=base64.b64encode(state).decode())

    @property
    def state(self) -> bytes:
        return base64.b64decode(self.encoded)


class KeptStates:
    """The documents of all applications; used by one session of a file at a time."""

    def __init__(self, applications: Applications) -> None:
        self._applications = applications

    def read(self, application: str, path: str, revision: str) -> tuple[KeptState | None, KeptState | None]:
        """The document of a file whose text has this revision, and that of the text from which the file's was edited.

        The first is None where there is none, or it cannot be read: then a new document begins. The second is None
        where the text is the one that the first was to replace, and nobody knows more.
        """
        coming, kept = (_read(self._file(application, path, end)) for end in (NEXT, KEPT))
        if coming is None or revision == coming.revision:
            state = coming or kept
            return state, state
        if kept is not None and (kept.document, kept.revision) == (coming.document, coming.replaces):
            return coming, kept
        return coming, None if revision == coming.replaces else coming

    def begin(self, application: str, path: str, state: KeptState, is_first: bool = False) -> None:
        """Write the document whose text is saved next; ApiError 404 where that of before it is gone, with its file."""
        self._applications.write_document(application, path, state.model_dump_json(), is_first)

    def finish(self, application: str, path: str) -> None:
        """Its text is saved; where its file was removed since, so was its document."""
        with contextlib.suppress(FileNotFoundError):
            os.replace(self._file(application, path, NEXT), self._file(application, path, KEPT))

    def keep(self, application: str, path: str, state: KeptState) -> None:
        """Write the document of a text that is saved."""
        self.begin(application, path, state)
        self.finish(application, path)

    def abandon(self, application: str, path: str) -> None:
        """Its text was not saved: whoever has the edits still has them."""
        with contextlib.suppress(OSError):
            self._file(application, path, NEXT).unlink()

    def remove(self, application: str, path: str) -> None:
        """Forget the document of a file that is gone, or begin a new one at the next session."""
        with contextlib.suppress(OSError):
            forget_document(self._applications.folder(application), path)

    def _file(self, application: str, path: str, end: str) -> Path:
        return document_of(self._applications.folder(application), path, end)


def _read(file: Path) -> KeptState | None:
    try:
        return KeptState.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError):
        log.warning("%s cannot be read: the live session begins a new document", file)
        return None
