"""A staged application: files, history and environments of one that is not there yet, in a folder of its own.

files/schema.piql     its files
history.git           its saves, as a bare repository; only where it brings any
staged.json           what is said of it; written last, so a folder without it is not whole
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from piql_backend.archives.layout import ArchivedEnvironment
from piql_backend.data_folder.files import write_atomically
from piql_backend.parameter_sets.sets_file import NO_SETS, KeptSets

_ABOUT = "staged.json"
_FILES = "files"
HISTORY = "history.git"


ImportOutcome = Literal["changed", "left out"]


class ImportNote(BaseModel):
    """Something that is changed or left out, and why."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    what: str
    why: str
    outcome: ImportOutcome | None = None  # None where the note is about the whole import


class Staged(BaseModel):
    """What is said of a staged application; `saves` are those of the history that it brings."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    saves: int = 0
    environments: tuple[ArchivedEnvironment, ...] = ()
    notes: tuple[ImportNote, ...] = ()
    parameter_sets: KeptSets = NO_SETS


class StagingRefused(Exception):
    """What was to be imported is refused: a sentence without its full stop, and one thing to do, or ''."""

    def __init__(self, reason: str, help: str = "") -> None:
        super().__init__(reason)
        self.help = help


def write_staged(folder: Path, staged: Staged, texts: Mapping[str, str]) -> None:
    """Write the files, and then what is said of them."""
    for path, text in texts.items():
        write_atomically(folder / _FILES / path, text)
    write_atomically(folder / _ABOUT, staged.model_dump_json())


def read_staged(folder: Path) -> Staged:
    return Staged.model_validate_json((folder / _ABOUT).read_bytes())


def staged_texts(folder: Path) -> dict[str, str]:
    """The text of each file by its path."""
    files = folder / _FILES
    paths = sorted(file for file in files.rglob("*.piql") if file.is_file())
    return {file.relative_to(files).as_posix(): file.read_bytes().decode() for file in paths}
