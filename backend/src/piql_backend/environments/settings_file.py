"""What is kept of an environment in its `environment.json`: which store it uses, and how it is shown.

{"store": {"kind": "embedded"}}                a file of its own in the environment's folder
{"store": {"kind": "served"}}                  the store that `piql serve --store` names; without one, such a file
{"store": {"kind": "named", "named": {…}}}   one that was chosen: its URL, and where its credentials are read
{"store": {"kind": "unconfirmed", "named": {…}}}   one that came with an archive: somebody has to choose it here first

A user, a password and certificates are kept as the names of variables and files: only the store's adapter reads them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

from piql.store.schemes import EMBEDDED
from pydantic import BaseModel, ConfigDict, ValidationError

from piql_backend.data_folder.files import write_atomically
from piql_backend.environments.schemas import Colour, StoreWrite
from piql_backend.prices.sheet_schemas import ChosenPrices
from piql_backend.web.errors import ApiError
from piql_backend.web.schemas import SloWrite

FILE = "environment.json"


class StoreChoice(BaseModel):
    """Which store an environment uses; `named` is what it is called where somebody chose it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["embedded", "served", "named", "unconfirmed"] = EMBEDDED
    named: StoreWrite | None = None

    def url(self, folder: Path, served: str | None) -> str:
        """The URL to connect to, for an environment in `folder` of a workbench that serves a store, or none.

        Raises ApiError 409 for a store that nobody has confirmed.
        """
        if self.kind == "unconfirmed":
            what = self.named.url if self.named is not None else "its store"
            message = f"{folder.parent.name}/{folder.name} came with an archive and is not connected to {what}."
            raise ApiError(409, "store-not-confirmed", message, "Look at the store of this environment and save it.")
        if self.kind == "served" and served is not None:
            return served
        if self.kind == "named" and self.named is not None and self.named.url != EMBEDDED:
            return url_of(self.named)
        return own_store(folder)


class EnvironmentSettings(BaseModel):
    """What `environment.json` says; an environment without the file is embedded."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    store: StoreChoice = StoreChoice()
    title: str | None = None
    colour: Colour | None = None
    slo: SloWrite | None = None
    prices: ChosenPrices | None = None


def own_store(folder: Path) -> str:
    """The URL of the store that an environment keeps in its folder."""
    return f"{EMBEDDED}:{folder.resolve() / 'store'}"


def url_of(store: StoreWrite) -> str:
    """The whole URL of a store that was named, with references in the place of its credentials."""
    tls = store.tls
    options = {
        "consistency": store.consistency,
        "user_variable": store.user and store.user.variable,
        "user_file": store.user and store.user.file,
        "password_variable": store.password and store.password.variable,
        "password_file": store.password and store.password.file,
        "tls": "on" if tls else None,
        "tls_ca": tls and tls.ca_file,
        "tls_certificate": tls and tls.certificate_file,
        "tls_key": tls and tls.key_file,
    }
    text = urlencode({name: value for name, value in options.items() if value is not None})
    return store.url + (("&" if "?" in store.url else "?") + text if text else "")


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


def stamp_of(folder: Path) -> str:
    """Another text once the file was written; empty where there is none."""
    try:
        state = (folder / FILE).stat()
    except OSError:  # a folder made by hand has none
        return ""
    return f"{state.st_mtime_ns} {state.st_ino}"


def write_settings(folder: Path, settings: EnvironmentSettings) -> None:
    """Replace the file in one step."""
    write_atomically(folder / FILE, settings.model_dump_json(indent=2, exclude_none=True) + "\n")
