"""What is kept of an environment in its `environment.json`: which store it uses, and how it is shown.

{"store": {"kind": "embedded"}}     a file of its own in the environment's folder
{"store": {"kind": "served"}}       the store that `piql serve --store` names; without it, a file of its own
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from piql.store.schemes import EMBEDDED
from pydantic import BaseModel, ConfigDict, ValidationError

from piql_backend.errors import ApiError
from piql_backend.files import write_atomically

FILE = "environment.json"


class StoreChoice(BaseModel):
    """Which store an environment uses."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["embedded", "served"] = EMBEDDED

    def url(self, folder: Path, served: str | None) -> str:
        """The URL to connect to, for an environment in `folder` of a workbench that serves a store, or none."""
        if self.kind == "served" and served is not None:
            return served
        return f"{EMBEDDED}:{folder.resolve() / 'store'}"


class EnvironmentSettings(BaseModel):
    """What `environment.json` says; an environment without the file is embedded."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    store: StoreChoice = StoreChoice()


def read_settings(folder: Path) -> EnvironmentSettings:
    """Read the file of an environment's folder; ApiError 503 where it cannot be understood."""
    try:
        return EnvironmentSettings.model_validate_json((folder / FILE).read_bytes())
    except FileNotFoundError:
        return EnvironmentSettings()
    except ValidationError as error:
        problem = error.errors()[0]
        what = ".".join(str(part) for part in problem["loc"])
        message = f"{folder.parent.name}/{folder.name}/{FILE} cannot be read: {f'{what}: ' if what else ''}"
        raise ApiError(503, "environment-not-read", f"{message}{problem['msg']}.", "Correct the file.") from None


def write_settings(folder: Path, settings: EnvironmentSettings) -> None:
    """Replace the file in one step."""
    write_atomically(folder / FILE, settings.model_dump_json(indent=2) + "\n")
