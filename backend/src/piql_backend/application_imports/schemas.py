"""Applications that are imported: what is asked for, and what becomes of it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from piql_backend.application_imports.staged import ImportOutcome
from piql_backend.applications.schemas import Title
from piql_backend.archives.layout import MOST_ARCHIVE_BYTES
from piql_backend.environments.schemas import Colour, StoreChoiceRead, StoreWrite
from piql_backend.schema_imports.schemas import Dialect
from piql_backend.web.schemas import Read, Write

Source = Literal["archive", "files", "folder", "repository", "keyspace"]


class ArchiveCreate(Write):
    """An archive that is about to be uploaded in parts."""

    file_name: str = Field(min_length=1, max_length=200)
    size: int = Field(ge=1, le=MOST_ARCHIVE_BYTES)


class DroppedFile(Write):
    """A file of PIQL or SQL by its path in the folder that was dropped."""

    path: str = Field(min_length=1, max_length=500)
    text: str = Field(max_length=4_000_000)


class FilesCreate(Write):
    """Files of PIQL; where there is none of those, scripts of SQL, which are read as one."""

    title: Title
    files: list[DroppedFile] = Field(min_length=1, max_length=1000)
    dialect: Dialect = "auto"


class FolderCreate(Write):
    """A folder of the server, by its whole path; those that `--allowed-source` names may be read."""

    path: str = Field(min_length=1, max_length=1000)


class RepositoryCreate(Write):
    """A git repository: `https://HOST/PATH` or `file:///PATH`; those that `--allowed-source` names may be read.

    `branch` is its usual one if not given, `folder` all of it. Its commits become saves, unless `is_shallow`.
    """

    address: str = Field(min_length=1, max_length=1000)
    branch: str = Field(default="", max_length=200, pattern=r"^[\w./-]*$")
    folder: str = Field(default="", max_length=500)
    is_shallow: bool = False


class KeyspaceCreate(Write):
    """A keyspace by the store that holds it, which has to be on the list of stores: it is only read.

    The application gets an environment there with a namespace of its own, whose tables begin with `prefix`.
    """

    store: StoreWrite
    prefix: str = Field(default="piql_", min_length=1, max_length=20, pattern=r"^[a-z][a-z0-9_]*$")


class ImportedApplicationCreate(Write):
    """Makes the application; without an id it is made of the title."""

    title: Title
    id: str | None = Field(default=None, pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=60)


class ImportedFileRead(Read):
    path: str
    characters: int


class ImportNoteRead(Read):
    """Something that is changed or left out, and why."""

    what: str
    why: str
    outcome: ImportOutcome | None


class ImportedEnvironmentRead(Read):
    """An environment that comes along. A `store` that is not its own file is not connected to until it is confirmed."""

    id: str
    title: str
    colour: Colour
    store: StoreChoiceRead
    slos: int


class ApplicationImportRead(Read):
    """An application that can be made once its `state` is `ready`; nothing is kept of it before.

    `size` and `uploaded` are bytes of an archive. `saves` are those that come along.
    """

    id: str
    source: Source
    name: str
    state: Literal["uploading", "ready"]
    size: int
    uploaded: int
    title: str
    files: list[ImportedFileRead]
    saves: int
    environments: list[ImportedEnvironmentRead]
    notes: list[ImportNoteRead]
