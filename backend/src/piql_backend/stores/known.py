"""Which store an environment had, so that another one in its place is noticed.

    environments/shop/production/known-store.json     {"place": "cql://10.0.0.1/shop", "id": "5f3a0c…"}

The file is written once something is live in the store, and removed when somebody chooses the store of the environment.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ValidationError

from piql_backend.data_folder.files import write_atomically

_FILE = "known-store.json"


class _Known(BaseModel):
    place: str
    id: str


def forget_store(folder: Path) -> None:
    """Let the next store of the environment in a folder be any: somebody has chosen it."""
    (folder / _FILE).unlink(missing_ok=True)


class KnownStore:
    """The store of the environment in `folder`; `place` is its URL, without secrets, as long as nobody changes it."""

    def __init__(self, folder: Path, place: str) -> None:
        self._folder = folder
        self._place = place

    @property
    def id(self) -> str | None:
        """The id of the store that was in this place; None where none is known."""
        try:
            known = _Known.model_validate_json((self._folder / _FILE).read_bytes())
        except (OSError, ValidationError):
            return None
        return known.id if known.place == self._place else None

    def remember(self, store_id: str) -> None:
        """Take a store for the one of the environment."""
        if self.id != store_id:
            write_atomically(self._folder / _FILE, _Known(place=self._place, id=store_id).model_dump_json())

    def forget(self) -> None:
        """Let the next store be any: the one that was there is empty, and is begun anew."""
        forget_store(self._folder)
