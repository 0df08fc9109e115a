"""What the archive of an application holds. It is a zip file, so any program can look into it.

    piql-application.json      {"format": "piql-application", "version": 1, "title": "Shop", "environments": […]}
    files/schema.piql          the files, each below files/
    history.bundle             every save, as a git bundle: `git clone history.bundle` reads it

Saved values of parameters stand in piql-application.json. An environment is described by its settings and SLOs. Its
store is named as it was named in the workbench: users and passwords are names of variables and files, so no archive
holds a credential. There is nothing else in an archive: a reader refuses a name that stands for nothing here, and a
version that it does not know.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from piql_backend.applications.schemas import Title
from piql_backend.environments.schemas import Colour, StoreWrite
from piql_backend.parameter_sets.sets_file import KeptSets
from piql_backend.web.schemas import MOST_CHARACTERS, SloWrite, Write

FORMAT = "piql-application"
VERSION = 1
MANIFEST = "piql-application.json"
HISTORY = "history.bundle"
FILES = "files/"

MOST_ARCHIVE_BYTES = 256 * 1024 * 1024
MOST_FILE_BYTES = 4 * MOST_CHARACTERS  # a character of UTF-8 has 4 bytes at most
MOST_TEXT_BYTES = 50_000_000  # of all texts together
MOST_MANIFEST_BYTES = 5_000_000
MOST_ENVIRONMENTS = 50
MOST_SAVES = 10_000


class ArchivedEnvironment(Write):
    """An environment by reference. `kind` is how its store was chosen: only one that was `named` has an address.

    `slo` holds for queries without one of their own; `slos` are those by query.
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=60)
    title: Title
    colour: Colour = "grey"
    kind: Literal["embedded", "served", "named"] = "embedded"
    store: StoreWrite | None = None
    slo: SloWrite | None = None
    slos: dict[str, SloWrite] = Field(default_factory=dict, max_length=5000)


class Manifest(Write):
    """The content of `piql-application.json`; `made_at` and `made_by` are for people.

    `parameter_sets` is left out where there are none, since earlier versions of the workbench do not know it.
    """

    format: Literal["piql-application"] = "piql-application"
    version: Literal[1] = 1
    id: str = Field(pattern=r"^[a-zA-Z0-9_.-]*$", max_length=200)
    title: Title
    made_at: str = Field(default="", max_length=100)
    made_by: str = Field(default="", max_length=100)
    environments: list[ArchivedEnvironment] = Field(default_factory=list, max_length=MOST_ENVIRONMENTS)
    parameter_sets: KeptSets | None = None
